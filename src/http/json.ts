import { hasHalfCharacter } from '../platform/hasHalfCharacter';
import { BodyInvalid } from '../problems';

const maxDepth = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON text, refusing input that parsers treat differently: invalid UTF-8, lone surrogates, duplicate members,
 * a member `__proto__`, more than 32 levels.
 *
 * @throws BodyInvalid
 */
export function parseStrictJson(input: Buffer | string): unknown {
  try {
    const text = typeof input === 'string' ? input : utf8.decode(input);
    const value: unknown = JSON.parse(text);
    checkStructure(text);
    return value;
  } catch (error: unknown) {
    // The parser's message quotes the text, so it is not kept as a cause.
    throw error instanceof BodyInvalid ? error : new BodyInvalid('The body is not JSON in UTF-8.');
  }
}

/** Checks for a text that is JSON, even if refused otherwise. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Walks the tokens of a text that is valid JSON. */
function checkStructure(text: string): void {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gu;
  const open: (Set<string> | undefined)[] = [];
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [ lexeme ] = token;
    if (lexeme === '{' || lexeme === '[') {
      open.push(lexeme === '{' ? new Set() : undefined);
      if (open.length > maxDepth) {
        throw new BodyInvalid(`The body is nested more than ${maxDepth} levels deep.`);
      }
    } else if (lexeme === '}' || lexeme === ']') {
      open.pop();
    } else {
      checkCharacters(lexeme);
      if (isFollowedByColon(text, tokens.lastIndex)) {
        addKey(open.at(-1), textOf(lexeme));
      }
    }
  }
}

/** Returns the value of a JSON string. */
function textOf(lexeme: string): string {
  const text: unknown = JSON.parse(lexeme);
  return String(text);
}

/** @see [RFC 7493, section 2.1](https://www.rfc-editor.org/rfc/rfc7493#section-2.1) */
function checkCharacters(lexeme: string): void {
  if (lexeme.includes('\\u') && hasHalfCharacter(textOf(lexeme))) {
    throw new BodyInvalid('The body has half a character.');
  }
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (' \t\n\r'.includes(text[at] ?? '.')) {
    at += 1;
  }
  return text[at] === ':';
}

function addKey(keys: Set<string> | undefined, key: string): void {
  if (key === '__proto__') {
    throw new BodyInvalid('The body has a member that is not allowed.');
  }
  if (keys?.has(key)) {
    throw new BodyInvalid('The body names a member twice.');
  }
  keys?.add(key);
}
