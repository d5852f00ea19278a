'use strict';

// Changes a document in a folder of pods several times; copies the folder before each step of the last change.
// Preloaded: steps.

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
  // The server reads the metadata before each change.
  await accessor.getMetadata({ path: url }).catch(() => {});
  if (body === undefined) {
    await accessor.deleteResource({ path: url });
    return;
  }
  const metadata = new RepresentationMetadata({ path: url });
  metadata.contentTypeObject = { value: type, parameters: charset ? { charset } : {}};
  await accessor.writeDocument({ path: url }, guardStream(Readable.from([ Buffer.from(body) ])), metadata);
}

/** Removes resources like the server, with their access rules, whose names have a suffix. */
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

/** Copies the folder before a step, with the steps so far. */
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
