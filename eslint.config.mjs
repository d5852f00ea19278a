import opinionated from 'opinionated-eslint-config';

// The rule set of Community Solid Server itself.
export default opinionated()
  .append({ ignores: [ 'components/', 'dist/', 'coverage/', '**/*.md' ]})
  .override('opinionated/typescript/setup', {
    languageOptions: {
      parserOptions: {
        projectService: false,
        project: [ './test/tsconfig.json' ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
  })
  .override('opinionated/test', { settings: { jest: { version: 30 }}});
