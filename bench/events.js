'use strict';

// Node bench/events.js [--rows 100,100000] [--endpoints 100] [--events 100] [--rounds 5] [--json file]
// Measures pushes of one node to many https endpoints in a separate process, and pages of activity of a citizen with
// few and with many rows: medians of rounds, on an SQLite file in a temporary folder. CPU is that of this process.

const { execFileSync, fork } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const { once } = require('node:events');
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:https');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const tls = require('node:tls');
const { parseArgs } = require('node:util');
const { EventPusher, pushBounds } = require('../dist/events/EventPusher');
const { Webhooks } = require('../dist/events/Webhooks');
const { Duty } = require('../dist/platform/Duty');
const { createGuardedFetch } = require('../dist/platform/guardedFetch');
const { EventKeys } = require('../dist/storage/keys/EventKeys');
const { openRecords } = require('../dist/storage/openRecords');
const { cpuOf } = require('./lib/alternate');
const { median } = require('./lib/summary');

const { values: flags } = parseArgs({ options: {
  rows: { type: 'string', default: '100,100000' },
  endpoints: { type: 'string', default: '100' },
  events: { type: 'string', default: '100' },
  rounds: { type: 'string', default: '5' },
  json: { type: 'string' },
  receive: { type: 'string' },
}});
const base = 'http://localhost:3000/';
/** The interval at which the service looks for events to push. */
const lookMs = 250;
/** Rows written in one transaction. */
const writtenAtOnce = 1000;
const pages = 100;
const rounds = Number(flags.rounds);

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  const opened = await openRecords({
    records: join(folder, 'records.sqlite'),
    keys: join(folder, 'keys'),
    clock: now,
    newId: randomUUID,
    logger: { error: console.error, warn: console.error, info() {}, debug() {} },
  });
  try {
    const result = { pushes: await measurePushes(opened, folder), activity: await measureActivity(opened) };
    print(result);
    if (flags.json) {
      writeFileSync(flags.json, `${JSON.stringify(result, null, 2)}\n`);
    }
  } finally {
    await opened.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Raises events for as many data users as there are endpoints, and waits until all have been pushed. */
async function measurePushes({ records, serverSecrets }, folder) {
  certify(folder);
  const receiver = fork(__filename, [ '--receive', folder ]);
  try {
    return await pushTo(receiver, { records, serverSecrets });
  } finally {
    receiver.kill();
  }
}

/** Writes a certificate for all endpoints, which this process trusts. */
function certify(folder) {
  const names = Array.from({ length: Number(flags.endpoints) }, (_, index) => `DNS:${hostOf(index)}`);
  execFileSync('openssl', [
    ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=endpoints -keyout key.pem -out cert.pem'
      .split(' '),
    '-addext',
    `subjectAltName=${names.join(',')}`,
  ], { cwd: folder, stdio: 'ignore' });
  const ca = readFileSync(join(folder, 'cert.pem'));
  const { connect } = tls;
  tls.connect = options => connect({ ...options, ca });
}

function hostOf(index) {
  return `user${index}.example`;
}

async function pushTo(receiver, { records, serverSecrets }) {
  const endpoints = Number(flags.endpoints);
  const each = Number(flags.events);
  const [ port ] = await once(receiver, 'message');
  const dataUsers = Array.from({ length: endpoints }, (_, index) => `https://user${index}.example/#us`);
  for (const [ index, dataUser ] of dataUsers.entries()) {
    await records.subscriptions.insert({
      id: randomUUID(),
      dataUser,
      endpoint: `https://${hostOf(index)}:${port}/events`,
      createdAt: now(),
      status: 'ACTIVE',
      position: 0,
      attempts: 0,
      revision: 0,
    });
  }
  // As in the service, but with more time, because the machine may be busy.
  const bounds = { maxBodyBytes: 64 * 1024, timeoutMs: 60_000, ...pushBounds };
  const pusher = new EventPusher({
    events: records.events,
    subscriptions: records.subscriptions,
    duty: new Duty({ name: 'event-pushes', holder: 'bench', duties: records.duties, now, ms: 20_000 }),
    webhooks: new Webhooks({
      fetch: createGuardedFetch({ allowLoopback: true, resolve: async() => [{ address: '127.0.0.1', family: 4 }], ...bounds }),
      keys: new EventKeys(serverSecrets),
      source: `${base}v1/events`,
      now,
    }),
    logger: { error: console.error },
    now,
  });
  const measured = [];
  let last = 0;
  async function measure(count) {
    await records.events.raise(dataUsers.flatMap(dataUser => Array.from({ length: count }, () => eventOf(dataUser))));
    last += count;
    const [ startedAt, cpu ] = [ performance.now(), process.cpuUsage() ];
    await pushAll(pusher, records.subscriptions, last);
    const { user, system } = process.cpuUsage(cpu);
    return { seconds: (performance.now() - startedAt) / 1000, cpuMs: (user + system) / 1000 };
  }
  await measure(each);
  for (let round = 0; round < rounds; round += 1) {
    measured.push({ many: await measure(each), one: await measure(1) });
  }
  const events = each * endpoints;
  return {
    endpoints,
    events,
    perSecond: median(measured.map(({ many }) => events / many.seconds)),
    cpuMs: median(measured.map(({ many }) => many.cpuMs / events)),
    // Adds one interval: the event may just have missed a poll.
    lagSeconds: median(measured.map(({ one }) => one.seconds + (lookMs / 1000))),
  };
}

/** Pushes as the service does, until every subscription is at its last event. */
async function pushAll(pusher, subscriptions, last) {
  for (;;) {
    await pusher.run();
    await Promise.race([ pusher.settle(), delay(lookMs) ]);
    const all = await subscriptions.list();
    if (all.every(({ position }) => position === last)) {
      return;
    }
    if (all.some(({ attempts }) => attempts > 0)) {
      throw new Error(`A push failed: ${all.find(({ attempts }) => attempts > 0).lastFailure}`);
    }
  }
}

function eventOf(dataUser) {
  const data = { accessGrant: `${base}.access/vc/${randomUUID()}`, resources: [ `${base}${randomUUID()}` ]};
  return { dataUser, type: 'AccessGranted', at: now(), data };
}

/** Measures the pages of a citizen with this many rows: the first, and one from the middle. */
async function measureActivity({ records }) {
  const results = [];
  for (const rows of flags.rows.split(',').map(Number)) {
    const citizenId = randomUUID();
    await writeActivity(records, citizenId, rows);
    const after = await cursorInMiddle(records.activity, citizenId, rows);
    results.push({ rows, citizenId, after });
  }
  const measured = results.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [ index, { after, citizenId }] of results.entries()) {
      const first = await cpuOf(async() => records.activity.list(citizenId, { limit: 50 }), pages);
      const middle = await cpuOf(async() => records.activity.list(citizenId, { limit: 50, after }), pages);
      if (round >= 0) {
        measured[index].push({ first, middle });
      }
    }
  }
  return results.map(({ rows }, index) => ({
    rows,
    first: median(measured[index].map(({ first }) => first)),
    middle: median(measured[index].map(({ middle }) => middle)),
  }));
}

/** Writes one read for each row, each of a different resource, so that none are counted together. */
async function writeActivity(records, citizenId, rows) {
  for (let written = 0; written < rows; written += writtenAtOnce) {
    await records.transaction(async({ audit }) => {
      for (let index = written; index < Math.min(rows, written + writtenAtOnce); index += 1) {
        await audit.append({
          type: 'data.shared',
          at: now(),
          citizenId,
          facts: { contract: `c${index}` },
          personal: { owner: `${base}${citizenId}/#me`, dataUser: 'https://user.example/#us', resource: `${base}${index}` },
        });
      }
    });
  }
}

async function cursorInMiddle(activity, citizenId, rows) {
  let after;
  for (let seen = 0; seen < rows / 2; seen += 50) {
    ({ next: after } = await activity.list(citizenId, { limit: 50, after }));
  }
  return after;
}

function print({ activity, pushes }) {
  console.log(`pushes to ${pushes.endpoints} endpoints: ${pushes.perSecond.toFixed(0)} events/s, ` +
    `${pushes.cpuMs.toFixed(3)} ms of CPU each; one to each of them within ${pushes.lagSeconds.toFixed(2)} s`);
  for (const { first, middle, rows } of activity) {
    console.log(`activity of ${rows.toLocaleString('en')} rows: first page ${first.toFixed(3)} ms of CPU, ` +
      `one from the middle ${middle.toFixed(3)}`);
  }
}

function now() {
  return new Date();
}

/** The endpoints, which respond at once. */
function receive(folder) {
  const [ key, cert ] = [ 'key.pem', 'cert.pem' ].map(name => readFileSync(join(folder, name)));
  const server = createServer({ key, cert }, (request, response) => {
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1', () => process.send(server.address().port));
}

if (flags.receive) {
  receive(flags.receive);
} else {
  main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
}
