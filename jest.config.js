const { onlyApart, onServersOnly } = require('./test/support/suites');

module.exports = {
  // Suites share packages, because loading them takes longer than running most suites.
  runtime: '<rootDir>/test/support/SharedPackages.js',
  testEnvironment: '<rootDir>/test/support/OneRealmEnvironment.js',
  testRunner: '<rootDir>/test/support/runSuite.js',
  roots: [ '<rootDir>/test' ],
  testRegex: '/test/((unit|integration)/.*|conformance/[^/]*)\\.test\\.ts$',
  // Run by npm run test:postgres and test:apart.
  testPathIgnorePatterns: [ '/node_modules/', ...onServersOnly, ...onlyApart ],
  testTimeout: 120_000,
  // One more than the cores of a small machine, because suites often wait for other processes or timers.
  maxWorkers: 3,
  testSequencer: '<rootDir>/test/support/serversFirst.js',
  moduleFileExtensions: [ 'ts', 'js', 'mjs', 'json', 'node' ],
  // Dynamic imports use the file names of the compiled code.
  moduleNameMapper: {
    '^(\\./shippedExtensions|\\.\\./(?:moving|\\.\\./(?:data-types|operations)|server/start)/\\w+)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': [ '@swc/jest', {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    }],
  },
};
