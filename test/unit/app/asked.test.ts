import { addressText, cleanName, dataUserName } from '../../../app/src/lib/asked';
import { continuationUrl } from '../../../app/src/lib/requests';
import type { Words } from '../../../app/src/lib/words';

describe('A name from outside', (): void => {
  it('loses its control and direction marks, and ends at 200 characters.', (): void => {
    expect(cleanName('Meer\u202Eling\u0000 \u2066Bank\u2069\n')).toBe('Meerling Bank');
    expect(cleanName('x'.repeat(300))).toBe('x'.repeat(200));
  });

  it('covers no text around it, and ends with a whole character.', (): void => {
    expect(cleanName(`a${'\u0301'.repeat(50)}b`)).toBe(`a${'\u0301'.repeat(4)}b`);
    expect(cleanName(`a${'\u{1F600}'.repeat(150)}`)).toBe(`a${'\u{1F600}'.repeat(99)}`);
    expect(cleanName('a\u2028b\u2029c')).toBe('abc');
  });
});

describe('An address from outside', (): void => {
  it.each([
    [ 'https://bank.example/profile/card#me', 'https://bank.example/profile/card#me' ],
    // The second letter is Cyrillic.
    [ 'https://b\u0430nk.example/card#me', 'https://xn--bnk-6cd.example/card#me' ],
    [ 'https://app.example/\u202Eelpmaxe.knab//:sptth', 'https://app.example/%E2%80%AEelpmaxe.knab//:sptth' ],
    [ 'urn:purpose:\u202Ea', 'urn:purpose:%E2%80%AEa' ],
    [ 'no address', 'no address' ],
    [ 'https://a\u0378b.example/\u202Ea', 'https://a%CD%B8b.example/%E2%80%AEa' ],
  ])('looks like no other: %j.', (uri, text): void => {
    expect(addressText(uri)).toBe(text);
    const words = { choose: (): undefined => undefined } as Pick<Words, 'choose'> as Words;
    expect(dataUserName(undefined, uri, words)).toBe(text);
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
