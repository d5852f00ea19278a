import {
  InternalServerError,
  NotImplementedHttpError,
  RepresentationPatcher,
} from '@solid/community-server';
import type { RepresentationPatcherInput, SparqlUpdatePatch } from '@solid/community-server';
import type { Term } from '@rdfjs/types';
import type { Quad } from 'n3';
import { opened } from '../../platform/opened';
import { ChangedTriples } from './ChangedTriples';
import { instantiate } from './instantiate';
import type { PatchedRdf } from './patching';
import { unprocessable } from './patching';
import type { Budget, Pattern } from './solvePatterns';
import { newBudget, solvePatterns } from './solvePatterns';

/** Maximum triples of one update that templates give for conditions with several solutions. */
const maxTriples = 20_000;

type GraphPattern = Pattern & { graph: Term };

/** One operation of an update, from the server's parser. */
interface Operation {
  type: string;
  /** The operations, if there are several. */
  updates?: Operation[];
  delete?: GraphPattern[];
  insert?: GraphPattern[];
  where?: { type: string; patterns?: GraphPattern[] };
}

/**
 * Applies SPARQL updates of the forms that the server supports, instead of its own patcher, whose query engine
 * evaluates all combinations of conditions without a bound.
 *
 * @see [SPARQL 1.1 Update, section 3.1.3](https://www.w3.org/TR/sparql11-update/#deleteInsert)
 */
export class BoundedSparqlUpdatePatcher extends RepresentationPatcher<PatchedRdf> {
  public override async canHandle({ patch }: RepresentationPatcherInput<PatchedRdf>): Promise<void> {
    if (typeof opened<Partial<SparqlUpdatePatch>>(patch).algebra !== 'object') {
      throw new NotImplementedHttpError('Only SPARQL update patches are supported');
    }
  }

  public async handle(
    { patch, representation }: RepresentationPatcherInput<PatchedRdf>,
  ): Promise<PatchedRdf> {
    if (!representation) {
      throw new InternalServerError('There is nothing to patch.');
    }
    const operations = flatten(opened<SparqlUpdatePatch>(patch).algebra);
    for (const operation of operations) {
      requireSupported(operation);
    }
    const budget = { ...newBudget(), triples: maxTriples };
    const changes = new ChangedTriples(representation.dataset);
    for (const operation of operations) {
      apply(operation, changes, budget);
    }
    representation.dataset = await changes.finish();
    return representation;
  }
}

function flatten(operation: Operation): Operation[] {
  const { updates = []} = operation;
  if (operation.type === 'nop') {
    return [];
  }
  return operation.type === 'compositeupdate' ? updates.flatMap(flatten) : [ operation ];
}

/** @throws NotImplementedHttpError */
function requireSupported({ type, delete: deletes = [], insert: inserts = [], where }: Operation): void {
  if (type !== 'deleteinsert') {
    throw new NotImplementedHttpError('Only DELETE/INSERT SPARQL update operations are supported');
  }
  if (where && where.type !== 'bgp') {
    throw new NotImplementedHttpError('Non-BGP WHERE statements are not supported');
  }
  const patterns = [ ...deletes, ...inserts, ...where?.patterns ?? [] ];
  if (!patterns.every(({ graph }): boolean => graph.termType === 'DefaultGraph')) {
    throw new NotImplementedHttpError('GRAPH statements are not supported');
  }
  if (patterns.some(({ subject, object }): boolean => subject.termType === 'Quad' || object.termType === 'Quad')) {
    throw new NotImplementedHttpError('Triples about triples are not supported');
  }
}

/** Finds all solutions before anything changes; deletions come first. */
function apply(
  { delete: deletes = [], insert: inserts = [], where }: Operation,
  data: ChangedTriples,
  budget: Budget & { triples: number },
): void {
  const removed: Quad[] = [];
  const added: Quad[] = [];
  let solutions = 0;
  // Solutions without a template cost as much.
  const templates = Math.max(1, deletes.length + inserts.length);
  for (const solution of solvePatterns(where?.patterns ?? [], data, budget)) {
    solutions += 1;
    if (solutions > 1 && solutions * templates > budget.triples) {
      throw unprocessable('The patch has conditions that can be met in too many ways.');
    }
    removed.push(...instantiate(deletes, solution));
    added.push(...instantiate(inserts, solution, newBlankNodes(data)));
  }
  budget.triples -= solutions > 1 ? solutions * templates : 0;
  data.remove(removed);
  data.add(added);
}

/** Returns new blank nodes for one solution, the same for the same label. */
function newBlankNodes(data: ChangedTriples): (label: string) => Term {
  const made = new Map<string, Term>();
  return (label): Term => {
    const node = made.get(label) ?? data.createBlankNode();
    made.set(label, node);
    return node;
  };
}
