'use strict';

// Node bench/grants.js [--rows 1000,1000000] [--json file] [--keep folder]
// Measures a page of grants and a decision on access with few and many grants: CPU in microseconds, medians of
// rounds, on an SQLite file in a temporary folder. One data user holds all of the grants, which is the worst case.
// The same number of other grants is in the way: grants from strangers on a resource that is not theirs, and grants
// that have ended. The control checks of a decision are counted.

const { execFileSync } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const BetterSqlite3 = require('better-sqlite3');
const { AccessDecision } = require('../dist/grants/AccessDecision');
const { openRecords } = require('../dist/storage/openRecords');
const { cpuOf } = require('./lib/alternate');
const { median: middleOf } = require('./lib/summary');

const { values: flags } = parseArgs({ options: {
  rows: { type: 'string', default: '1000,1000000' },
  json: { type: 'string' },
  // Folder in which the records of the last size are kept.
  keep: { type: 'string' },
  // Measures only; another process prints.
  apart: { type: 'boolean', default: false },
}});
const base = 'http://localhost:3000/';
const bank = 'https://bank.example/profile#org';
const shop = 'https://shop.example/profile#org';
const archive = 'https://archive.example/profile#org';
const vault = 'https://vault.example/profile#org';
const contested = `${base}0/notes`;
const purposes = [ 'https://purposes.example/loan', 'https://purposes.example/check' ];
const rounds = 15;
const iterations = 100;
/** Iterations of short operations: enough for the compiler of Node to optimise them. */
const decisions = 1000;
/** Grants that end soon, one a second. Each round has its own grants. */
const endings = 20;
/** Grants that the clock settles at once, as in the service. */
const settledAtOnce = 1000;
const day = 24 * 60 * 60 * 1000;
const now = new Date('2026-11-21T12:00:00Z');

async function main() {
  const sizes = flags.rows.split(',');
  const results = sizes.length === 1 ? [ await measureHere(Number(sizes[0])) ] : sizes.map(measureApart);
  if (!flags.apart) {
    print(results);
  }
  if (flags.json) {
    writeFileSync(flags.json, `${JSON.stringify(results, null, 2)}\n`);
  }
}

/** Measures in a separate process: in one that has measured before, the same work takes up to twice as long. */
function measureApart(rows, index, sizes) {
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  const json = join(folder, 'result.json');
  const kept = flags.keep !== undefined && index === sizes.length - 1 ? [ '--keep', flags.keep ] : [];
  try {
    execFileSync(process.execPath, [ __filename, '--rows', rows, '--json', json, '--apart', ...kept ], { stdio: 'inherit' });
    return JSON.parse(readFileSync(json, 'utf8'))[0];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureHere(rows) {
  const folder = flags.keep ?? mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  mkdirSync(folder, { recursive: true });
  try {
    return { rows, medians: await measureWith(rows, folder) };
  } finally {
    if (flags.keep === undefined) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
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
    return await measure(records, rows);
  } finally {
    await close();
  }
}

function fill(file, rows) {
  const db = new BetterSqlite3(file);
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -2000000');
  const indexes = db.prepare(`select name, sql from sqlite_master where type = 'index' and sql is not null`).all();
  const insert = inserter(db);
  db.transaction(() => {
    // Created again after the inserts, which takes a fraction of the time.
    for (const { name } of indexes) {
      db.exec(`drop index ${name}`);
    }
    for (let index = 0; index < rows; index += 1) {
      const at = now.getTime() - (index * 3600);
      insert(usual(index, at));
      insert({ at, subject: strangerOf(index), recipient: shop, resource: contested, modes: [ 'Write' ], controlled: 0 });
      insert({ at, subject: citizenOf(0), recipient: archive, resource: contested, end: at + 1, state: 'expired' });
    }
    for (let seconds = 1; seconds <= endings * (rounds + 1); seconds += 1) {
      const end = now.getTime() + (seconds * 1000);
      insert({ at: now.getTime() - seconds, subject: citizenOf(seconds), recipient: vault, resource: resourceOf(0), end });
    }
    const first = now.getTime() - (rows * 3600) - day;
    insert({ at: first, subject: citizenOf(0), recipient: shop, resource: contested });
    insert({ at: first, subject: citizenOf(0), recipient: archive, resource: contested });
    for (const { sql } of indexes) {
      db.exec(sql);
    }
  })();
  db.close();
}

/** Makes grants, each of another citizen on another resource, one an hour: a tenth revoked, a fifth expired. */
function usual(index, at) {
  const isEnded = index % 5 === 1;
  const isRevoked = index % 10 === 3;
  return {
    at,
    subject: citizenOf(index),
    recipient: bank,
    resource: resourceOf(index),
    purpose: purposes[index % 2],
    end: isEnded ? at + 1 : undefined,
    revoked: isRevoked ? at + 1000 : null,
    state: stateOf(isRevoked, isEnded),
  };
}

function stateOf(isRevoked, isEnded) {
  if (isRevoked) {
    return 'revoked';
  }
  return isEnded ? 'expired' : 'open';
}

function inserter(db) {
  const grants = db.prepare(`insert into access_grants (id, uri, kind, subject, recipient, modes, resources, purposes,
    inherit, status_list_id, status_index, issued_at, expires_at, revoked_at, document, state, created_at)
    values (?, ?, 'grant', ?, ?, ?, ?, ?, 0, 'list', 1, ?, ?, ?, ?, ?, ?)`);
  const resources = db.prepare(`insert into grant_resources
    (grant_id, resource, recipient, subject, issued_at, kind, state, expires_at, controlled)
    values (?, ?, ?, ?, ?, 'grant', ?, ?, ?)`);
  const byPurpose = db.prepare(`insert into grant_purposes
    (grant_id, purpose, recipient, subject, issued_at, kind, state, expires_at) values (?, ?, ?, ?, ?, 'grant', ?, ?)`);
  return ({
    at,
    subject,
    recipient,
    resource,
    modes = [ 'Read' ],
    purpose = purposes[0],
    end = now.getTime() + (3650 * day),
    revoked = null,
    state = 'open',
    controlled = 1,
  }) => {
    const id = randomUUID();
    const uri = `${base}.access/vc/${id}`;
    const document = JSON.stringify({ id: uri, credentialSubject: { id: subject }});
    const lists = [ modes, [ resource ], [ purpose ]].map(list => JSON.stringify(list));
    grants.run(id, uri, subject, recipient, ...lists, at, end, revoked, document, state, at);
    resources.run(id, resource, recipient, subject, at, state, end, controlled);
    byPurpose.run(id, purpose, recipient, subject, at, state, end);
  };
}

function strangerOf(index) {
  return `https://strangers.example/${index}#me`;
}

function citizenOf(index) {
  return `${base}${index}/profile/card#me`;
}

function resourceOf(index) {
  return `${base}${index}/credentials/diploma`;
}

async function measure({ grants, usableGrants }, rows) {
  const asked = [];
  const control = {
    controls: async(webId) => {
      asked.push(webId);
      return webId.startsWith(base);
    },
  };
  const decision = new AccessDecision({ grants: usableGrants, control, baseUrl: base, now: () => now });
  const middle = Math.floor(rows / 2);
  const page = await pageAfter(grants, middle);
  const active = await grants.list({ party: bank, now, kinds: [ 'grant' ], status: 'Active' }, { size: 50, page });
  const presented = await Promise.all(active.grants.map(({ id }) => grants.findTerms(id)));
  function list(filter) {
    return () => grants.list({ party: bank, now, ...filter }, { size: 50 });
  }
  const medians = {
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
    'decision: presented': await median(async(turn) => {
      const grant = presented[turn % presented.length];
      await decision.check(grant.uri, bank, grant.resources[0], 'Read');
    }, decisions),
    'decision: access': await median(() => decision.usable(bank, resourceOf(middle), 'Read'), decisions),
    'decision: none': await median(() => decision.usable(bank, `${base}${middle}/other`, 'Read'), decisions),
    'active among ended': await median(() => grants.list({ party: archive, status: 'Active', now }, { size: 50 })),
    'the same by purpose': await median(() =>
      grants.list({ party: archive, status: 'Active', purpose: purposes[0], now }, { size: 50 })),
    'decision among ended': await median(() => decision.usable(archive, contested, 'Read')),
    'decision, strangers': await median(() => decision.usable(shop, contested, 'Read')),
    'none has ended': await median(() => grants.settle(now, settledAtOnce)),
    'one has ended': await median(ending(grants), endings),
  };
  asked.splice(0);
  await decision.usable(shop, contested, 'Read');
  const withOwner = asked.splice(0).length;
  await decision.modes(shop, contested);
  console.log(`${rows.toLocaleString('en')} grants of strangers: ${withOwner} control check for a mode that the owner ` +
    `gave, ${asked.length} for all modes`);
  return medians;
}

/** Settles the next grant that ends: files it and raises its event. */
function ending(grants) {
  let seconds = 0;
  return async() => {
    seconds += 1;
    if (await grants.settle(new Date(now.getTime() + (seconds * 1000)), settledAtOnce) !== 1) {
      throw new Error('Expected exactly one grant to have ended');
    }
  };
}

/** Makes the cursor of the page after the row of a moment, as in the link of the previous page. */
async function pageAfter(grants, index) {
  const at = now.getTime() - (index * 3600);
  return Buffer.from(JSON.stringify([ 'after', at, '' ])).toString('base64url');
}

async function median(work, times = iterations) {
  await cpuOf(work, times);
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push(await cpuOf(work, times) * 1000);
  }
  return middleOf(measured);
}

function print(results) {
  const [ first ] = results;
  console.log([ '', ...results.map(({ rows }) => `${rows.toLocaleString('en')} grants`) ].map(cell).join(''));
  for (const name of Object.keys(first.medians)) {
    console.log([ name, ...results.map(({ medians }) => `${medians[name].toFixed(0)} µs`) ].map(cell).join(''));
  }
}

function cell(text) {
  return text.padEnd(22);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
