'use strict';

// Splits the CPU of a profile into parts: each sample belongs to the innermost frame that is in the table below.

const { readdirSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');

/** Parts of the work by a substring of the URL of a frame; the first match counts. */
const parts = [
  [ 'reading the source', /dist\/sources\//u ],
  [ 'validating', /dist\/data-types\/|rdf-validate|clownface|term-set/u ],
  [ 'credentials', /dist\/credentials\/|dist\/grants\/|node_modules\/jsonld\/|rdf-canonize|@scure/u ],
  [ 'records', /dist\/storage\/|kysely|better-sqlite3/u ],
  [ 'tokens and proofs', /dist\/tokens\/|jose/u ],
  [ 'resource store', /@solid\/community-server|dist\/wiring\/|lockfile|winston|logform|fs-extra|graceful-fs|node_modules\/n3\//u ],
  [ 'the rest of this package', /dist\//u ],
];

/**
 * @param folder - Folder given to `--cpu-prof`.
 *
 * @returns Shares of the samples in the second half of the largest profile, idle ones left out, largest first.
 */
function breakdown(folder) {
  const [ file ] = readdirSync(folder).filter(name => name.endsWith('.cpuprofile')).map(name => join(folder, name))
    .sort((left, right) => statSync(right).size - statSync(left).size);
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
  const byId = new Map(nodes.map(node => [ node.id, node ]));
  const above = new Map(nodes.flatMap(({ id, children = []}) => children.map(child => [ child, id ])));
  const times = new Map();
  let total = 0;
  for (let index = Math.floor(samples.length / 2); index < samples.length; index += 1) {
    const part = partOf(samples[index], byId, above);
    if (part) {
      times.set(part, (times.get(part) ?? 0) + timeDeltas[index]);
      total += timeDeltas[index];
    }
  }
  return [ ...times ].map(([ part, time ]) => ({ part, share: time / total })).sort((left, right) => right.share - left.share);
}

function partOf(sample, byId, above) {
  const { functionName } = byId.get(sample).callFrame;
  if (functionName === '(idle)') {
    return;
  }
  if (functionName === '(garbage collector)') {
    return 'garbage collection';
  }
  for (let id = sample; id !== undefined; id = above.get(id)) {
    const { url } = byId.get(id).callFrame;
    const found = parts.find(([ , pattern ]) => pattern.test(url));
    if (found) {
      return found[0];
    }
  }
  return 'Node.js';
}

function printBreakdown(folder) {
  console.log([ '', '| part | share of CPU |', '|---|---|' ].join('\n'));
  for (const { part, share } of breakdown(folder)) {
    console.log(`| ${part} | ${(share * 100).toFixed(1)} % |`);
  }
}

module.exports = { printBreakdown };
