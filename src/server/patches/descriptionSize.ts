import { LDP } from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import { unprocessable } from './patching';

/** Size of a description. */
export interface DescriptionSize {
  statements: number;
  /** Characters of subjects, predicates and objects. */
  characters: number;
}

const most: DescriptionSize = { statements: 2000, characters: 1024 * 1024 };

/** Measures a description, without the members of a container, of which there may be any number. */
export function sizeOf(quads: Iterable<Quad>): DescriptionSize {
  const size: DescriptionSize = { statements: 0, characters: 0 };
  for (const { object, predicate, subject } of quads) {
    if (predicate.value !== LDP.contains) {
      size.statements += 1;
      size.characters += subject.value.length + predicate.value.length + object.value.length;
    }
  }
  return size;
}

/**
 * Refuses a description that is too large.
 *
 * @param size - Its size.
 * @param before - Size that it has now: one that is too large already may stay so, but not grow.
 *
 * @throws HttpError 422
 */
export function requireModest(size: DescriptionSize, before: DescriptionSize = most): void {
  if (size.statements > Math.max(most.statements, before.statements)) {
    throw unprocessable(`A description has at most ${most.statements} statements.`);
  }
  if (size.characters > Math.max(most.characters, before.characters)) {
    throw unprocessable(`The statements of a description have at most ${most.characters} characters.`);
  }
}
