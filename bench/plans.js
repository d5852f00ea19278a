'use strict';

// Node bench/plans.js [--zones 100000] [--overlays 1000] [--requests 1000,1000000] [--package 100] [--json file]
// Measures plan requests: overlays over many zones of operators, lists of few and of many requests, and the validation
// of a large package, in MiB. Records are an SQLite file in a temporary folder. CPU is that of this process.

const { fork } = require('node:child_process');
const { randomBytes, randomUUID } = require('node:crypto');
const { once } = require('node:events');
const { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { pipeline } = require('node:stream/promises');
const { parseArgs } = require('node:util');
const BetterSqlite3 = require('better-sqlite3');
const { ZipFile } = require('yazl');
const { readNetworkModel } = require('../dist/plan-requests/packages/NetworkModel');
const { validateInThread } = require('../dist/plan-requests/packages/validateInThread');
const { Overlays } = require('../dist/plan-requests/Overlays');
const { openPlanRecords } = require('../dist/plan-requests/storage/openPlanRecords');
const { ZoneIndex } = require('../dist/plan-requests/ZoneIndex');
const { openRecords } = require('../dist/storage/openRecords');
const { planReference, planRequestPlace, sealJson } = require('../dist/storage/keys/planSeals');
const { cpuOf } = require('./lib/alternate');
const { memoryMb } = require('./lib/processes');
const { median } = require('./lib/summary');

const { values: flags } = parseArgs({ options: {
  zones: { type: 'string', default: '100000' },
  overlays: { type: 'string', default: '1000' },
  requests: { type: 'string', default: '1000,1000000' },
  package: { type: 'string', default: '100' },
  json: { type: 'string' },
  validate: { type: 'string' },
}});
/** Corner and sides of the area of the zones, in metres of EPSG:31370: about Belgium. */
const area = { x: 30_000, y: 30_000, width: 240_000, height: 200_000 };
const model = join(__dirname, '../templates/plan-requests/network-model');
const operator = { id: randomUUID(), roles: []};
const rounds = 5;
const lists = 50;
/** Number of requests with encrypted content: no requested page shows more. */
const readable = 200;
const day = 24 * 3600 * 1000;

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  try {
    const result = {
      overlays: await measureOverlays(join(folder, 'overlays')),
      lists: [],
      package: await measurePackage(folder, Number(flags.package)),
    };
    for (const requests of flags.requests.split(',').map(Number)) {
      result.lists.push({ requests, ...await measureLists(join(folder, `lists-${requests}`), requests) });
    }
    print(result);
    if (flags.json) {
      writeFileSync(flags.json, `${JSON.stringify(result, null, 2)}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function open(folder) {
  const records = `${folder}.sqlite`;
  const logger = { error: console.error, warn() {}, info() {}, debug() {} };
  return { file: records, ...await openRecords({ records, keys: `${folder}-keys`, clock: now, newId: randomUUID, logger }) };
}

/** Measures overlays of streets, each a separate request: found in memory, stored in the records. */
async function measureOverlays(folder) {
  const opened = await open(folder);
  const zones = Array.from({ length: Number(flags.zones) }, (_, index) =>
    ({ id: randomUUID(), unaId: `una${index % 100}`, polygons: [ polygon(2000, 24) ]}));
  const unas = Array.from({ length: 100 }, (_, index) => ({ id: `una${index}`, name: `Operator ${index}`, isKlim: false }));
  const index = new ZoneIndex({
    current: async() => 1,
    listAfter: async() => ({ version: 1, unas, unaZones: zones, pdaZones: []}),
  });
  const overlays = new Overlays({ records: openPlanRecords(opened.tables, randomUUID), index, now, newId: randomUUID });
  const measured = [];
  let found = 0;
  const first = await cpuOf(async() => overlays.make({ polygons: polygon(500, 30) }, operator, {}), 1);
  for (let count = 0; count < 100 + Number(flags.overlays); count += 1) {
    const zone = { polygons: polygon(500, 30) };
    const cpu = await cpuOf(async() => {
      const { unas: there } = await overlays.make(zone, operator, {});
      found += there.length;
    }, 1);
    if (count >= 100) {
      measured.push(cpu);
    }
  }
  await opened.close();
  measured.sort((one, other) => one - other);
  return {
    zones: zones.length,
    found: found / (100 + measured.length),
    first,
    p50: measured[Math.floor(measured.length * 0.5)],
    p99: measured[Math.floor(measured.length * 0.99)],
  };
}

/** Makes a star-shaped polygon of about this size at a random place. */
function polygon(size, positions) {
  const [ x, y ] = [ area.x + (Math.random() * area.width), area.y + (Math.random() * area.height) ];
  const ring = Array.from({ length: positions }, (_, index) => {
    const [ angle, radius ] = [ 2 * Math.PI * index / positions, size * (0.25 + (Math.random() / 4)) ];
    return [ x + (radius * Math.cos(angle)), y + (radius * Math.sin(angle)) ];
  });
  return [[[ ...ring, ring[0] ]]];
}

/** Measures the first pages of an operator and of a municipality with this many requests. */
async function measureLists(folder, requests) {
  const opened = await open(folder);
  const organisation = randomUUID();
  const start = fill(opened, organisation, requests);
  const { mapRequests } = openPlanRecords(opened.tables, randomUUID);
  const page = { offset: 0, limit: 50, now: now() };
  const work = {
    filed: async() => mapRequests.listFiled(organisation, page),
    received: async() => mapRequests.listReceived(organisation, page),
    'received, to confirm': async() => mapRequests.listReceived(organisation, { ...page, state: 'ToConfirm' }),
    'received, open': async() => mapRequests.listReceived(organisation, { ...page, closed: false }),
    'received, by reference': async() => mapRequests.listReceived(organisation, { ...page, reference: 'reference 1' }),
    seen: async() => mapRequests.listSeen(organisation, page),
    'seen, of a day': async() => mapRequests.listSeen(organisation, { ...page, to: new Date(start - day) }),
  };
  const measured = {};
  for (const [ name, list ] of Object.entries(work)) {
    const times = [];
    await cpuOf(list, lists);
    for (let round = 0; round < rounds; round += 1) {
      times.push(await cpuOf(list, lists));
    }
    measured[name] = median(times);
  }
  await opened.close();
  return { cpuMs: measured };
}

/**
 * Writes requests of and to one organisation, one a second. The first ten are open, all others are answered. Returns the
 * time of the newest, in ms since 1970: writing takes minutes.
 */
function fill({ file, tables: { vault }}, organisation, requests) {
  const db = new BetterSqlite3(file);
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = OFF');
  const columns = 'organisation_id, received_at, archived_at';
  const request = db.prepare(`insert into plan_requests (${columns}, id, reference, package_by, closed_at, content, srs, given,
    polygons, zones, plans) values (?, ?, ?, ?, ?, ?, ?, ?, 'EPSG:31370', '[]', '[]', 1, 1)`);
  const zone = db.prepare(`insert into plan_request_zones (${columns}, request_id, zone_id, una_id, una_name, state,
    confirm_by, answer_by, closed_at) values (?, ?, ?, ?, 'zone', 'una', 'Una', ?, ?, ?, ?)`);
  const pda = db.prepare(`insert into plan_request_pdas (${columns}, request_id) values (?, ?, ?, ?)`);
  const start = now().getTime();
  const references = Array.from({ length: 1000 }, (_, index) => planReference(vault, `reference ${index}`));
  db.transaction(() => {
    for (let index = 0; index < requests; index += 1) {
      const at = start - (index * 1000);
      const id = randomUUID();
      const closed = index < 10 ? null : at;
      const common = [ organisation, at, start + (365 * day) ];
      const isRead = index < readable || Math.abs((index * 1000) - day) < readable * 1000;
      const content = isRead ? sealJson(vault, planRequestPlace(id), { reference: 'one' }) : 'none';
      request.run(...common, id, references[index < 1000 ? index : 999], at + day, closed, content);
      zone.run(...common, id, closed ? 'Responded' : 'ToConfirm', at + day, at + day, closed);
      pda.run(...common, id);
    }
  })();
  db.close();
  return start;
}

/** Validates a package of this many MiB in a separate process; returns the growth of its memory. */
async function measurePackage(folder, size) {
  const path = join(folder, 'package.zip');
  await writePackage(path, size);
  const validator = fork(__filename, [ '--validate', path ]);
  const [ result ] = await once(validator, 'message');
  return { size: statSync(path).size / (1024 * 1024), ...result };
}

/** Makes a package of eight documents of about 2 MiB, and plans of noise, which does not compress. */
async function writePackage(path, size) {
  const zip = new ZipFile();
  const plan = Buffer.concat([ Buffer.from('%PDF-1.7\n'), randomBytes(size * 1024 * 1024 / 40) ]);
  for (let index = 0; index < 8; index += 1) {
    zip.addBuffer(Buffer.from(documentOf(index)), `network ${index}.xml`);
  }
  for (let index = 0; index < 40; index += 1) {
    zip.addBuffer(plan, `plans/plan ${index}.pdf`);
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

function documentOf(document) {
  const elements = Array.from({ length: 5000 }, (_, index) => {
    const [ x, y ] = [ 104_000 + index, 193_000 + document ];
    return `<UtilityLink id="link${document}-${index}" srsName="EPSG:31370"><posList>${[ 0, 1, 2, 3, 4 ]
      .map(step => `${x + step} ${y}`).join(' ')}</posList></UtilityLink>` +
      `<Pipe id="pipe${document}-${index}"><link href="#link${document}-${index}"/><attachment href="#plan${document}"/></Pipe>`;
  });
  return '<?xml version="1.0" encoding="UTF-8"?>\n<Network xmlns="urn:css-data-sharing:network-model:2.3">' +
    `${elements.join('\n')}<Attachment id="plan${document}" file="plans/plan ${document}.pdf" mediaType="application/pdf"/>` +
    '</Network>\n';
}

/** Validates a package in this process, and sends the cost to the parent. */
async function validate(path) {
  const task = { path, model: await readNetworkModel(model), authorities: [], now: now() };
  const before = memoryMb(process.pid).rss;
  const seen = new Set();
  const cpu = process.cpuUsage();
  const report = await validateInThread(task, ({ progress }) => seen.add(progress));
  const { user, system } = process.cpuUsage(cpu);
  process.send({
    steps: report.steps,
    findings: report.findings.length,
    progress: seen.size,
    cpuSeconds: (user + system) / 1e6,
    memoryMb: peakMb() - before,
  });
}

/** Peak memory of this process. */
function peakMb() {
  return Number(/VmHWM:\s+(\d+)/u.exec(readFileSync('/proc/self/status', 'latin1'))[1]) / 1024;
}

function print({ lists: measured, overlays: { found, first, p50, p99, zones }, package: report }) {
  console.log(`overlays of ${zones.toLocaleString('en')} zones, ${found.toFixed(1)} operators each: CPU p50 ${p50.toFixed(2)} ms, ` +
    `p99 ${p99.toFixed(2)}; the first, which reads them, ${first.toFixed(0)}`);
  console.log(`a package of ${report.size.toFixed(0)} MiB: ${report.memoryMb.toFixed(0)} MiB of memory, ` +
    `${report.cpuSeconds.toFixed(1)} s of CPU, ${report.progress} notes of progress, ${JSON.stringify(report.steps)}`);
  for (const name of Object.keys(measured[0].cpuMs)) {
    console.log(`${name.padEnd(26)}${measured.map(({ cpuMs, requests }) =>
      `${cpuMs[name].toFixed(3)} ms of ${requests.toLocaleString('en')}`.padEnd(28)).join('')}`);
  }
}

function now() {
  return new Date();
}

if (flags.validate) {
  validate(flags.validate).catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
} else {
  main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
}
