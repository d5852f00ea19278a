/** Returns segments of one letter each. */
function deep(segments: number): string {
  return 'd/'.repeat(segments);
}

const auxiliary = [ 'acl', 'acr', 'meta' ].flatMap((suffix): string[] => [
  `.${suffix}`,
  `.${suffix}/`,
  `.${suffix}/y`,
  `ghost.${suffix}`,
  `ghost.${suffix}/`,
  `ghost.${suffix}/y`,
  `ghost.${suffix.toUpperCase()}/y`,
  `g/q.${suffix}/y/z`,
  'g/q',
  `ghost.${suffix}.${suffix}`,
  `%2e${suffix}/y`,
  `ghost%2E${suffix}/y`,
]);

const spellings = [
  '..',
  '../',
  '.',
  './x',
  '%2e',
  '%2e%2e',
  '%2E%2E/x',
  '.%2e/x',
  '%252e%252e/x',
  'x/../y',
  'x/%2e%2e/y',
  '//x',
  'x//y',
  '%2f',
  'x%2Fy',
  '%5c',
  'x\\y',
  '%00',
  'x%00.ttl',
  'x%0d%0ay',
  'x%7f',
  '%c0%af',
  '%ff%fe',
  '%',
  '%zz',
  'caf%C3%A9',
  'cafe%CC%81',
  '\u00E9',
  'a%20b',
  'a+b',
  'a;b=c',
  'a:b',
  'a*b',
  'a|b',
  'a?b=c',
  'a#b',
  '~x',
  '[x]',
  '{x}',
  '<x>',
];

const filesCannotHold = [
  'q$.txt',
  'q%24.txt',
  'q$.acl',
  '$.ttl',
  '$',
  'con',
  'n'.repeat(255),
  'n'.repeat(256),
  'n'.repeat(3000),
  `${'n'.repeat(248)}.ttl`,
  '%C3%A9'.repeat(128),
  `${'long/'.repeat(20)}${'n'.repeat(250)}`,
];

const reserved = [
  '__proto__',
  'constructor/x',
  '.internal/x',
  '.internal/idp/keys/jwks',
  '.well-known/solid',
  '.oidc/jwks',
  'index.html',
  'x.lock',
];

/** Names that an attacker would try in a container, as in a request target. */
export const hostileNames: readonly string[] = [ ...new Set([
  ...[ 20, 63, 64, 65, 200, 400, 1000 ].flatMap((segments): string[] => [ deep(segments), `${deep(segments)}x` ]),
  ...auxiliary,
  ...spellings,
  ...filesCannotHold,
  ...reserved,
]) ];

/** Request targets that bypass one parser of paths but not another. */
export function hostileTargets(pod: string): string[] {
  return [
    '/%2eaccount/login/password/',
    '//.account/login/password/',
    '/x/../.account/login/password/',
    '/.account/%6cogin/password/',
    '/./.account/login/password/',
    '/.account/login/password',
    '/x/../v1/none',
    '/%76%31/none',
    '/v1//none',
    '/v1/%2e%2e/v1/none',
    '/v1/resources?resource=..%2f..%2fx',
    `/v1/resources?resource=${'a'.repeat(9000)}`,
    `/v1/pods/${'a'.repeat(3000)}/resources`,
    '/.access/../.internal/x',
    '/.access/vc/%00',
    '/.uma/%2e%2e/x',
    '/.health/../.internal/x',
    '/.internal/accounts/',
    '*',
    'http://evil.example/',
    `http://evil.example${pod}`,
    'https://localhost:1/',
    '//evil.example/x',
    '',
    'x',
    `${pod}${'?'.repeat(5000)}`,
    `/${'x'.repeat(20_000)}`,
  ];
}
