import { ConflictHttpError, DC, isContainerPath, POSIX, RDF, RepresentationPatcher } from '@solid/community-server';
import type { AuxiliaryStrategy, RepresentationPatcherInput } from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import type { Store } from 'n3';
import type { PatchedRdf } from './patching';

/** Predicates of the statements that a listing makes about the members of a container. */
const managed = [ POSIX.terms.size, POSIX.terms.mtime, DC.terms.modified ];
const mediaTypes = 'http://www.w3.org/ns/iana/media-types/';

/** Options of {@link ContainedMetadataPatcher}. */
export interface ContainedMetadataPatcherArgs {
  /** Recognises descriptions. */
  metadataStrategy: AuxiliaryStrategy;
  /** Applies the patch. */
  source: RepresentationPatcher<PatchedRdf>;
}

/**
 * Refuses patches that add statements to the description of a container that only the server makes in its listing:
 * size, time of change and media type of a member. The server itself protects those about the container alone, so that
 * its listing had several sizes of a member.
 *
 * @see [Solid Protocol, section 5.3](https://solidproject.org/TR/protocol#server-protect-contained-resource-metadata)
 */
export class ContainedMetadataPatcher extends RepresentationPatcher<PatchedRdf> {
  private readonly args: ContainedMetadataPatcherArgs;

  public constructor(args: ContainedMetadataPatcherArgs) {
    super();
    this.args = args;
  }

  public override async canHandle(input: RepresentationPatcherInput<PatchedRdf>): Promise<void> {
    await this.args.source.canHandle(input);
  }

  /** @throws ConflictHttpError */
  public override async handle(input: RepresentationPatcherInput<PatchedRdf>): Promise<PatchedRdf> {
    const { identifier, representation } = input;
    const { metadataStrategy, source } = this.args;
    const container = metadataStrategy.isAuxiliaryIdentifier(identifier) ?
      metadataStrategy.getSubjectIdentifier(identifier).path :
      '';
    if (!representation || !isContainerPath(container)) {
      return source.handle(input);
    }
    const before = aboutMembers(representation.dataset, container);
    const patched = await source.handle(input);
    const after = aboutMembers(patched.dataset, container);
    if (after.some((quad): boolean => !before.some((old): boolean => old.equals(quad)))) {
      throw new ConflictHttpError('Only the server states sizes, times of change and media types of members.');
    }
    return patched;
  }
}

/** Finds statements about members that only the server makes; those of earlier versions may have been kept. */
function aboutMembers(dataset: Store, container: string): Quad[] {
  const types = dataset.getQuads(null, RDF.terms.type, null, null);
  return [ ...managed.flatMap((predicate): Quad[] => dataset.getQuads(null, predicate, null, null)), ...types ]
    .filter((quad): boolean => isAboutMember(quad, container));
}

/** Checks for a statement that only the server makes about a member of a container. */
export function isAboutMember({ object, predicate, subject }: Quad, container: string): boolean {
  return isMember(subject.value, container) && (managed.some((term): boolean => term.equals(predicate)) ||
    (predicate.equals(RDF.terms.type) && object.value.startsWith(mediaTypes)));
}

function isMember(iri: string, container: string): boolean {
  return iri.startsWith(container) && /^[^#/?]+\/?$/u.test(iri.slice(container.length));
}
