import { requireBaseUrl } from '../../../src/cli/requireBaseUrl';

const refusal = '--baseUrl must begin with https:// or http://, as in https://pods.example/, not ';

describe('Before the server is loaded,', (): void => {
  it.each([ 'pods.example', 'localhost:3000', 'https:pods.example', 'ftp://pods.example/', 'https://' ])(
    'a base URL that is none is refused: %j.',
    (none): void => {
      for (const words of [[ '-b', none ], [ `--baseUrl=${none}` ], [ '--base-url', none ]]) {
        expect((): void => requireBaseUrl(words, {})).toThrow(`${refusal}${JSON.stringify(none)}`);
      }
      expect((): void => requireBaseUrl([], { CSS_BASE_URL: none })).toThrow(`${refusal}${JSON.stringify(none)}`);
    },
  );

  it.each([ 'https://pods.example/', 'http://localhost:3000', 'https://[2001:db8::1]/path' ])(
    'the server judges the base URL %s.',
    (url): void => {
      expect((): void => requireBaseUrl([ '-b', url ], { CSS_BASE_URL: 'none' })).not.toThrow();
    },
  );

  it('no base URL is needed.', (): void => {
    expect((): void => requireBaseUrl([ '-p', '3000' ], {})).not.toThrow();
    expect((): void => requireBaseUrl([], { CSS_BASE_URL: '' })).not.toThrow();
  });
});
