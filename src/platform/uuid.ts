/** Pattern of UUIDs in lower case, to be part of a longer one. */
export const uuidForm = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`;

/** Pattern of UUIDs, of any version and case, for JSON schemas. */
export const uuidPattern = `^${uuidForm.replaceAll(String.raw`[\da-f]`, '[0-9a-fA-F]')}$`;

const uuid = new RegExp(`^${uuidForm}$`, 'u');
const uuidOfOthers = new RegExp(uuidPattern, 'u');

/** Checks whether this is an id as this service makes them: a UUID in lower case. */
export function isOwnUuid(text: string): boolean {
  return uuid.test(text);
}

/** Checks whether this is a UUID in any case of letters, as others may write them. */
export function isUuid(text: string): boolean {
  return uuidOfOthers.test(text);
}
