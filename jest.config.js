const { onServersOnly } = require('./test/support/suites');

// ESM-only packages that Jest must compile: its module loader does not know Node's require(esm).
const esm = [
  'jose',
  '@digitalbazaar/.*',
  '@noble/.*',
  'base58-universal',
  'base64url-universal',
  'oauth4webapi',
  'oidc-provider',
  'nanoid',
  'got',
  'quick-lru',
  '@sindresorhus/is',
  'p-cancelable',
  '@szmarczak/http-timer',
  'cacheable-request',
  'normalize-url',
  'responselike',
  'lowercase-keys',
  'mimic-response',
  'form-data-encoder',
  'cacheable-lookup',
  'fast-check',
  'pure-rand',
  'jsonld-signatures',
  'openid-client',
  'rbush',
  'quickselect',
  'robust-predicates',
  'jsts',
  'crypto-ld',
  'ed25519-signature-2020-context',
];
function swc(syntax) {
  return [ '@swc/jest', {
    jsc: { parser: { syntax }, target: 'es2022' },
    module: { type: 'commonjs' },
  }];
}

module.exports = {
  testEnvironment: 'node',
  roots: [ '<rootDir>/test' ],
  testRegex: '/test/((unit|integration)/.*|conformance/[^/]*)\\.test\\.ts$',
  // They have a command of their own: npm run test:postgres.
  testPathIgnorePatterns: [ '/node_modules/', ...onServersOnly ],
  testTimeout: 120_000,
  // One more than the cores of a small machine: suites often wait, for other processes or for a time to pass.
  maxWorkers: 3,
  testSequencer: '<rootDir>/test/support/serversFirst.js',
  moduleFileExtensions: [ 'ts', 'js', 'mjs', 'json', 'node' ],
  // What is imported when it is needed is named as it is once compiled.
  moduleNameMapper: { '^(\\.\\./(?:moving|\\.\\./(?:data-types|wiring)|wiring|server/start)/\\w+)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': swc('typescript'),
    '^.+/node_modules/.+\\.m?js$': swc('ecmascript'),
  },
  transformIgnorePatterns: [ `/node_modules/(?!(${esm.join('|')})/)` ],
};
