import { grantIdOf, grantUri } from '../../../src/grants/grantUri';
import { AccessGrantInvalid } from '../../../src/problems';

const issuer = 'https://pods.example/.access/';
const id = '0b7c5a4e-6f0a-4a3e-9a55-0c6f3d7d1c11';
const uri = grantUri(issuer, id);

describe('The URI of an access grant', (): void => {
  it('holds its id.', (): void => {
    expect(grantIdOf(uri, issuer)).toBe(id);
  });

  it.each([
    uri.replace('https://pods', 'HTTPS://PODS'),
    uri.replace('.example', '.example:443'),
    uri.replace('.access/vc', '%2eaccess/%76c'),
  ])('holds it in each spelling of one URL: %s.', (text): void => {
    expect(grantIdOf(text, issuer)).toBe(id);
  });

  it.each([ '', 'nonsense', `/vc/${id}`, `${uri}, ${uri}`, ` ${uri}`, `https://pods.example/${'a'.repeat(2048)}` ])(
    'is not %j.',
    (text): void => {
      expect((): unknown => grantIdOf(text, issuer)).toThrow(AccessGrantInvalid);
    },
  );

  it.each([
    `${uri},${uri}`,
    `${uri}/`,
    `${uri}#it`,
    `${uri}#`,
    `${uri}?`,
    uri.toUpperCase(),
    uri.replace(id, id.toUpperCase()),
    uri.replace('https:', 'http:'),
    uri.replace('.example', '.example:444'),
    uri.replace('pods', 'somebody@pods'),
    uri.replace('/vc/', '%2Fvc/'),
    'https://other.example/1',
    'urn:uuid:1',
  ])('is that of no grant of this service when it is %s.', (text): void => {
    expect(grantIdOf(text, issuer)).toBeUndefined();
  });
});
