// Copies the files of Swagger UI that the page of /v1/docs needs, with their licences, to where they are served from.
// This avoids a dependency on `swagger-ui-dist`, whose install script reports installs.
const { copyFileSync, mkdirSync } = require('node:fs');
const { dirname, join } = require('node:path');

const source = dirname(require.resolve('swagger-ui-dist/package.json'));
const target = join(__dirname, '../dist/swagger-ui');

mkdirSync(target, { recursive: true });
for (const file of [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'LICENSE',
  'NOTICE',
]) {
  copyFileSync(join(source, file), join(target, file));
}
