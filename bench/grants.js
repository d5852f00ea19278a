'use strict';

// Node bench/grants.js [--rows 1000,1000000]
// How long a page of grants and a decision on access take with few and with many grants stored: medians in
// milliseconds, on an SQLite file in a temporary folder. One data user holds all of the grants, which is the worst case.

const { randomUUID } = require('node:crypto');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { performance } = require('node:perf_hooks');
const { parseArgs } = require('node:util');
const BetterSqlite3 = require('better-sqlite3');
const { AccessDecision } = require('../dist/grants/AccessDecision');
const { openRecords } = require('../dist/storage/openRecords');

const { values: flags } = parseArgs({ options: { rows: { type: 'string', default: '1000,1000000' }}});
const base = 'http://localhost:3000/';
const bank = 'https://bank.example/profile#org';
const purposes = [ 'https://purposes.example/loan', 'https://purposes.example/check' ];
const rounds = 200;
const day = 24 * 60 * 60 * 1000;
const now = new Date('2026-11-21T12:00:00Z');

async function main() {
  const results = [];
  for (const rows of flags.rows.split(',').map(Number)) {
    const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
    try {
      results.push({ rows, medians: await measureWith(rows, folder) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  print(results);
}

async function measureWith(rows, folder) {
  const file = join(folder, 'records.sqlite');
  const options = {
    records: file,
    keys: join(folder, 'keys'),
    clock: () => now,
    newId: randomUUID,
    logger: { error: console.error, warn() {}, info() {}, debug() {} },
  };
  await (await openRecords(options)).close();
  fill(file, rows);
  const { records, close } = await openRecords(options);
  try {
    return await measure(records.grants, rows);
  } finally {
    await close();
  }
}

/** Grants of one citizen each on one resource each, one an hour; a tenth revoked, a fifth at an end. */
function fill(file, rows) {
  const db = new BetterSqlite3(file);
  db.pragma('synchronous = OFF');
  const grant = db.prepare(`insert into access_grants (id, uri, kind, subject, recipient, modes, resources, purposes,
    inherit, status_list_id, status_index, issued_at, expires_at, revoked_at, document, state, created_at)
    values (?, ?, 'grant', ?, ?, '["Read"]', ?, ?, 0, 'list', ?, ?, ?, ?, ?, ?, ?)`);
  const resource = db.prepare(`insert into grant_resources (grant_id, resource, recipient, subject, issued_at)
    values (?, ?, ?, ?, ?)`);
  const purpose = db.prepare(`insert into grant_purposes (grant_id, purpose, recipient, subject, issued_at)
    values (?, ?, ?, ?, ?)`);
  db.transaction(() => {
    for (let index = 0; index < rows; index += 1) {
      const id = randomUUID();
      const uri = `${base}.access/vc/${id}`;
      const at = now.getTime() - (index * 3600);
      const state = index % 10 === 3 ? 'revoked' : 'open';
      const end = index % 5 === 1 ? at : at + (3650 * day);
      const resources = JSON.stringify([ resourceOf(index) ]);
      const document = JSON.stringify({ id: uri, credentialSubject: { id: citizenOf(index) }});
      grant.run(id, uri, citizenOf(index), bank, resources, JSON.stringify([ purposes[index % 2] ]), index, at, end, state === 'revoked' ? at + 1000 : null, document, state, at);
      resource.run(id, resourceOf(index), bank, citizenOf(index), at);
      purpose.run(id, purposes[index % 2], bank, citizenOf(index), at);
    }
  })();
  db.close();
}

function citizenOf(index) {
  return `${base}${index}/profile/card#me`;
}

function resourceOf(index) {
  return `${base}${index}/credentials/diploma`;
}

async function measure(grants, rows) {
  const decision = new AccessDecision({ grants, control: { controls: async() => true }, baseUrl: base, now: () => now });
  const middle = Math.floor(rows / 2);
  const page = await pageAfter(grants, middle);
  function list(filter) {
    return () => grants.list({ party: bank, now, ...filter }, { size: 50 });
  }
  return {
    'first page': await median(list({})),
    'page in the middle': await median(() => grants.list({ party: bank, now }, { size: 50, page })),
    'last page': await median(async() => {
      const { last } = await list({})();
      return grants.list({ party: bank, now }, { size: 50, page: last });
    }),
    'active grants': await median(list({ kinds: [ 'grant' ], status: 'Active' })),
    'expired grants': await median(list({ status: 'Expired' })),
    'revoked grants': await median(list({ status: 'Revoked' })),
    'of one citizen': await median(list({ from: citizenOf(middle) })),
    'on one resource': await median(list({ resource: resourceOf(middle) })),
    'for one purpose': await median(list({ purpose: purposes[1] })),
    'nothing found': await median(list({ resource: `${base}none` })),
    'decision: access': await median(() => decision.usable(bank, resourceOf(middle), 'Read')),
    'decision: none': await median(() => decision.usable(bank, `${base}${middle}/other`, 'Read')),
  };
}

/** A page begins after the row of a moment, as the links of a page before would say. */
async function pageAfter(grants, index) {
  const at = now.getTime() - (index * 3600);
  return Buffer.from(JSON.stringify([ 'after', at, '' ])).toString('base64url');
}

async function median(work) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((left, right) => left - right)[rounds / 2];
}

function print(results) {
  const [ first ] = results;
  console.log([ '', ...results.map(({ rows }) => `${rows.toLocaleString('en')} grants`) ].map(cell).join(''));
  for (const name of Object.keys(first.medians)) {
    console.log([ name, ...results.map(({ medians }) => `${medians[name].toFixed(2)} ms`) ].map(cell).join(''));
  }
}

function cell(text) {
  return text.padEnd(22);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
