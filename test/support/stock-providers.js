'use strict';

/**
 * Starts OpenID providers made with a widely used library: `node stock-providers.js FILE`, where the file has an array
 * of {@link StockProvider}. They immediately log in the person in the header `x-person`, with the assurance level in
 * `x-acr`.
 */

const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');

/**
 * @typedef {object} StockProvider
 * @property {number} port
 * @property {Record<string, Record<string, unknown>>} people - Claims of each, by name.
 * @property {import('oidc-provider').Configuration} configuration
 */

/**
 * @param {StockProvider} options
 */
async function start({ port, people, configuration }) {
  const { Provider } = await import('oidc-provider');
  const issuer = `http://localhost:${port}`;
  const provider = new Provider(issuer, {
    ...configuration,
    cookies: { keys: [ 'of a test' ]},
    features: { devInteractions: { enabled: false }, ...configuration.features },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...people[accountId] }) }),
    interactions: { url: (_ctx, { uid }) => `${issuer}/interaction/${uid}` },
  });
  provider.on('server_error', (_ctx, error) => process.stderr.write(`${error.stack}\n`));
  const answerProtocol = provider.callback();
  const server = createServer((request, response) => {
    const isLogin = String(request.url).startsWith('/interaction/');
    (isLogin ? logIn(provider, request, response) : answerProtocol(request, response)).catch((error) => {
      process.stderr.write(`${error.stack}\n`);
      response.destroy();
    });
  });
  return server.listen(port, 'localhost');
}

/**
 * @param {import('oidc-provider').default} provider
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function logIn(provider, request, response) {
  const { params } = await provider.interactionDetails(request, response);
  const accountId = String(request.headers['x-person']);
  const acr = request.headers['x-acr']?.toString();
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  const result = { login: { accountId, acr }, consent: { grantId: await grant.save() }};
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

async function main() {
  const servers = await Promise.all(JSON.parse(readFileSync(process.argv[2], 'utf8')).map(start));
  process.once('SIGTERM', () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });
}

main();
