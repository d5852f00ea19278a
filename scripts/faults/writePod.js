'use strict';

// Changes of a document in a folder of pods, the last one with a copy of everything before each step. Preloaded: steps.

const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Readable } = require('node:stream');
const {
  ComposedAuxiliaryStrategy,
  DataAccessorBasedStore,
  guardStream,
  RepresentationMetadata,
  RoutingAuxiliaryStrategy,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
} = require('@solid/community-server');
const { DurableFileDataAccessor } = require('../../dist/server/files/DurableFileDataAccessor');
const { IndexedFileMapper } = require('../../dist/server/files/IndexedFileMapper');
const { RemovedTogetherStore } = require('../../dist/server/files/RemovedTogetherStore');
const { arm, copyTree, disarm } = require('./steps');

const { root, url, before, after, removed, rules, copies } = JSON.parse(process.argv[2]);
const accessor = new DurableFileDataAccessor(
  new IndexedFileMapper(new URL('/', url).href, root),
  root,
  '/.internal/tempFiles/',
);

async function change({ type, charset, body }) {
  // As the server does before each change.
  await accessor.getMetadata({ path: url }).catch(() => {});
  if (body === undefined) {
    await accessor.deleteResource({ path: url });
    return;
  }
  const metadata = new RepresentationMetadata({ path: url });
  metadata.contentTypeObject = { value: type, parameters: charset ? { charset } : {}};
  await accessor.writeDocument({ path: url }, guardStream(Readable.from([ Buffer.from(body) ])), metadata);
}

/** As the server removes resources with their access rules, which have a suffix. */
async function remove(paths, suffix) {
  const descriptions = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.meta'));
  const auxiliaries = new RoutingAuxiliaryStrategy([
    descriptions,
    new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy(suffix), undefined, undefined, true),
  ]);
  const identifiers = new SingleRootIdentifierStrategy(new URL('/', url).href);
  const store = new RemovedTogetherStore(new DataAccessorBasedStore(accessor, identifiers, auxiliaries, descriptions));
  for (const path of paths) {
    await store.deleteResource({ path });
  }
}

/** The folder as it is before a step, and the steps until then. */
function copy(steps, isOver) {
  const folder = join(copies, String(steps.length));
  mkdirSync(folder);
  copyTree(root, join(folder, 'root'));
  writeFileSync(join(folder, 'steps.json'), JSON.stringify(isOver ? steps : steps.slice(0, -1)));
}

async function main() {
  for (const content of before) {
    await change(content);
  }
  const kept = join(copies, 'kept');
  mkdirSync(kept);
  arm({ at: 0, keep: kept, onStep: steps => copy(steps, false) });
  await (removed ? remove(removed, rules) : change(after));
  const steps = disarm();
  copy([ ...steps, { call: 'end', path: '', isFlush: true }], true);
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
