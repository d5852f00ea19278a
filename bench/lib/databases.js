'use strict';

// The cost of a request in the databases: CPU of PostgreSQL and Redis, and the number of queries.

const { randomUUID } = require('node:crypto');
const { Redis } = require('ioredis');
const { Client } = require('pg');
const { cpuMs, cpuMsOfAll, endedChildrenMs, parentOf } = require('./processes');

/** Reads the CPU time of PostgreSQL and Redis, and the number of their statements and commands. */
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

  /** Reads the current totals. */
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

  /** Returns the cost of a request since earlier totals, and the count of each statement. */
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
      // One command is from this class.
      commands: (now.commands - before.commands - 1) / requests,
      texts: statements,
    };
  }

  async stop() {
    await this.client.end();
    this.cache.disconnect();
  }
}

/** Returns URLs of empty databases on the servers of DATABASE_URL and REDIS_URL. */
async function emptyDatabases(name, redisIndex) {
  const database = await newDatabase(process.env.DATABASE_URL, name);
  return { database, redis: `${process.env.REDIS_URL}/${redisIndex}` };
}

/** Makes an empty database on the same server, and returns its URL. */
async function newDatabase(url, name = `bench_${randomUUID().replaceAll('-', '')}`) {
  await connected(url, async client => client.query(`create database ${name}`));
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

/** Columns of resources in pods. The server's own values are sealed under keys that are digests: they have no clones. */
const columns = [ 'path', 'parent', 'content_type', 'metadata', 'modified', 'size', 'body' ];
const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu;

/** Reads the resources in pods. */
async function readRows(connectionString) {
  return connected(connectionString, async(client) => {
    const { rows } = await client.query(`select ${columns.join(',')} from pod_resources order by path`);
    return rows.map(row => ({ path: row.path, text: Object.values(row).join(' ') }));
  });
}

/** Copies the resources added since, each time with other ids. Returns the ids that replace that of the pod. */
async function cloneRows(connectionString, before, count) {
  const known = new Set(before.map(({ path }) => path));
  const added = (await readRows(connectionString)).filter(({ path }) => !known.has(path));
  const ids = [ ...new Set(added.flatMap(({ text }) => text.match(uuid) ?? [])) ];
  const [ pod ] = added[0].path.match(uuid);
  function other(column) {
    let text = column;
    for (const [ index, id ] of ids.entries()) {
      text = `replace(${text}, '${id}', ids[${index + 1}])`;
    }
    return text;
  }
  const values = columns.map((column) => {
    if (column === 'body') {
      return `convert_to(${other(`convert_from(body, 'UTF8')`)}, 'UTF8')`;
    }
    return [ 'modified', 'size' ].includes(column) ? column : other(column);
  });
  return connected(connectionString, async(client) => {
    await client.query(`create temporary table clones as select n,
      array(select gen_random_uuid()::text from generate_series(1, ${ids.length}) where n > 0) as ids
      from generate_series(1, ${count}) as n`);
    for (const { path } of added) {
      await client.query(`insert into pod_resources (${columns.join(',')}) select ${values.join(',')}
        from pod_resources, clones where path = $1`, [ path ]);
    }
    await client.query('vacuum analyze');
    const { rows } = await client.query(`select ids[${ids.indexOf(pod) + 1}] as id from clones`);
    return rows.map(({ id }) => id);
  });
}

async function connected(connectionString, work) {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

module.exports = { cloneRows, connected, Databases, emptyDatabases, newDatabase, readRows };
