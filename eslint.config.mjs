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
  .append({
    files: [ 'src/problems.ts', 'src/vocabulary.ts' ],
    rules: {
      // A catalogue reads best with one line for each entry, under the entry's own name.
      '@typescript-eslint/naming-convention': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      'max-len': 'off',
    },
  })
  .append({ ignores: [ 'test/fixtures/' ]})
  .override('opinionated/test', { settings: { jest: { version: 30 }}})
  .append({
    // Plain JavaScript whose types stand in JSDoc, checked by TypeScript.
    files: [ 'demo/**/*.js' ],
    rules: {
      'jsdoc/check-param-names': [ 'error', { checkDestructured: false }],
      'jsdoc/no-defaults': 'off',
      'jsdoc/no-types': 'off',
      'jsdoc/require-property-description': 'off',
      'jsdoc/require-returns-description': 'off',
      'unicorn/filename-case': 'off',
    },
  });
