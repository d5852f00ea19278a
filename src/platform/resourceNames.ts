/** Suffixes of the names of auxiliary resources, in whichever of the server's presets. */
export const auxiliarySuffixes: readonly string[] = [ '.acl', '.acr', '.meta' ];

/**
 * Checks whether a path segment is the name of an auxiliary resource: an access control document, or a description.
 * In every case and preset, because file systems may not tell cases apart, and presets are changed.
 *
 * @param segment - Encoded or not, without slashes.
 */
export function isAuxiliaryName(segment: string): boolean {
  const name = decoded(segment).toLowerCase();
  return auxiliarySuffixes.some((suffix): boolean => name.endsWith(suffix));
}

/**
 * Checks whether the names in a path forbid to create a resource there. An auxiliary name may only be the last one, of
 * a document that the server knows as auxiliary, and of a resource that is not auxiliary itself.
 *
 * @param path - Of a resource: ends with a slash when it is a container.
 * @param isAuxiliary - Whether the server takes this path for that of an auxiliary resource.
 */
export function isMisnamed(path: string, isAuxiliary: () => boolean): boolean {
  const start = path.lastIndexOf('/') + 1;
  const name = path.slice(start);
  const isBelowAuxiliary = path.slice(0, start).split('/').some(isAuxiliaryName);
  return isBelowAuxiliary || (isAuxiliaryName(name) && (!isAuxiliary() || isChained(name)));
}

/** An auxiliary resource of an auxiliary resource. */
function isChained(name: string): boolean {
  return isAuxiliaryName(decoded(name).replace(/\.[^.]*$/u, ''));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
