import { decodeLeniently } from './decodeLeniently';

/** Suffixes of auxiliary resources, in any preset of the server. */
export const auxiliarySuffixes: readonly string[] = [ '.acl', '.acr', '.meta' ];

/**
 * Checks whether a path segment is the name of an auxiliary resource: an access control document, or a description.
 * Ignores case and preset, because file systems may ignore case, and presets may change.
 *
 * @param segment - Segment, encoded or not, without slashes.
 */
export function isAuxiliaryName(segment: string): boolean {
  const name = decodeLeniently(segment).toLowerCase();
  return auxiliarySuffixes.some((suffix): boolean => name.endsWith(suffix));
}

/**
 * Checks whether the names in a path forbid creating a resource there. An auxiliary name may only come last, for a
 * document that the server treats as auxiliary to a resource that is not auxiliary itself.
 *
 * @param path - Path of the resource; ends with a slash for a container.
 * @param isAuxiliary - Returns true when the server treats the path as that of an auxiliary resource.
 */
export function isMisnamed(path: string, isAuxiliary: () => boolean): boolean {
  const start = path.lastIndexOf('/') + 1;
  const name = path.slice(start);
  const isBelowAuxiliary = path.slice(0, start).split('/').some(isAuxiliaryName);
  return isBelowAuxiliary || (isAuxiliaryName(name) && (!isAuxiliary() || isChained(name)));
}

/** Checks for an auxiliary resource of an auxiliary resource. */
function isChained(name: string): boolean {
  return isAuxiliaryName(decodeLeniently(name).replace(/\.[^.]*$/u, ''));
}
