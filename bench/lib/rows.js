'use strict';

const { shareRows } = require('./shareRows');

/**
 * A row of the table: the requests and their server, their number in a run, the connections (32), the expected status
 * (200), the number of requests after which the server knows all callers (all consumers), and the row with which its
 * CPU is compared, besides the stock GET and the bare limit. A pair is measured more often, alternating with the stock
 * GET alone.
 */
const rows = [
  { name: 'stock-get', server: 'stock', count: 250, always: true, requests: (make, server, count) => make.plain(server, count) },
  { name: 'limit', server: 'limit', count: 8000, always: true, requests: (make, server, count) => make.granted(server, count) },
  { name: 'resources', server: 'service', count: 8000, requests: (make, server, count) => make.granted(server, count) },
  {
    name: 'resources-bearer',
    server: 'service',
    count: 8000,
    requests: (make, server, count) => make.granted(server, count, { scheme: 'Bearer' }),
  },
  {
    name: 'resources-new-token',
    server: 'service',
    count: 3000,
    requests: (make, server, count) => make.granted(server, count, { fresh: true }),
  },
  {
    name: 'limit-new-token',
    server: 'limit',
    count: 3000,
    requests: (make, server, count) => make.granted(server, count, { fresh: true }),
  },
  { name: 'stock-get-1', server: 'stock', count: 100, connections: 1, requests: (make, server, count) => make.plain(server, count) },
  { name: 'limit-1', server: 'limit', count: 2000, connections: 1, requests: (make, server, count) => make.granted(server, count) },
  {
    name: 'resources-1',
    server: 'service',
    count: 2000,
    connections: 1,
    requests: (make, server, count) => make.granted(server, count),
  },
  {
    name: 'stock-public-1mb',
    server: 'stock',
    count: 150,
    requests: (make, server, count) => make.publicLarge(server, count),
  },
  {
    name: 'resources-1mb',
    server: 'service',
    count: 600,
    requests: (make, server, count) => make.granted(server, count, { large: true }),
  },
  {
    name: 'ldp-get',
    server: 'service',
    count: 250,
    isPair: true,
    requests: (make, server, count) => make.plain(server, count, { granted: true }),
  },
  { name: 'stock-put', server: 'stock', count: 200, status: 201, requests: (make, server, count) => make.writes(server, count) },
  ...shareRows,
];

/** The rows of the service on PostgreSQL and Redis, of the stock server on files and of the bare limit. */
const onPostgres = [
  ...rows.filter(({ name }) => /^(?:stock-get|limit|resources|share)(?:-1|-bearer|-new-token)?$/u.test(name)),
  { ...rows.find(({ name }) => name === 'resources'), name: 'resources-two-nodes', server: 'nodes' },
  { ...rows.find(({ name }) => name === 'ldp-get'), isPair: false },
  rows.find(({ name }) => name === 'stock-put'),
  ...changes('stock'),
  written('ldp-put', 'service', 'stock-put'),
  ...changes('service'),
  {
    name: 'revoke',
    server: 'service',
    count: 100,
    callers: 5,
    of: 'stock-put',
    requests: (make, server, count) => make.revocations(server, count),
  },
];

function written(name, server, of) {
  return { name, server, of, count: 200, status: 201, requests: (make, ...run) => make.writes(...run) };
}

/** Changes of resources that the same number of requests has just written. */
function changes(server) {
  const [ first, of ] = server === 'stock' ? [ 'stock' ] : [ 'ldp', 'stock' ];
  const row = { server, count: 200, status: 205, before: (make, ...run) => make.writes(...run) };
  return [
    { ...row, name: `${first}-put-over`, of: of && `${of}-put-over`, requests: (make, on) => make.rewrites(on) },
    { ...row, name: `${first}-delete`, of: of && `${of}-delete`, requests: (make, on) => make.deletions(on) },
  ];
}

module.exports = { onPostgres, rows };
