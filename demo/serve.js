'use strict';

/**
 * Starts the demo and leaves it running, its data in `.data/`:
 *
 *     npm start [-- --port 3000 --nationalPort 3001 --folder .data]
 */

const { once } = require('node:events');
const { join, resolve } = require('node:path');
const { parseArgs } = require('node:util');
const { consumer, startDemo } = require('./lib/startDemo');
const { interruptionSignal, print, run } = require('./lib/terminal');
const { readDirectory } = require('./national-issuer/directory');

const { values: settings } = parseArgs({ options: {
  port: { type: 'string', default: '3000' },
  nationalPort: { type: 'string', default: '3001' },
  folder: { type: 'string', default: join(__dirname, '../.data') },
}});

async function main() {
  const signal = interruptionSignal();
  print('Starting …');
  const demo = await startUnlessInterrupted(signal);
  if (!demo) {
    return;
  }
  print(welcome(demo));
  await Promise.race([ demo.ended, signal.aborted || once(signal, 'abort') ]);
  print('Stopping …');
  await demo.stop();
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
 * @param {import('./lib/startDemo').Demo} demo
 */
function welcome({ base, issuer, consumerWebId }) {
  const { citizens, clients } = readDirectory(join(__dirname, 'citizens.json'), join(__dirname, 'clients.json'));
  const scripts = clients.map(({ citizen, clientId, clientSecret }) =>
    `    ${(citizen ?? 'nobody').padEnd(6)}  ${clientId}  ${clientSecret}`);
  return `
Data-sharing service     ${base}v1/docs
Server's own accounts    ${base}.account/
National issuer          ${issuer}.well-known/openid-configuration

Citizens (fictitious) log in at the national issuer, with no password: ${citizens.map(({ name }) => name).join(', ')}.
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
