import { cleanName } from '../../../app/src/lib/asked';
import { continuationUrl } from '../../../app/src/lib/requests';

describe('A name from outside', (): void => {
  it('loses its control and direction marks, and ends at 200 characters.', (): void => {
    expect(cleanName('Meer\u202Eling\u0000 \u2066Bank\u2069\n')).toBe('Meerling Bank');
    expect(cleanName('x'.repeat(300))).toBe('x'.repeat(200));
  });
});

/** Nobody registered the address that an access request comes with. */
describe('The address after the answer to a request', (): void => {
  const answer = 'https://pod.example/.access/vc/1';
  const told = `accessGrantUrl=${encodeURIComponent(answer)}`;

  it.each([
    [ 'https://app.example/back', `https://app.example/back?${told}` ],
    [ 'https://app.example/back?state=1', `https://app.example/back?state=1&${told}` ],
    [ 'http://localhost:3001/', `http://localhost:3001/?${told}` ],
  ])('is %s, with the answer.', (address, expected): void => {
    expect(continuationUrl(address, answer)?.href).toBe(expected);
  });

  it.each([
    undefined,
    '',
    '/back',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://app.example/back',
    'https://user@app.example/',
    'https://:word@app.example/',
    'https://app.example/#part',
  ])('is not %s.', (address): void => {
    expect(continuationUrl(address, answer)).toBeUndefined();
  });
});
