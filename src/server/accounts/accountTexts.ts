import { BadRequestHttpError } from '@solid/community-server';
import type { JsonInteractionHandlerInput } from '@solid/community-server';
import { hasHalfCharacter } from '../../platform/hasHalfCharacter';
import { isRecord } from '../../platform/isRecord';
import { maxAddressLength } from './mailAddress';

/** Maximum characters of strings in account operations, by member. */
const longestTexts: Record<string, number> = {
  // A whole query string; the log-in itself checks its members.
  answer: 16_384,
  email: maxAddressLength,
  invitation: 1024,
  name: 225,
  newPassword: 1024,
  oldPassword: 1024,
  password: 1024,
  provider: 225,
  recordId: 1024,
  ticket: 1024,
  webId: 2048,
};
const longestOther = 2048;

/**
 * Checks the body of an account operation, including the settings of a pod in it. The server's own handlers report
 * members of another type in unclear words, and store strings of any length. Hashing a password with half a character
 * never ends, but fills the memory until the process ends.
 *
 * @throws BadRequestHttpError naming the member.
 */
export function checkTexts(json: Record<string, unknown>, place = ''): void {
  for (const [ name, value ] of Object.entries(json)) {
    if (name in Object.prototype) {
      throw new BadRequestHttpError(`${place}${name} is not a member of account operations.`);
    }
    const longest = Object.hasOwn(longestTexts, name) ? longestTexts[name] : undefined;
    if (longest !== undefined && typeof value !== 'string') {
      throw new BadRequestHttpError(`${place}${name} must be a text.`);
    }
    if (typeof value === 'string' && value.length > (longest ?? longestOther)) {
      throw new BadRequestHttpError(`${place}${name} has at most ${longest ?? longestOther} characters.`);
    }
    if (typeof value === 'string' && hasHalfCharacter(value)) {
      throw new BadRequestHttpError(`${place}${name} has half a character.`);
    }
    if (name === 'settings' && typeof value === 'object' && value && place === '') {
      checkTexts({ ...value }, 'settings.');
    }
  }
}

/**
 * Returns a required member of an account operation, trimmed as the server's own handlers do.
 *
 * @throws BadRequestHttpError naming the member when it is missing or not a string.
 */
export function textOf({ json }: Pick<JsonInteractionHandlerInput, 'json'>, name: string): string {
  const value = isRecord(json) ? json[name] : undefined;
  if (typeof value !== 'string') {
    throw new BadRequestHttpError(`${name} must be a text.`);
  }
  return value.trim();
}
