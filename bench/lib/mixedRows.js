'use strict';

// Mixed load on two nodes that share PostgreSQL and Redis: first the maximum rate, then half of it for a given time.
// After a third of that time one node is killed, after two thirds the other one is stopped; both start again.

const { fork } = require('node:child_process');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { Databases } = require('./databases');
const { startNodes } = require('./servers');
const { median } = require('./summary');
const { makeWorld } = require('./world');

const connections = 32;
/** Maximum share of the nodes' capacity to ask for: with more, the queue grows. */
const mostShare = 0.8;
/** Time for which a node is down. */
const awaySeconds = 5;
/** Number of log lines shown of each node. */
const loggedLines = 10;
/** No rate limits, because all requests come from one address. */
const noLimit = '100000000';
const world = { consumers: 200, citizens: 400, sharing: { sharers: 400, contracts: 1000, dataUsers: 200 }};

/**
 * @param folder - Folder for the data of the servers.
 * @param options
 * @param options.urls - Of PostgreSQL and Redis.
 * @param options.minutes - Duration of the open loop.
 * @param options.rate - Requests a second in the open loop; by default half of what a closed loop reaches.
 * @param options.nodeFlags - Flags of Node.js for the nodes.
 *
 * @returns Rate, intervals, events, failed expectations, and the last sixth compared with the second one.
 */
async function measureMixed(folder, { urls, minutes, rate: given, nodeFlags }) {
  const made = makeWorld(world);
  const flags = { drainSeconds: '3', rateLimitPerAddress: noLimit, rateLimitPerCaller: noLimit };
  const nodes = await startNodes(made, folder, { count: 2, databases: urls, flags, nodeFlags });
  const generator = new Generator();
  const databases = await Databases.connect(urls);
  try {
    const { base, issuerKey, ports } = nodes;
    await generator.ask('setup', { world: made, base, issuerKey, ports });
    await generator.ask('prepare');
    const capacity = await measureCapacity(generator);
    const rate = given ?? capacity.perSecond / 2;
    if (rate > capacity.perSecond * mostShare) {
      throw new Error(`${rate} a second is too much: the nodes take ${capacity.perSecond.toFixed(0)} at the moment`);
    }
    console.log(`mixed load: ${capacity.perSecond.toFixed(0)} a second in a closed loop, ${rate.toFixed(0)} for ${minutes} minutes`);
    const run = await new MixedRun({ nodes, generator, databases, rate, seconds: minutes * 60 }).measure();
    console.log('check: reads of all that was acknowledged');
    const check = await generator.ask('check', { connections });
    const found = sumOf(Object.values(check.errors));
    console.log(`shares ${check.shares}, revocations ${check.revocations}, not as acknowledged ${found} ${JSON.stringify(check.errors)}`);
    const logs = nodes.logs().map(log => log.trim().split('\n').filter(line => line !== ''));
    for (const [ index, lines ] of logs.entries()) {
      console.log([ `node ${index} printed ${lines.length} lines`, ...lines.slice(-loggedLines) ].join('\n  '));
    }
    return { capacity, rate, minutes, ...run, check: { ...check, found }, logs: logs.map(lines => lines.slice(0, 1000)) };
  } finally {
    generator.stop();
    await databases.stop();
    await nodes.stop();
  }
}

/** Runs a closed loop, after another one as a warm-up. */
async function measureCapacity(generator) {
  await generator.ask('closed', { connections, seconds: 10 });
  const measured = await generator.ask('closed', { connections, seconds: 30 });
  if (Object.keys(measured.errors).length > 0) {
    console.log(`errors in the closed loop: ${JSON.stringify(measured.errors)}`);
  }
  const { perSecond, errors, cuts } = measured;
  return { perSecond, errors, cuts };
}

/** Runs the open loop, with the events of the nodes and the measurements during it. */
class MixedRun {
  constructor({ nodes, generator, databases, rate, seconds }) {
    Object.assign(this, { nodes, generator, databases, rate, seconds });
    this.intervalSeconds = Math.min(60, seconds / 12);
    this.intervals = [];
    this.events = [];
  }

  async measure() {
    printLine([ 's', 'requests', 'p50 ms', 'p99', 'reads p50', 'p99', 'cut', 'errors', 'node 0 MB', 'CPU %', 'node 1 MB', 'CPU %', 'database CPU %', 'Redis', 'generator' ]);
    this.started = performance.now();
    this.before = await this.read();
    const load = this.generator.ask('open', { rate: this.rate, seconds: this.seconds });
    await Promise.all([ load, this.disturb(), this.watch() ]);
    return { events: this.events, intervals: this.intervals.map(({ latencies, readLatencies, ...interval }) => interval), ...this.verdict() };
  }

  at(share) {
    return delay(Math.max(0, (this.seconds * 1000 * share) - (performance.now() - this.started)));
  }

  async disturb() {
    await this.at(1 / 3);
    this.note('node 0 is killed');
    await this.nodes.kill(0);
    await this.startAgain(0);
    await this.at(2 / 3);
    this.note('node 1 is told to stop');
    await this.nodes.end(1);
    this.note('node 1 has ended');
    await this.startAgain(1);
  }

  async startAgain(index) {
    await delay(awaySeconds * 1000);
    await this.nodes.start(index);
    this.note(`node ${index} is ready again`);
  }

  note(what) {
    const second = Math.round((performance.now() - this.started) / 1000);
    this.events.push({ second, what });
    console.log(`${second} s: ${what}`);
  }

  async watch() {
    const count = Math.round(this.seconds / this.intervalSeconds);
    for (let index = 1; index <= count; index += 1) {
      await this.at(index / count);
      const report = await this.generator.ask('report');
      const now = await this.read();
      const interval = this.describe(report, now);
      this.before = now;
      this.intervals.push(interval);
      this.print(interval);
    }
  }

  async read() {
    const { databaseCpu, redisCpu } = await this.databases.read();
    return { at: performance.now(), nodes: this.nodes.read(), databaseCpu, redisCpu };
  }

  describe({ latencies, reads, errors, cuts, clientCpu, inFlight }, now) {
    const { before } = this;
    const ms = now.at - before.at;
    return {
      second: Math.round((now.at - this.started) / 1000),
      requests: latencies.length,
      ...percentiles(latencies),
      reads: { ...percentiles(reads) },
      latencies,
      readLatencies: reads,
      cuts,
      errors,
      inFlight,
      nodes: now.nodes.map((node, index) => node && {
        rss: node.rss,
        pss: node.pss,
        // For a node that was started again, since that start.
        cpuShare: (node.cpu - (before.nodes[index]?.pid === node.pid ? before.nodes[index].cpu : 0)) / ms,
      }),
      databaseCpuShare: (now.databaseCpu - before.databaseCpu) / ms,
      redisCpuShare: (now.redisCpu - before.redisCpu) / ms,
      clientCpuShare: clientCpu / ms,
    };
  }

  print({ second, requests, p50, p99, reads, cuts, errors, nodes, databaseCpuShare, redisCpuShare, clientCpuShare }) {
    printLine([
      second,
      requests,
      p50.toFixed(1),
      p99.toFixed(0),
      reads.p50.toFixed(1),
      reads.p99.toFixed(0),
      sumOf(Object.values(cuts)),
      sumOf(Object.values(errors)),
      ...nodes.flatMap(node => node ? [ `${node.pss.toFixed(0)}/${node.rss.toFixed(0)}`, (node.cpuShare * 100).toFixed(0) ] : [ '-', '-' ]),
      ...[ databaseCpuShare, redisCpuShare, clientCpuShare ].map(share => (share * 100).toFixed(0)),
    ]);
    for (const [ name, count ] of Object.entries(errors)) {
      console.log(`  ${count} × ${name}`);
    }
  }

  verdict() {
    const second = this.sixth(1);
    const last = this.sixth(5);
    const [ errors, cuts ] = [ 'errors', 'cuts' ].map(figure =>
      sumOf(this.intervals.flatMap(interval => Object.values(interval[figure]))));
    return {
      errors,
      cuts,
      p50Growth: last.p50 / second.p50,
      p99Growth: last.p99 / second.p99,
      readsP50Growth: last.reads.p50 / second.reads.p50,
      readsP99Growth: last.reads.p99 / second.reads.p99,
      memoryGrowth: last.pss / second.pss,
      second,
      last,
    };
  }

  /** Computes the latencies of all requests in a sixth of the time, and the median memory of both nodes together. */
  sixth(index) {
    const length = this.intervals.length / 6;
    const intervals = this.intervals.slice(Math.round(index * length), Math.round((index + 1) * length));
    const memory = intervals.filter(({ nodes }) => nodes.every(Boolean)).map(({ nodes }) => sumOf(nodes.map(({ pss }) => pss)));
    return {
      ...percentiles(joined(intervals.map(({ latencies }) => latencies))),
      reads: { ...percentiles(joined(intervals.map(({ readLatencies }) => readLatencies))) },
      pss: median(memory),
    };
  }
}

function percentiles(latencies) {
  const sorted = latencies.toSorted();
  return Object.fromEntries(Object.entries({ p50: 0.5, p99: 0.99 }).map(([ name, share ]) =>
    [ name, sorted[Math.floor(sorted.length * share)] ?? Number.NaN ]));
}

function joined(arrays) {
  return Float64Array.from(arrays.flatMap(array => [ ...array ]));
}

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

function printLine(cells) {
  console.log(cells.map(cell => String(cell).padStart(10)).join(''));
}

/** A handle of the load generator's process. */
class Generator {
  constructor() {
    this.child = fork(join(__dirname, 'mixedClient.js'), { serialization: 'advanced' });
    this.waiting = new Map();
    this.next = 0;
    this.child.on('message', ({ id, result, failure }) => {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      failure === undefined ? resolve(result) : reject(new Error(failure));
    });
    this.child.on('exit', () => {
      for (const { reject } of this.waiting.values()) {
        reject(new Error('The load generator ended'));
      }
    });
  }

  ask(step, options = {}) {
    this.next += 1;
    const id = this.next;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.send({ id, step, ...options });
    });
  }

  stop() {
    this.child.kill();
  }
}

module.exports = { measureMixed };
