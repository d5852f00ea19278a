import type { ParseError } from 'jsonc-parser';
import { parse, printParseErrorCode } from 'jsonc-parser';
import { isRecord } from './isRecord';
import { isList, lastOf } from './lists';

/** A text is not JSON. The message gives place and reason, and quotes nothing of the text. */
export class NotJson extends Error {
  public constructor(
    public readonly line: number,
    public readonly column: number,
    reason: string,
  ) {
    super(`not JSON: ${reason}`);
    this.name = 'NotJson';
  }

  /** Returns the place after the name of the file, in the form that editors accept: `file.json:3:7`. */
  public in(file: string): string {
    return `${file}:${this.line}:${this.column}`;
  }
}

/**
 * Parses a JSON text.
 *
 * @throws NotJson with line and column, both counted from 1. The engine's own errors quote the text instead.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    const { offset, reason } = findFault(text);
    const before = text.slice(0, offset).split('\n');
    throw new NotJson(before.length, lastOf(before).length + 1, reason);
  }
}

/** Parses a JSON array in a text; an empty one for other values, and for text that is not JSON. */
export function parseList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return isList(value) ? value : [];
  } catch {
    return [];
  }
}

/** Parses a JSON object in a text or in UTF-8; `undefined` for other values, and for text that is not JSON. */
export function parseObject(text: Buffer | string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    return isRecord(value) ? value : undefined;
  } catch {
    // Not JSON.
  }
}

/** Finds the first fault in a text that is not JSON. */
function findFault(text: string): { offset: number; reason: string } {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch {
    // The parser descends by recursion.
    return { offset: 0, reason: 'the text is nested too deeply' };
  }
  return errors.length > 0 ?
      { offset: errors[0].offset, reason: inWords(printParseErrorCode(errors[0].error)) } :
      { offset: text.length, reason: 'the text ends too early' };
}

/** Converts an error code to words: `CommaExpected` to `comma expected`. */
function inWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter): string => ` ${letter}`).toLowerCase();
}
