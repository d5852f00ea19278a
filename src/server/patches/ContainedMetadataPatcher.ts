import { ConflictHttpError, DC, isContainerPath, POSIX, RDF } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import type { Store } from 'n3';
import { DescriptionPatcher } from './DescriptionPatcher';

/** Predicates of the statements that a listing makes about the members of a container. */
const managed = [ POSIX.terms.size, POSIX.terms.mtime, DC.terms.modified ];
const mediaTypes = 'http://www.w3.org/ns/iana/media-types/';

/**
 * Refuses patches that add statements to a container's description that only the server makes in its listing (409):
 * size, time of change and media type of a member. The server itself protects those about the container alone, so that
 * its listing had several sizes of a member.
 *
 * @see [Solid Protocol, section 5.3](https://solidproject.org/TR/protocol#server-protect-contained-resource-metadata)
 */
export class ContainedMetadataPatcher extends DescriptionPatcher {
  protected watch(before: Store, identifier: ResourceIdentifier): (after: Store) => void {
    const container = this.args.metadataStrategy.getSubjectIdentifier(identifier).path;
    if (!isContainerPath(container)) {
      return (): void => undefined;
    }
    const known = aboutMembers(before, container);
    return (after): void => {
      if (aboutMembers(after, container).some((quad): boolean => !known.some((old): boolean => old.equals(quad)))) {
        throw new ConflictHttpError('Only the server states sizes, times of change and media types of members.');
      }
    };
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
