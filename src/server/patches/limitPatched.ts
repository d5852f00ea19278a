import type { Readable } from 'node:stream';
import { RdfPatcher, transformSafely } from '@solid/community-server';
import type { Guarded, Representation, RepresentationPatcherInput } from '@solid/community-server';
import { once } from '../../platform/once';
import { opened } from '../../platform/opened';
import { replacePart } from '../replacePart';
import { unprocessable } from './patching';

type Patch = (input: RepresentationPatcherInput<Representation>) => Promise<Representation>;

/** Maximum triples of a document that is patched: each takes a kilobyte of memory until the document is written. */
const maxTriples = 200_000;

/**
 * Limits the documents that this process patches, which it reads into memory as a whole: one of 40 MB could take four
 * gigabytes, and end the process.
 */
export const limitPatched = once((): void => {
  const own = opened<{ handle: Patch }>(RdfPatcher.prototype).handle;
  replacePart(RdfPatcher.prototype, 'handle', async function(
    this: RdfPatcher,
    input: RepresentationPatcherInput<Representation>,
  ): Promise<Representation> {
    if (input.representation) {
      input.representation.data = limited(input.representation.data);
    }
    return own.call(this, input);
  });
});

/** Returns the same triples; the stream fails with 422 when there are too many. */
export function limited(quads: Guarded<Readable>): Guarded<Readable> {
  let triples = 0;
  return transformSafely(quads, {
    objectMode: true,
    transform(quad: unknown): void {
      triples += 1;
      if (triples > maxTriples) {
        throw unprocessable(`A document of more than ${maxTriples} triples is replaced as a whole, not patched.`);
      }
      this.push(quad);
    },
  });
}
