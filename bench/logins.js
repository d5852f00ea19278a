'use strict';

// Node bench/logins.js [--rounds 5] [--each 40] [--json file]
// Measures a log-in with a national identity of a citizen on record, and the stock server's log-in with a password:
// docs/performance.md

const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { createAccount } = require('../demo/lib/accounts');
const { freePort } = require('../demo/lib/freePort');
const { startProcess } = require('../demo/lib/startProcess');
const { cpuMs } = require('./lib/processes');
const { startService, startStock } = require('./lib/servers');
const { median } = require('./lib/summary');
const { fictitiousNumber, makeWorld } = require('./lib/world');

const { values: flags } = parseArgs({ options: {
  rounds: { type: 'string', default: '5' },
  each: { type: 'string', default: '40' },
  json: { type: 'string' },
}});
const password = { email: 'somebody@example.org', password: 'a long password' };
const provider = {
  id: 'bench',
  name: { nl: 'Bench', fr: 'Bench', de: 'Bench', en: 'Bench' },
  clientId: 'data-sharing',
  clientAuthentication: { method: 'private_key_jwt' },
  scopes: [ 'openid' ],
  nationalNumber: { from: 'id_token', claim: 'nrn' },
};

/** A client with one cookie jar for each origin. */
class Browser {
  #jars = new Map();

  /** Sends a request; returns the response and its JSON, if any. */
  async ask(url, body) {
    const { origin } = new URL(url);
    const jar = this.#jars.get(origin) ?? new Map();
    this.#jars.set(origin, jar);
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        cookie: [ ...jar ].map(pair => pair.join('=')).join('; '),
        'x-person': 'somebody',
        ...body && { 'content-type': 'application/json' },
      },
      body: body && JSON.stringify(body),
    });
    for (const line of response.headers.getSetCookie()) {
      const [ , name, value ] = /^([^=]+)=([^;]*)/u.exec(line);
      jar.set(name, value);
    }
    const text = await response.text();
    if (response.status >= 400) {
      throw new Error(`${url}: ${response.status} ${text}`);
    }
    return { location: response.headers.get('location'), json: text.startsWith('{') ? JSON.parse(text) : {}};
  }
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  const world = makeWorld({ consumers: 2, citizens: 2 });
  const started = [];
  try {
    const stock = await startStock(world, join(folder, 'stock'), 0);
    started.push(stock);
    await createAccount(stock.base, password);
    const port = await freePort();
    const base = `http://localhost:${port}/`;
    const issuer = await startProvider(folder, base, started);
    const nationalLogin = join(folder, 'national-login.json');
    writeFileSync(nationalLogin, JSON.stringify([{ ...provider, issuer }]));
    const service = await startService(world, join(folder, 'service'), 0, { port, prepared: false, flags: { nationalLogin }});
    started.push(service);
    const first = await logInThere(base);
    await first.browser.ask(`${base}.account/login/welcome/`, { ticket: first.json.ticket, answer: 'yes' });
    report(await runRounds([
      { name: 'stock, password', pid: stock.pid, logIn: async() => logInHere(stock.base) },
      { name: 'service, national identity', pid: service.pid, logIn: async() => logInThere(base) },
    ]));
  } finally {
    await Promise.allSettled(started.map(server => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startProvider(folder, base, started) {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const file = join(folder, 'providers.json');
  const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [ 'sign', 'verify' ]);
  const jwk = await crypto.subtle.exportKey('jwk', privateKey);
  writeFileSync(file, JSON.stringify([{
    port,
    people: { somebody: { nrn: fictitiousNumber(1) }},
    configuration: {
      jwks: { keys: [{ kty: jwk.kty, crv: jwk.crv, d: jwk.d, x: jwk.x, y: jwk.y, alg: 'ES256', use: 'sig', kid: 'one' }]},
      claims: { openid: [ 'sub', 'nrn' ]},
      conformIdTokenClaims: false,
      clients: [{
        client_id: provider.clientId,
        redirect_uris: [ `${base}.account/login/national/${provider.id}/` ],
        token_endpoint_auth_method: 'private_key_jwt',
        id_token_signed_response_alg: 'ES256',
        jwks_uri: `${base}.oidc/jwks`,
      }],
    },
  }]));
  started.push(await startProcess({
    args: [ join(__dirname, '../test/support/stock-providers.js'), file ],
    logFile: join(folder, 'providers.log'),
    readyUrl: `${issuer}/.well-known/openid-configuration`,
  }));
  return issuer;
}

async function logInHere(base) {
  await new Browser().ask(`${base}.account/login/password/`, password);
}

/** Logs in, from the choice of the provider to the session of the service. */
async function logInThere(base) {
  const browser = new Browser();
  let { json: { location }} = await browser.ask(`${base}.account/login/national/`, { provider: provider.id });
  while (!location.startsWith(base)) {
    const answered = await browser.ask(location);
    location = new URL(answered.location, location).href;
  }
  const { origin, pathname, search } = new URL(location);
  const { json } = await browser.ask(origin + pathname, { answer: search.slice(1) });
  return { browser, json };
}

/** Runs both in each round, in alternating order. The first round is a warm-up. */
async function runRounds(servers) {
  const measured = [];
  for (let round = -1; round < Number(flags.rounds); round += 1) {
    const results = {};
    for (const { logIn, name, pid } of round % 2 === 0 ? servers : servers.toReversed()) {
      const count = Number(flags.each);
      const before = cpuMs(pid);
      const startedAt = performance.now();
      for (let index = 0; index < count; index += 1) {
        await logIn();
      }
      results[name] = { cpu: (cpuMs(pid) - before) / count, ms: (performance.now() - startedAt) / count };
    }
    if (round >= 0) {
      measured.push(results);
      console.error(`round ${round + 1}: ${Object.entries(results)
        .map(([ name, { cpu, ms }]) => `${name}: ${cpu.toFixed(1)} ms CPU, ${ms.toFixed(1)} ms`).join('; ')}`);
    }
  }
  return measured;
}

function report(measured) {
  const names = Object.keys(measured[0]).toSorted((one, other) => Number(other.startsWith('stock')) - Number(one.startsWith('stock')));
  const summary = names.map(name => ({
    name,
    cpu: median(measured.map(round => round[name].cpu)),
    ms: median(measured.map(round => round[name].ms)),
    cpuOfStock: median(measured.map(round => round[name].cpu / round[names[0]].cpu)),
  }));
  console.log('| log-in | CPU ms | ms | CPU of stock |\n|---|---|---|---|');
  for (const { name, cpu, ms, cpuOfStock } of summary) {
    console.log(`| ${name} | ${cpu.toFixed(1)} | ${ms.toFixed(1)} | ${cpuOfStock.toFixed(3)} |`);
  }
  if (flags.json) {
    writeFileSync(flags.json, `${JSON.stringify({ at: new Date().toISOString(), summary, measured }, null, 2)}\n`);
  }
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
