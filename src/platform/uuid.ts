/** Pattern of UUIDs in lower case, for use in a longer pattern. */
export const uuidForm = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`;

/** Pattern of UUIDs of any version and case, for JSON schemas. */
export const uuidPattern = `^${uuidForm.replaceAll(String.raw`[\da-f]`, '[0-9a-fA-F]')}$`;

const uuid = new RegExp(`^${uuidForm}$`, 'u');
const uuidOfOthers = new RegExp(uuidPattern, 'u');

/** Checks whether a text is an id as this service creates them: a UUID in lower case. */
export function isOwnUuid(text: string): boolean {
  return uuid.test(text);
}

/** Checks whether a text is a UUID in any case, as others may write it. */
export function isUuid(text: string): boolean {
  return uuidOfOthers.test(text);
}
