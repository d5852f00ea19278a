'use strict';

/**
 * Starts the example national identity issuer on its own:
 *
 *     node demo/national-issuer/main.js --port 3001 --service http://localhost:3000/ --jwks jwks.json
 *
 * Or signs a deprecated JWS citizen token with the same keys and prints it:
 *
 *     node demo/national-issuer/main.js --port 3001 --jwks jwks.json --citizenToken emma
 */

const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { signCitizenToken } = require('./citizenToken');
const { readDirectory } = require('./directory');
const { generateJwks, readOrCreateJwks } = require('./keys');
const { startNationalIssuer } = require('./startNationalIssuer');

const { values: settings } = parseArgs({ options: {
  port: { type: 'string', default: process.env.NATIONAL_ISSUER_PORT ?? '3001' },
  service: { type: 'string', default: process.env.NATIONAL_ISSUER_SERVICE },
  jwks: { type: 'string', default: process.env.NATIONAL_ISSUER_JWKS },
  citizens: { type: 'string', default: join(__dirname, '../citizens.json') },
  clients: { type: 'string', default: join(__dirname, '../clients.json') },
  accessTokenSeconds: { type: 'string', default: '3600' },
  citizenToken: { type: 'string' },
}});

async function main() {
  const port = Number(settings.port);
  const directory = readDirectory(settings.citizens, settings.clients);
  const jwks = settings.jwks ? await readOrCreateJwks(settings.jwks) : await generateJwks();
  if (settings.citizenToken) {
    process.stdout.write(`${await citizenToken(directory, jwks, port, settings.citizenToken)}\n`);
    return;
  }
  const { issuer, close } = await startNationalIssuer({
    port,
    directory,
    jwks,
    service: settings.service,
    accessTokenSeconds: Number(settings.accessTokenSeconds),
  });
  process.stdout.write(`Example national identity issuer at ${issuer}\n`);
  for (const signal of /** @type {const} */ ([ 'SIGINT', 'SIGTERM' ])) {
    process.once(signal, () => {
      close().catch(fail);
    });
  }
}

/**
 * @param {import('./directory').Directory} directory
 * @param {import('./keys').PrivateJwks} jwks
 * @param {number} port
 * @param {string} id - Of the citizen.
 */
async function citizenToken(directory, jwks, port, id) {
  const citizen = directory.findCitizen(id);
  if (!citizen) {
    throw new Error(`There is no citizen ${id}`);
  }
  const issuer = `http://localhost:${port}/`;
  const [{ clientId }] = directory.clients;
  return signCitizenToken({ jwks, issuer, nationalNumber: citizen.nationalNumber, clientId, lifetimeSeconds: 3600 });
}

/**
 * @param {Error} error
 */
function fail(error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

main().catch(fail);
