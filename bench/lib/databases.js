'use strict';

// Costs of a request beside the CPU of its server: CPU of PostgreSQL and Redis, and the number of their queries.

const { randomUUID } = require('node:crypto');
const { Redis } = require('ioredis');
const { Client } = require('pg');
const { cpuMs, cpuMsOfAll, endedChildrenMs, parentOf } = require('./processes');

/** Reads the CPU time of PostgreSQL and Redis, and how many statements and commands they have run. */
class Databases {
  static async connect({ database, redis }) {
    const client = new Client({ connectionString: database });
    await client.connect();
    await client.query('create extension if not exists pg_stat_statements');
    const { rows: [{ pid }] } = await client.query('select pg_backend_pid() as pid');
    const cache = new Redis(redis);
    const [ , redisPid ] = /process_id:(\d+)/u.exec(await cache.info('server'));
    return new Databases(client, cache, { postmaster: parentOf(pid), redis: Number(redisPid) });
  }

  constructor(client, cache, pids) {
    this.client = client;
    this.cache = cache;
    this.pids = pids;
  }

  /** Sums until now. */
  async read() {
    const { rows } = await this.client.query(
      `select query, calls from pg_stat_statements where query not like '%pg_stat_statements%'`,
    );
    const [ , commands ] = /total_commands_processed:(\d+)/u.exec(await this.cache.info('stats'));
    const statements = new Map();
    for (const { query, calls } of rows) {
      statements.set(query, (statements.get(query) ?? 0) + Number(calls));
    }
    return {
      databaseCpu: cpuMsOfAll(this.pids.postmaster) + endedChildrenMs(this.pids.postmaster),
      redisCpu: cpuMs(this.pids.redis),
      statements,
      commands: Number(commands),
    };
  }

  /** The cost of a request since then, and how often each statement ran for it. */
  async since(before, requests) {
    const now = await this.read();
    const statements = [ ...now.statements ]
      .map(([ text, calls ]) => ({ text, each: (calls - (before.statements.get(text) ?? 0)) / requests }))
      .filter(({ each }) => each > 0)
      .sort((left, right) => right.each - left.each);
    return {
      databaseCpu: (now.databaseCpu - before.databaseCpu) / requests,
      redisCpu: (now.redisCpu - before.redisCpu) / requests,
      statements: statements.reduce((sum, { each }) => sum + each, 0),
      // One is our own.
      commands: (now.commands - before.commands - 1) / requests,
      texts: statements,
    };
  }

  async stop() {
    await this.client.end();
    this.cache.disconnect();
  }
}

/** Makes an empty database on the same server, and returns its URL. */
async function newDatabase(url) {
  const client = new Client({ connectionString: url });
  await client.connect();
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  await client.query(`create database ${name}`);
  await client.end();
  const made = new URL(url);
  made.pathname = name;
  return made.href;
}

module.exports = { Databases, newDatabase };
