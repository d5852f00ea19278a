import {
  CONTENT_TYPE,
  DC,
  LDP,
  NotImplementedHttpError,
  PIM,
  POSIX,
  RDF,
  RepresentationPatcher,
  SOLID_META,
} from '@solid/community-server';
import type { AuxiliaryIdentifierStrategy, RepresentationPatcherInput } from '@solid/community-server';
import { DataFactory, Store } from 'n3';
import type { Quad } from 'n3';
import { ChangedTriples } from './ChangedTriples';
import type { PatchedRdf } from './patching';
import { Replacement } from './Replacement';

/** Predicates of the statements about the described resource that only the server makes. */
const managed = new Set<string>([ CONTENT_TYPE, DC.modified, LDP.contains, POSIX.mtime, POSIX.size ]);

/**
 * Replaces the statements of a description. Those that only the server makes stay, stated again or not: a client may
 * send back what it has read, or just its own statements. If it states others in their place, the server refuses them
 * like those of a patch.
 */
export class ReplacingPatcher extends RepresentationPatcher<PatchedRdf> {
  private readonly metadataStrategy: AuxiliaryIdentifierStrategy;

  /**
   * @param metadataStrategy - Names what a description is about.
   */
  public constructor(metadataStrategy: AuxiliaryIdentifierStrategy) {
    super();
    this.metadataStrategy = metadataStrategy;
  }

  public override async canHandle({ identifier, patch }: RepresentationPatcherInput<PatchedRdf>): Promise<void> {
    if (!(patch instanceof Replacement) || !this.metadataStrategy.isAuxiliaryIdentifier(identifier)) {
      throw new NotImplementedHttpError('Only descriptions are replaced.');
    }
  }

  public async handle(
    { identifier, patch, representation }: RepresentationPatcherInput<PatchedRdf>,
  ): Promise<PatchedRdf> {
    if (!representation || !(patch instanceof Replacement)) {
      throw new NotImplementedHttpError('There is nothing to replace.');
    }
    const described = this.metadataStrategy.getSubjectIdentifier(identifier).path;
    const before = representation.dataset.getQuads(null, null, null, null);
    const parameters = new Set([ ...parametersOf(before, described), ...parametersOf(patch.statements, described) ]);
    const others = before.filter((quad): boolean => !isManaged(quad, described) && !isOfParameter(quad, parameters));
    const removed = new Set(others);
    const known = new Store(before.filter((quad): boolean => !removed.has(quad)).map(withoutGraph));
    const changes = new ChangedTriples(representation.dataset);
    changes.remove(others);
    changes.add(patch.statements.filter((quad): boolean => !known.has(quad) && !isOfParameter(quad, parameters)));
    representation.dataset = await changes.finish();
    return representation;
  }
}

function isManaged({ graph, object, predicate, subject }: Quad, described: string): boolean {
  return graph.equals(SOLID_META.terms.ResponseMetadata) || (subject.value === described && (
    managed.has(predicate.value) || (predicate.value === RDF.type && object.value === PIM.Storage)
  ));
}

/** Finds the parameters of the media type, which are blank nodes: sent back, they have other names. */
function parametersOf(quads: readonly Quad[], described: string): string[] {
  return quads.filter(({ predicate, subject }): boolean =>
    subject.value === described && predicate.value === SOLID_META.contentTypeParameter)
    .map(({ object }): string => idOf(object));
}

function isOfParameter({ object, predicate, subject }: Quad, parameters: ReadonlySet<string>): boolean {
  return parameters.has(idOf(subject)) ||
    (predicate.value === SOLID_META.contentTypeParameter && parameters.has(idOf(object)));
}

function idOf({ termType, value }: Quad['object']): string {
  return `${termType} ${value}`;
}

function withoutGraph({ object, predicate, subject }: Quad): Quad {
  return DataFactory.quad(subject, predicate, object);
}
