// Writes the types of the client and a file of requests for editors from the compiled table of operations, so that they
// always match the interface.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { astToString, default: openapiTS } = require('openapi-typescript');
const { openApi } = require('../dist/api/openApi');
const { operations } = require('../dist/api/routes');
const { schemas } = require('../dist/api/schemas');

const folder = join(__dirname, '../dist/client');
const methods = [ 'get', 'put', 'post', 'delete' ];

/** Requests in the form that editors take (`.http`), those of the interface first. */
function requests({ paths }) {
  const blocks = Object.entries(paths).flatMap(([ path, operationsAt ]) => methods
    .filter(method => operationsAt[method])
    .map(method => request(method, path, operationsAt[method])));
  return [ '@base = http://localhost:3000', '@token = ', '', blocks.join('\n') ].join('\n');
}

function request(method, path, { operationId, parameters, requestBody, security, summary }) {
  const named = parameters.filter(({ name }) => name);
  const query = named.filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name }) => `${name}={{${name}}}`).join('&');
  const headers = named.filter(({ in: place, required }) => place === 'header' && required)
    .map(({ name }) => `${name}: {{${name}}}`);
  const [ type ] = Object.keys(requestBody?.content ?? {});
  return [
    `### ${summary}`,
    `# @name ${operationId}`,
    `${method.toUpperCase()} {{base}}${path.replaceAll('{', '{{').replaceAll('}', '}}')}${query && `?${query}`}`,
    ...security.length > 0 ? [ 'Authorization: Bearer {{token}}' ] : [],
    ...headers,
    ...type ? [ `Content-Type: ${type}`, '', type === 'application/json' ? '{}' : '' ] : [],
    '',
  ].join('\n');
}

async function main() {
  const document = openApi(operations, { baseUrl: 'https://pods.example/', buildId: '0', schemas });
  // The server generates one if it is absent.
  document.components.parameters.correlationId.required = false;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'interface.d.ts'), astToString(await openapiTS(document, { silent: true })));
  writeFileSync(join(folder, 'requests.http'), requests(document));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
