import opinionated from 'opinionated-eslint-config';

/** Reading order of the domain: a folder uses those before it. */
const order = [
  'audit',
  'events',
  'limits',
  'tokens',
  'identity',
  'data-types',
  'contracts',
  'pods',
  'sources',
  'login',
  'credentials',
  'grants',
  'uma',
  'personal-data',
  'resources',
  'verification',
  'data-copies',
  'activity',
  'buildings',
  'operations',
  'metrics',
];
/** Packages and the folders that may import them. `server` and `cli` also may import that of `wiring`. */
const homes = { wiring: [ '@solid/community-server' ], storage: [ 'kysely', 'better-sqlite3', 'pg' ]};
/** Files beside the folders that know the domain. */
const beside = [ 'index', 'problems', 'vocabulary' ];
const outer = [ 'http', 'api', 'storage', 'server', 'wiring', 'cli', 'plan-requests' ];

function boundary(files, folders, packages) {
  return {
    files,
    rules: {
      'no-restricted-imports': [ 'error', {
        patterns: folders.map(folder => ({
          regex: `^(\\./|(\\.\\./)+)${folder}(/|$)`,
          message: 'Imports point inward: see docs/architecture.md.',
        })),
        paths: packages.map(name => ({ name, message: 'Only one folder imports this package.' })),
      }],
    },
  };
}

const everyPackage = Object.values(homes).flat();

// The rule set of Community Solid Server itself.
export default opinionated()
  .append({ ignores: [ 'components/', 'dist/', 'coverage/', 'test/fixtures/', 'app/words/', '**/*.md' ]})
  .override('opinionated/typescript/setup', {
    languageOptions: {
      parserOptions: {
        projectService: false,
        project: [ './test/tsconfig.json', './test/unit/app/tsconfig.json', './app/tsconfig.json' ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
  })
  .append(order.map((folder, index) =>
    boundary([ `src/${folder}/**/*.ts` ], [ ...order.slice(index + 1), ...outer ], everyPackage)))
  .append(boundary([ 'src/http/**/*.ts' ], [ 'api', 'storage', 'server', 'wiring', 'cli', 'plan-requests' ], everyPackage))
  .append(boundary([ 'src/api/**/*.ts' ], [ 'storage', 'server', 'wiring', 'cli', 'plan-requests' ], everyPackage))
  .append(boundary([ 'src/storage/**/*.ts' ], [ 'http', 'api', 'server', 'wiring', 'cli', 'plan-requests' ], homes.wiring))
  // Extensions of Community Solid Server without knowledge of the domain, and tools that depend on nothing.
  .append(boundary(
    [ 'src/server/**/*.ts' ],
    [ ...beside, ...order, 'http', 'api', 'storage', 'wiring', 'cli', 'plan-requests' ],
    homes.storage,
  ))
  .append(boundary([ 'src/platform/**/*.ts' ], [ ...beside, ...order, ...outer ], everyPackage))
  .append(boundary([ 'src/problems.ts', 'src/vocabulary.ts' ], [ ...order, ...outer ], everyPackage))
  .append(boundary([ 'src/wiring/**/*.ts' ], [ 'cli', 'plan-requests' ], homes.storage))
  .append(boundary([ 'src/cli/**/*.ts' ], [ 'plan-requests' ], homes.storage))
  .append(boundary([ 'src/plan-requests/!(storage)', 'src/plan-requests/{geometry,jobs,packages,registry}/**/*.ts' ], [ 'cli' ], everyPackage))
  .append(boundary([ 'src/plan-requests/storage/**/*.ts' ], [ 'http', 'api', 'wiring', 'cli' ], homes.wiring))
  .append({
    // Members of objects have the names that they have on the wire: headers, OAuth, JSON-LD, SQL.
    files: [ 'src/**/*.ts', 'app/**/*.{ts,mts}', 'client/**/*.ts' ],
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'default', format: [ 'camelCase' ], leadingUnderscore: 'forbid', trailingUnderscore: 'forbid' },
        { selector: 'import', format: null },
        {
          selector: 'variable',
          format: [ 'camelCase', 'UPPER_CASE' ],
          leadingUnderscore: 'forbid',
          trailingUnderscore: 'forbid',
        },
        { selector: 'parameter', modifiers: [ 'unused' ], format: [ 'camelCase' ], leadingUnderscore: 'allow' },
        { selector: 'typeLike', format: [ 'PascalCase' ]},
        { selector: 'typeParameter', format: [ 'PascalCase' ], prefix: [ 'T' ]},
        { selector: [ 'objectLiteralProperty', 'typeProperty' ], format: null },
      ],
    },
  })
  .append({
    // The query builder infers the types of queries.
    files: [ 'src/storage/**/*.ts' ],
    rules: { '@typescript-eslint/explicit-function-return-type': [ 'error', { allowExpressions: true }]},
  })
  .append({
    // Migrations run in the order of their dates.
    files: [ 'src/storage/migrations/**' ],
    rules: { 'unicorn/filename-case': 'off' },
  })
  .append({
    // Dynamic imports use the file names of the compiled code.
    files: [ 'src/cli/**/*.ts', 'src/plan-requests/packages/documents.ts' ],
    rules: { 'import/extensions': 'off' },
  })
  .append({
    files: [ 'src/problems.ts', 'src/vocabulary.ts' ],
    rules: {
      // Catalogues with one line per entry, named like the entry.
      '@typescript-eslint/naming-convention': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      'max-len': 'off',
    },
  })
  .append({
    files: [ 'src/**/*.ts', 'test/**/*.ts' ],
    // Parameters that their types explain need no description.
    rules: { 'jsdoc/check-param-names': [ 'error', { disableMissingParamChecks: true }]},
  })
  .append({
    files: [ 'scripts/**', 'demo/**', 'bench/**', 'client/**/*.js', 'docs/examples/**' ],
    rules: { 'no-console': 'off', 'unicorn/filename-case': 'off', 'unicorn/no-process-exit': 'off' },
  })
  .append({
    // Uses dependencies of Community Solid Server directly.
    files: [ 'scripts/faults/**' ],
    rules: { 'import/no-extraneous-dependencies': 'off' },
  })
  .append({
    // JavaScript with types in JSDoc, checked by TypeScript: without this block, --fix deletes the types.
    files: [ 'demo/**/*.js', 'test/support/*.js' ],
    rules: {
      'jsdoc/check-param-names': [ 'error', { checkDestructured: false }],
      'jsdoc/no-defaults': 'off',
      'jsdoc/no-types': 'off',
      'jsdoc/require-property-description': 'off',
      'jsdoc/require-returns-description': 'off',
      'unicorn/filename-case': 'off',
    },
  })
  .append({
    // Runs in browsers. Its pages are entries of a table; some return nothing.
    files: [ 'templates/pages/**/*.js' ],
    languageOptions: { globals: Object.fromEntries([
      'document',
      'location',
      'fetch',
      'confirm',
      'history',
      'FormData',
      'URL',
      'URLSearchParams',
    ].map(name => [ name, 'readonly' ])) },
  })
  .append({
    // Bundled for browsers.
    files: [ 'demo/apps/**/*.mjs' ],
    languageOptions: { globals: Object.fromEntries([ 'document', 'location', 'navigator', 'window', 'FormData', 'URL' ]
      .map(name => [ name, 'readonly' ])) },
  })
  .append({
    files: [ 'templates/docs/*.js' ],
    languageOptions: { globals: Object.fromEntries([ 'document', 'fetch', 'matchMedia', 'SwaggerUIBundle' ]
      .map(name => [ name, 'readonly' ])) },
  })
  .override('opinionated/test', { settings: { jest: { version: 30 }}});
