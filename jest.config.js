const { onlyApart, onServersOnly } = require('./test/support/suites');

module.exports = {
  // Suites share the packages that they need, which take longer to load than most suites to run.
  runtime: '<rootDir>/test/support/SharedPackages.js',
  testEnvironment: '<rootDir>/test/support/OneRealmEnvironment.js',
  roots: [ '<rootDir>/test' ],
  testRegex: '/test/((unit|integration)/.*|conformance/[^/]*)\\.test\\.ts$',
  // They have commands of their own: npm run test:postgres and test:apart.
  testPathIgnorePatterns: [ '/node_modules/', ...onServersOnly, ...onlyApart ],
  testTimeout: 120_000,
  // One more than the cores of a small machine: suites often wait, for other processes or for a time to pass.
  maxWorkers: 3,
  testSequencer: '<rootDir>/test/support/serversFirst.js',
  moduleFileExtensions: [ 'ts', 'js', 'mjs', 'json', 'node' ],
  // What is imported when it is needed is named as it is once compiled.
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
