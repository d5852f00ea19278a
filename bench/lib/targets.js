'use strict';

/**
 * A target: its path and figure, the part of the measurements that it needs, its maximum (with `least`, its minimum),
 * and its computation. `value` returns `undefined` when a row that it needs was not measured.
 */
const targets = [
  ...read('GET /v1/resources, 2 KB, DPoP', 'resources', { stock: 0.025, limit: 1.4 }),
  {
    path: 'same, two nodes on PostgreSQL',
    figure: 'CPU of both, of the bare limit',
    most: 2.5,
    value: ({ ratio }) => ratio('resources-two-nodes', 'limit', 'cpu'),
  },
  {
    path: 'same, two nodes on PostgreSQL',
    figure: 'CPU of PostgreSQL and Redis, ms',
    most: 0.1,
    value: ({ figure }) => databaseCpu(figure, 'resources-two-nodes'),
  },
  {
    path: 'same, two nodes on PostgreSQL',
    figure: 'p99 of the bare limit',
    most: 5,
    value: ({ ratio }) => ratio('resources-two-nodes', 'limit', 'p99'),
  },
  ...read('same, Bearer', 'resources-bearer', { stock: 0.02 }),
  {
    path: 'same, 1 MB',
    figure: 'throughput of the stock public GET of 1 MB',
    least: 3,
    value: ({ ratio }) => ratio('resources-1mb', 'stock-public-1mb', 'perSecond'),
  },
  {
    path: 'same, 1 connection',
    figure: 'p50 of stock',
    most: 0.05,
    value: ({ ratio }) => ratio('resources-1', 'stock-get-1', 'p50'),
  },
  {
    path: 'same, 1 connection',
    figure: 'p99 of the bare limit',
    most: 3,
    value: ({ ratio }) => ratio('resources-1', 'limit-1', 'p99'),
  },
  {
    path: 'first request with a new token',
    figure: 'CPU ms beyond the bare limit, which verifies the token too',
    most: 0.25,
    value: ({ difference }) => difference('resources-new-token', 'limit-new-token', 'cpu'),
  },
  {
    path: 'plain LDP GET by a grantee',
    figure: 'CPU of the stock GET, 15 pairs',
    most: 1.05,
    value: ({ ratio }) => ratio('ldp-get', 'stock-get', 'cpu'),
  },
  {
    path: 'PUT /v1/webids, 100 citizens',
    figure: `CPU of the account API's creation at 100 pods`,
    most: 0.4,
    value: ({ webids }) => webids?.[1].cpuOfStock,
  },
  {
    path: 'PUT /v1/webids, most citizens',
    figure: 'CPU of itself at 100',
    most: 1.2,
    value: ({ webids }) => webids?.[2].cpuOfFirst,
  },
  ...[ 'get', 'put', 'delete' ].flatMap(kind => [
    {
      path: `${kind.toUpperCase()} in a container of 10,000`,
      figure: 'CPU of the stock server on files, with as many',
      most: 0.1,
      value: ({ containers }) => containers?.rows.find(row => row.kind === kind).ofStock,
    },
    {
      path: `${kind.toUpperCase()} in a container of 10,000`,
      figure: 'CPU of itself with 100',
      most: 1.2,
      value: ({ containers }) => containers?.rows.find(row => row.kind === kind).ofSmall,
    },
  ]),
  {
    path: 'listing of 100,000',
    figure: 'ms until the first byte',
    most: 50,
    value: ({ containers }) => containers?.listed.firstByteMs,
  },
  {
    path: 'listing of 100,000',
    figure: 'peak memory of listings of 100',
    most: 1.1,
    value: ({ containers }) => containers?.listed.growth,
  },
  {
    path: 'log-in with a national identity',
    figure: 'CPU of the stock log-in with a password',
    most: 1,
    value: ({ logins }) => logins?.[1].cpuOfStock,
  },
  {
    path: 'POST share',
    figure: 'CPU of the stock PUT of a new resource',
    most: 1.5,
    value: ({ ratio }) => ratio('share', 'stock-put', 'cpu'),
  },
  {
    path: 'POST share, 10,000 shares',
    figure: 'CPU of itself with few',
    most: 1.2,
    value: ({ ratio }) => ratio('share-after-10000', 'share', 'cpu'),
  },
  {
    path: 'POST share',
    figure: 'CPU of itself without events',
    most: 1.05,
    value: ({ ratio }) => ratio('share', 'share-without-events', 'cpu'),
  },
  {
    path: 'pushes to 100 endpoints',
    figure: 'CPU ms for one, so that one node delivers 1,000 a second',
    most: 1,
    value: ({ events }) => events?.pushes.cpuMs,
  },
  {
    path: 'an event to 100 endpoints at once',
    figure: 's until the last has it',
    most: 1,
    value: ({ events }) => events?.pushes.lagSeconds,
  },
  {
    path: 'a page of activity, most rows',
    figure: 'CPU with few rows',
    most: 1.2,
    value: ({ events }) => events && events.activity.at(-1).first / events.activity[0].first,
  },
  {
    path: 'overlay, most zones',
    figure: 'CPU ms, p50',
    most: 5,
    value: ({ plans }) => plans?.overlays.p50,
  },
  {
    path: 'overlay, most zones',
    figure: 'CPU ms, p99',
    most: 20,
    value: ({ plans }) => plans?.overlays.p99,
  },
  {
    path: 'judging a package of 100 MiB',
    figure: 'memory, MiB',
    most: 200,
    value: ({ plans }) => plans?.package.memoryMb,
  },
  {
    path: 'plan requests that a municipality sees, most requests',
    figure: 'CPU with few',
    most: 1.5,
    value: ({ plans }) => plans && plans.lists.at(-1).cpuMs.seen / plans.lists[0].cpuMs.seen,
  },
  {
    path: 'a grant ends by itself',
    figure: 'CPU with most grants of that with few',
    most: 1.5,
    value: ({ decisions }) => decisions?.[1] && decisions[1].medians['one has ended'] / decisions[0].medians['one has ended'],
  },
  ...[ 0, 1, 2, 3 ].map(index => ({
    path: 'VC',
    figure: ({ credentials }) => `CPU of @digitalbazaar/vc: ${credentials?.[index].name}`,
    most: 0.5,
    value: ({ credentials }) => credentials?.[index].ratio,
  })),
  ...decision('decide a grant that is presented', 'decision: presented', 25),
  ...decision('decide by all grants of a caller', 'decision: access', 20),
  ...decision('list a page of 50', 'first page', 250),
  {
    path: 'memory, idle',
    figure: 'PSS beyond stock, MB',
    most: 20,
    value: ({ starts }) => starts && starts.service.pss - starts.stock.pss,
  },
  { path: 'memory, under load', figure: 'RSS of a tenth of the requests', most: 1.1, value: ({ memory }) => memory?.growth },
  {
    path: 'two workers',
    figure: 'reads of one process, by CPU',
    least: 1.9,
    value: ({ workers }) => workers?.byCpu,
  },
  {
    path: 'start of a second worker',
    figure: 's until it listens after the first',
    most: 1,
    value: ({ workerStarts }) => workerStarts && workerStarts.afterFirst / 1000,
  },
  {
    path: 'replacement of a worker',
    figure: 's from its fork until it listens',
    most: 1,
    value: ({ workerStarts }) => workerStarts && workerStarts.sinceFork / 1000,
  },
  { path: 'cold start, no data', figure: 'time of stock', most: 1.1, value: ({ starts }) => starts?.service.ofStock },
  {
    path: 'cold start, most grants',
    figure: 's beyond no data',
    most: 2,
    value: ({ starts }) => starts?.granted && (starts.granted.ms - starts.service.ms) / 1000,
  },
  {
    path: 'mixed load on two nodes, one killed',
    figure: 'errors other than connections cut',
    most: 0,
    value: ({ mixed }) => mixed?.errors,
  },
  {
    path: 'same',
    figure: 'p50 of the last sixth, of that of the second',
    most: 1.2,
    value: ({ mixed }) => mixed?.p50Growth,
  },
  {
    path: 'same',
    figure: 'p99 of the last sixth, of that of the second',
    most: 1.2,
    value: ({ mixed }) => mixed?.p99Growth,
  },
  {
    path: 'same',
    figure: 'memory of the last sixth, of that of the second',
    most: 1.1,
    value: ({ mixed }) => mixed?.memoryGrowth,
  },
  {
    path: 'same',
    figure: 'shares and revocations that are not as acknowledged, afterwards',
    most: 0,
    value: ({ mixed }) => mixed?.check.found,
  },
  { path: 'start of the pages', figure: 'Largest Contentful Paint, ms', most: 1000, value: ({ app }) => app?.home },
  { path: 'page of a question', figure: 'Largest Contentful Paint, ms', most: 1000, value: ({ app }) => app?.question },
  { path: 'page of a question', figure: 'longest answer to a tick or click, ms', most: 100, value: ({ app }) => app?.interaction },
];

function read(path, row, { stock, limit }) {
  return [
    { path, figure: 'CPU of the stock DPoP GET', most: stock, value: ({ ratio }) => ratio(row, 'stock-get', 'cpu') },
    ...limit ? [{ path, figure: 'CPU of the bare limit (2.5 on PostgreSQL)', most: limit, value: ({ ratio }) => ratio(row, 'limit', 'cpu') }] : [],
  ];
}

function databaseCpu(figure, row) {
  return figure(row, 'databaseCpu') && figure(row, 'databaseCpu') + figure(row, 'redisCpu');
}

function decision(path, name, most) {
  return [
    { path, figure: 'CPU µs', most, value: ({ decisions }) => decisions?.[0].medians[name] },
    {
      path,
      figure: 'CPU with most grants of that with few',
      most: 1.2,
      value: ({ decisions }) => decisions?.[1] && decisions[1].medians[name] / decisions[0].medians[name],
    },
  ];
}

/**
 * @param figures - Measurements of the parts.
 *
 * @returns The measurement for every target; `reached` is absent where there is none.
 */
function compare(figures) {
  return targets.map(({ path, figure, most, least, value }) => {
    const measured = value(figures);
    const named = typeof figure === 'function' ? figure(figures) : figure;
    return {
      path,
      figure: named,
      to: most === undefined ? `≥ ${least}` : `≤ ${most}`,
      ...measured !== undefined && { measured, reached: most === undefined ? measured >= least : measured <= most },
    };
  });
}

/** Prints the table of docs/performance.md. */
function printTargets(compared) {
  console.log([
    '',
    '| path | figure | to reach | measured | reached |',
    '|---|---|---|---|---|',
    ...compared.map(({ path, figure, to, measured, reached }) =>
      `| ${path} | ${figure} | ${to} | ${measured === undefined ? '' : readable(measured)} | ${answer(reached)} |`),
  ].join('\n'));
}

function readable(value) {
  return Math.abs(value) >= 10 ? value.toFixed(0) : value.toPrecision(3);
}

function answer(reached) {
  if (reached === undefined) {
    return 'not measured';
  }
  return reached ? 'yes' : 'no';
}

module.exports = { compare, printTargets };
