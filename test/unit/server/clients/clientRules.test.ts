import { describeApp, findFault, formTargets, isRedirectUri } from '../../../../src/server/clients/clientRules';
import { OutsideDocuments } from '../../../../src/server/outside/OutsideDocuments';

describe('A redirect URI', (): void => {
  it.each([
    'https://app.example/back',
    'https://app.example:8443/back?a=b',
    'http://localhost:3001/',
    'http://app.localhost/',
    'http://127.0.0.1:5000/cb',
    'http://127.8.8.8/cb',
    'http://[::1]:5000/cb',
    'com.example.app:/oauth2redirect',
    'be.example.budget://back',
  ])('can be %s.', (uri): void => {
    expect(isRedirectUri(uri)).toBe(true);
  });

  it.each([
    'http://evil.example/cb',
    'http://localhost.evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://10.0.0.1/cb',
    'http://0x7f.1.evil/',
    'http://[::]/cb',
    'javascript:alert(1)',
    'JavaScript:alert(1)//.',
    'java\nscript:alert(1)',
    ' https://app.example/',
    'data:text/html,x',
    'blob:https://app.example/1',
    'file:///etc/passwd',
    'vbscript:x',
    'about:blank',
    'app:/back',
    'https://app.example/#fragment',
    'https://app.example/#',
    'https://trusted.example@evil.example/',
    'https://user:pass@evil.example/',
    String.raw`https:\\evil.example\x`,
    'https://app.example/a b',
    `https://app.example/${'x'.repeat(2048)}`,
    'back',
    '',
    undefined,
    7,
  ])('cannot be %j.', (uri): void => {
    expect(isRedirectUri(uri)).toBe(false);
  });
});

describe('A client', (): void => {
  const redirect_uris = [ 'https://app.example/back' ];

  const urls = new OutsideDocuments({ baseUrl: 'https://pod.example/', allowLoopback: false });

  it('is accepted with ordinary metadata.', (): void => {
    expect(findFault({
      redirect_uris: [ ...redirect_uris, 'http://localhost/' ],
      post_logout_redirect_uris: [ 'https://app.example/out' ],
      client_uri: 'http://app.example/',
      logo_uri: 'https://app.example/logo.svg',
      policy_uri: 'https://app.example/policy',
      tos_uri: 'https://app.example/terms#2',
      jwks_uri: 'https://app.example/keys',
      sector_identifier_uri: 'https://93.184.215.14/sector',
    }, urls)).toBeUndefined();
  });

  const inside = [
    'https://10.0.0.1/x',
    'https://192.168.1.1/x',
    'https://169.254.169.254/latest/meta-data',
    'https://0x0a000001/x',
    'https://167772161/x',
    'https://[fd00::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://[fe80::1]/x',
    'https://168.63.129.16/x',
  ];
  const ownMachine = [
    'https://localhost/x',
    'https://a.localhost./x',
    'https://127.0.0.1:8443/x',
    'https://[::1]/x',
  ];
  const fetched = [ 'jwks_uri', 'sector_identifier_uri' ] as const;
  const shown = [ 'client_uri', 'logo_uri', 'policy_uri', 'tos_uri', 'initiate_login_uri' ] as const;
  const odd = [ 'ftp://app.example/x', 'file:///etc/passwd', 'data:,x', 'https://user@app.example/x', 'gopher://x/' ];

  it.each([ ...fetched, ...shown ])('cannot name the server\'s network as its %s.', (member): void => {
    for (const uri of [ ...inside, ...ownMachine, ...odd ]) {
      expect([ uri, findFault({ redirect_uris, [member]: uri }, urls) ])
        .toEqual([ uri, expect.stringMatching(`^${member} `) ]);
    }
  });

  it.each(fetched)('must have its %s on https.', (member): void => {
    expect(findFault({ redirect_uris, [member]: 'http://app.example/x' }, urls)).toContain(member);
  });

  it.each([ 'redirect_uris', 'post_logout_redirect_uris' ] as const)('has its %s on no private network.', (member):
  void => {
    for (const uri of inside) {
      expect([ uri, findFault({ redirect_uris, [member]: [ uri ]}, urls) ])
        .toEqual([ uri, expect.stringMatching(`^${member} `) ]);
    }
    for (const uri of ownMachine.slice(2)) {
      expect(findFault({ redirect_uris, [member]: [ uri ]}, urls)).toBeUndefined();
    }
  });

  it('can name its own machine if the operator allows that.', (): void => {
    const loose = new OutsideDocuments({ baseUrl: 'http://localhost:3000/', allowLoopback: true });
    expect(findFault({ redirect_uris, client_uri: 'http://localhost:3001/', jwks_uri: 'http://localhost:3001/' }, loose))
      .toBeUndefined();
    expect(findFault({ redirect_uris, jwks_uri: 'https://10.0.0.1/' }, loose)).toContain('jwks_uri');
  });

  it('can have only a limited amount of metadata.', (): void => {
    const uris = Array.from({ length: 10 }, (_, index): string => `https://app.example/${index}${'x'.repeat(1900)}`);
    expect(findFault({ redirect_uris: uris.slice(2) }, urls)).toBeUndefined();
    expect(findFault({ redirect_uris: uris }, urls)).toContain('at most');
  });

  it.each([
    [ 'redirect_uris', { redirect_uris: [ ...redirect_uris, 'http://evil.example/cb' ]}],
    [ 'post_logout_redirect_uris', { redirect_uris, post_logout_redirect_uris: [ 'javascript:alert(1)' ]}],
    [ 'client_uri', { redirect_uris, client_uri: 'javascript:alert(1)' }],
    [ 'logo_uri', { redirect_uris, logo_uri: 'data:image/svg+xml,<svg onload="alert(1)"/>' }],
    [ 'policy_uri', { redirect_uris, policy_uri: 'https://trusted.example@evil.example/' }],
    [ 'tos_uri', { redirect_uris, tos_uri: 'https://app.example/" onclick="alert(1)' }],
  ])('is refused for its %s.', (member, client): void => {
    expect(findFault(client, urls)).toMatch(new RegExp(`^${member} `, 'u'));
  });
});

describe('The description of an app', (): void => {
  it.each([
    [ 'https://app.example/id', 'https://app.example/back', { address: 'app.example', name: 'Budget' }],
    [ 'https://app.example/id', 'https://other.example/', { address: 'app.example', returnsTo: 'other.example', name: 'Budget' }],
    [ 'https://xn--pypal-4ve.com/', undefined, { address: 'xn--pypal-4ve.com', name: 'Budget' }],
    [ 'c2e0b0', 'http://localhost:3000/', { address: 'localhost:3000', name: 'Budget' }],
    [ 'c2e0b0', 'com.example.app:/x', { address: 'com.example.app', name: 'Budget' }],
    [ 'c2e0b0', undefined, { address: 'c2e0b0', name: 'Budget' }],
  ])('%s, which redirects to %s, is %j.', (id, redirectUri, told): void => {
    expect(describeApp(id, redirectUri, 'Bud\u202Eget')).toEqual(told);
  });

  it.each([
    [ 'https://pods.example/eve/app', undefined, { address: 'pods.example/eve/app' }],
    [ 'c2e0b0', 'https://pods.example/eve/page', { address: 'pods.example/eve/page' }],
    [ 'https://app.example/', 'https://pods.example/eve/', { address: 'app.example', returnsTo: 'pods.example/eve/' }],
    [ `https://pods.example/${'x'.repeat(999)}`, undefined, { address: `pods.example/${'x'.repeat(187)}` }],
  ])('%s in a pod here, or with %s there, is not that of the server.', (id, redirectUri, told): void => {
    expect(describeApp(id, redirectUri, undefined, 'https://pods.example')).toEqual(told);
  });
});

describe('A form that redirects to an app', (): void => {
  it('can lead there, by https, on loopback or by its scheme.', (): void => {
    expect(formTargets([ 'http://localhost:80/x', 'com.example.app:/x', 'https://a.example/', 'javascript:x', undefined ]))
      .toEqual([ '\'self\'', 'https:', 'http://localhost', 'com.example.app:' ]);
  });
});
