'use strict';

const { existsSync, mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { login } = require('../national-issuer/login');
const { startDataSharing, startNational } = require('./servers');

/** The data user of the example contracts: an ordinary account of the server. */
const consumer = {
  email: 'consumer@example.org',
  password: 'consumer of the demo',
  pods: [{ name: 'consumer' }],
};

/**
 * The example national issuer and the real server, with the account of the example data user.
 *
 * @typedef {object} Demo
 * @property {string} base - Base URL of the server.
 * @property {string} issuer - URL of the national issuer.
 * @property {string} consumerWebId - The data user.
 * @property {Promise<number | string | null>} ended - Settles when one of the two processes ends.
 * @property {() => Promise<void>} stop - Stops both; rejects when one fails to stop cleanly.
 */

/**
 * Starts the demo.
 *
 * @param {object} options
 * @param {string} options.folder - For all that is written; used again at the next start.
 * @param {number} options.port
 * @param {number} options.nationalPort
 * @param {AbortSignal} options.signal - Ends the start.
 *
 * @returns {Promise<Demo>} Once both answer.
 */
async function startDemo({ folder, port, nationalPort, signal }) {
  const isNew = !existsSync(join(folder, 'server/pods'));
  const issuer = `http://localhost:${nationalPort}/`;
  const starts = await Promise.allSettled([
    startDataSharing({
      folder: join(folder, 'server'),
      port,
      nationalIssuers: [ issuer ],
      flags: {
        nationalLogin: describeProvider(folder, issuer),
        sources: join(__dirname, '../data/sources.json'),
        theme: join(__dirname, '../data/theme'),
      },
      seed: isNew ? [ consumer ] : undefined,
      signal,
    }),
    startNational({
      folder: join(folder, 'national-issuer'),
      port: nationalPort,
      service: `http://localhost:${port}/`,
      signal,
    }),
  ]);
  const [ server, national ] = starts;
  if (server.status === 'rejected' || national.status === 'rejected') {
    await Promise.all(starts.map(async start => start.status === 'fulfilled' && start.value.stop()));
    throw new Error('The demo did not start', { cause: starts.flatMap(reasonOf) });
  }
  const { base } = server.value;
  return {
    base,
    issuer: national.value.issuer,
    consumerWebId: `${base}${consumer.pods[0].name}/profile/card#me`,
    ended: Promise.race([ server.value.exited, national.value.exited ]),
    async stop() {
      await Promise.all([ server.value.stop(), national.value.stop() ]);
    },
  };
}

/**
 * Writes the file of providers with which citizens log in at the service.
 *
 * @param {string} folder
 * @param {string} issuer
 *
 * @returns {string} Its path.
 */
function describeProvider(folder, issuer) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'national-login.json');
  writeFileSync(file, `${JSON.stringify([{
    id: login.provider,
    issuer,
    name: { nl: 'Voorbeeld-ID', fr: 'ID d’exemple', de: 'Beispiel-ID', en: 'Example ID' },
    clientId: login.clientId,
    clientAuthentication: { method: 'private_key_jwt' },
    scopes: [ 'openid', login.scope ],
    nationalNumber: { from: 'id_token', claim: 'citizen_national_id' },
    nameClaim: 'name',
  }], null, 2)}\n`);
  return file;
}

/**
 * @param {PromiseSettledResult<unknown>} start
 */
function reasonOf(start) {
  return start.status === 'rejected' ? [ start.reason ] : [];
}

module.exports = { consumer, describeProvider, startDemo };
