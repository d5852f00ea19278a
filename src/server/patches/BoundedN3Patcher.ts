import {
  ConflictHttpError,
  InternalServerError,
  NotImplementedHttpError,
  RepresentationPatcher,
} from '@solid/community-server';
import type { RepresentationPatcherInput } from '@solid/community-server';
import { Store } from 'n3';
import { opened } from '../../platform/opened';
import { ChangedTriples } from './ChangedTriples';
import { instantiate } from './instantiate';
import type { N3Changes, PatchedRdf } from './patching';
import type { Solution } from './solvePatterns';
import { solvePatterns } from './solvePatterns';

/**
 * Applies N3 patches instead of the server's own patcher, which builds all combinations of all conditions at once and
 * blocks the process: three conditions on sixty triples block it for minutes.
 *
 * @see [Solid Protocol, section 5.3.1](https://solidproject.org/TR/protocol#n3-patch)
 */
export class BoundedN3Patcher extends RepresentationPatcher<PatchedRdf> {
  public override async canHandle({ patch }: RepresentationPatcherInput<PatchedRdf>): Promise<void> {
    if (!Array.isArray(opened<Partial<N3Changes>>(patch).inserts)) {
      throw new NotImplementedHttpError('Only N3 Patch updates are supported');
    }
  }

  public async handle(
    { patch, representation }: RepresentationPatcherInput<PatchedRdf>,
  ): Promise<PatchedRdf> {
    if (!representation) {
      throw new InternalServerError('There is nothing to patch.');
    }
    const { conditions, deletes, inserts } = opened<N3Changes>(patch);
    const { dataset } = representation;
    const solution = conditions.length > 0 ? theOnly(solvePatterns(conditions, dataset)) : new Map();
    // Without duplicates: two templates may give the same triple.
    const removed = new Store(instantiate(deletes, solution)).getQuads(null, null, null, null);
    if (!removed.every((quad): boolean => dataset.has(quad))) {
      throw new ConflictHttpError('The document does not have all triples that the patch deletes.');
    }
    const changes = new ChangedTriples(dataset);
    changes.remove(removed);
    changes.add(instantiate(inserts, solution));
    representation.dataset = await changes.finish();
    return representation;
  }
}

function theOnly(solutions: Iterable<Solution>): Solution {
  let only: Solution | undefined;
  for (const solution of solutions) {
    if (only) {
      throw new ConflictHttpError('The conditions of the patch can be met in more than one way.');
    }
    only = new Map(solution);
  }
  if (!only) {
    throw new ConflictHttpError('The conditions of the patch cannot be met.');
  }
  return only;
}
