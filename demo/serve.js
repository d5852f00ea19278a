'use strict';

/**
 * Starts the demo and leaves it running, its data in `.data/`:
 *
 *     npm start [-- --port 3000 --nationalPort 3001 --citizenPort 3002 --dataUserPort 3003 --sitePort 3004 \
 *       --folder .data]
 */

const { once } = require('node:events');
const { join, resolve } = require('node:path');
const { parseArgs } = require('node:util');
const { startApp } = require('./lib/apps');
const { startDataUserSite } = require('./lib/dataUserSite');
const { consumer, startDemo } = require('./lib/startDemo');
const { interruptionSignal, print, run } = require('./lib/terminal');
const { readDirectory } = require('./national-issuer/directory');

const { values: settings } = parseArgs({ options: {
  port: { type: 'string', default: '3000' },
  nationalPort: { type: 'string', default: '3001' },
  citizenPort: { type: 'string', default: '3002' },
  dataUserPort: { type: 'string', default: '3003' },
  sitePort: { type: 'string', default: '3004' },
  folder: { type: 'string', default: join(__dirname, '../.data') },
}});

async function main() {
  const signal = interruptionSignal();
  print('Starting …');
  const demo = await startUnlessInterrupted(signal);
  if (!demo) {
    return;
  }
  const apps = await startApps(demo).catch(async(error) => {
    await demo.stop();
    throw error;
  });
  print(welcome(demo, apps.map(({ base }) => base)));
  await Promise.race([ demo.ended, signal.aborted || once(signal, 'abort') ]);
  print('Stopping …');
  await Promise.all([ ...apps.map(({ close }) => close()), demo.stop() ]);
  if (!signal.aborted) {
    throw new Error(`A server ended by itself: see the logs in ${settings.folder}`);
  }
}

/**
 * @param {AbortSignal} signal
 */
async function startUnlessInterrupted(signal) {
  try {
    return await startDemo({
      folder: resolve(settings.folder),
      port: Number(settings.port),
      nationalPort: Number(settings.nationalPort),
      signal,
    });
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}

/**
 * Starts the two example apps and the data user's site, each on its own origin, so that none can read the storage of
 * the others in browsers.
 *
 * @param {import('./lib/startDemo').Demo} demo
 */
async function startApps({ base: service, consumerWebId, issuer }) {
  const { citizenPort, dataUserPort, sitePort } = settings;
  const dataUser = { ...consumer, webId: consumerWebId };
  return [
    // Citizens log in at the service, which sends them to the national issuer.
    await startApp({ app: 'citizen', port: Number(citizenPort), service, issuer: service }),
    await startApp({ app: 'data-user', port: Number(dataUserPort), service, issuer }),
    // Its redirect URI is in data/data-users/consumer.ttl, so on another port citizens cannot return to it.
    await startDataUserSite({ port: Number(sitePort), service, dataUser }),
  ];
}

/**
 * @param {import('./lib/startDemo').Demo} demo
 * @param {string[]} apps - Base URLs of the citizen's, the data user's and its site.
 */
function welcome({ base, issuer, consumerWebId }, [ citizenApp, dataUserApp, site ]) {
  const { citizens, clients } = readDirectory(join(__dirname, 'citizens.json'), join(__dirname, 'clients.json'));
  const scripts = clients.map(({ citizen, clientId, clientSecret }) =>
    `    ${(citizen ?? 'nobody').padEnd(6)}  ${clientId}  ${clientSecret}`);
  return `
Data-sharing service     ${base}v1/docs
Server's own accounts    ${base}.account/
National issuer          ${issuer}.well-known/openid-configuration
Example app, citizen's   ${citizenApp}
Example app, data user's ${dataUserApp}
Data user's own site     ${site}

Citizens (fictitious) choose Example ID at the service, and log in at the national issuer with no password: ${citizens.map(({ name }) => name).join(', ')}.
Scripts log in there as a citizen by client credentials:
    as      client id                             client secret
${scripts.join('\n')}

The data user of the example contracts is ${consumerWebId}
    e-mail ${consumer.email}, password "${consumer.password}", at ${base}.account/login/password/

First request, for a token and the WebID of Emma:
    TOKEN=$(curl -s -u ${clients[0].clientId}:${clients[0].clientSecret} \\
      -d grant_type=client_credentials ${issuer}token | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')
    curl -i -X PUT -H "Authorization: Bearer $TOKEN" ${base}v1/webids

Stop with Ctrl+C.
`;
}

run(main);
