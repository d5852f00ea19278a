'use strict';

// The generator of a mixed load on several nodes: a separate process, which signs proofs as it sends them.

const { setTimeout: delay } = require('node:timers/promises');
const { Mix } = require('./Mix');
const { NodePool } = require('./NodePool');
const { hashOf, prepareKey, proof } = require('./tokens');

const tickMs = 2;

class Load {
  constructor({ world, base, issuerKey, ports }) {
    this.mix = new Mix(world, { base, issuerKey });
    this.pool = new NodePool(new URL(base).host, ports);
    this.keys = new Map();
    this.hashes = new Map();
    this.inFlight = new Set();
    this.reset();
    this.pool.watch();
  }

  reset() {
    this.latencies = [];
    this.reads = [];
    this.errors = {};
    this.pool.cuts = {};
    this.cpu = process.cpuUsage();
  }

  /** Returns the results since the previous call. */
  report() {
    const { user, system } = process.cpuUsage(this.cpu);
    const report = {
      latencies: Float64Array.from(this.latencies),
      reads: Float64Array.from(this.reads),
      errors: this.errors,
      cuts: this.pool.cuts,
      clientCpu: (user + system) / 1000,
      inFlight: this.inFlight.size,
    };
    this.reset();
    return report;
  }

  prepare() {
    return this.mix.prepare();
  }

  /** Runs a closed loop: each connection sends its next request as soon as the previous one is answered. */
  async closed({ connections, seconds }) {
    const started = performance.now();
    this.reset();
    await Promise.all(Array.from({ length: connections }, async() => {
      while (performance.now() - started < seconds * 1000) {
        await this.send(this.mix.draw(), performance.now());
      }
    }));
    const { latencies, ...report } = this.report();
    return { ...report, perSecond: latencies.length / ((performance.now() - started) / 1000) };
  }

  /** Runs an open loop: sends at random moments, however long responses take. Latency counts from those moments. */
  async open({ rate, seconds }) {
    this.reset();
    const started = performance.now();
    const end = started + (seconds * 1000);
    let due = started;
    while (due < end) {
      for (; due <= performance.now() && due < end; due -= Math.log(1 - Math.random()) * 1000 / rate) {
        this.begin(this.mix.draw(), due);
      }
      await delay(tickMs);
    }
    await Promise.all(this.inFlight);
  }

  /** Reads everything that was acknowledged. */
  async check({ connections }) {
    const checks = this.mix.checks();
    this.reset();
    await Promise.all(Array.from({ length: connections }, async() => {
      for (const check of checks) {
        await this.send(check, performance.now());
      }
    }));
    const { open, revoked } = this.mix;
    return { shares: open.length, revocations: revoked.length, errors: this.errors, cuts: this.pool.cuts };
  }

  begin(drawn, due) {
    const sending = this.send(drawn, due);
    this.inFlight.add(sending);
    sending.finally(() => this.inFlight.delete(sending));
  }

  async send({ kind, request, problemOf, done, ended }, due) {
    let problem;
    try {
      const answer = await this.pool.ask(() => this.toSend(request));
      const latency = performance.now() - due;
      this.latencies.push(latency);
      if (kind === 'read') {
        this.reads.push(latency);
      }
      problem = problemOf(answer);
      if (problem === undefined) {
        done?.(answer);
      }
    } catch (error) {
      problem = `${error.code ?? ''} ${error.message}`;
    }
    ended?.();
    if (problem !== undefined) {
      const name = `${kind}: ${problem}`;
      this.errors[name] = (this.errors[name] ?? 0) + 1;
    }
  }

  toSend({ method, url, token, key, headers, body }) {
    const { host, pathname, search } = new URL(url);
    return {
      method,
      path: pathname + search,
      body,
      headers: {
        host,
        authorization: `${key ? 'DPoP' : 'Bearer'} ${token}`,
        ...key && { dpop: proof(this.keyOf(key), method, url.split('?')[0], this.hashOf(token)) },
        ...headers,
        ...body !== undefined && { 'content-length': Buffer.byteLength(body) },
      },
    };
  }

  keyOf(jwk) {
    if (!this.keys.has(jwk.x)) {
      this.keys.set(jwk.x, prepareKey(jwk));
    }
    return this.keys.get(jwk.x);
  }

  hashOf(token) {
    if (!this.hashes.has(token)) {
      this.hashes.set(token, hashOf(token));
    }
    return this.hashes.get(token);
  }
}

const steps = {
  prepare: load => load.prepare(),
  closed: (load, options) => load.closed(options),
  open: (load, options) => load.open(options),
  report: load => load.report(),
  check: (load, options) => load.check(options),
};
let load;

async function take({ id, step, ...options }) {
  if (step === 'setup') {
    load = new Load(options);
    return;
  }
  return steps[step](load, options);
}

process.on('message', (message) => {
  take(message).then(
    result => process.send({ id: message.id, result }),
    error => process.send({ id: message.id, failure: error.stack }),
  );
});
process.on('disconnect', () => process.exit());
