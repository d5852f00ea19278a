import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Term } from 'n3';
import { Parser, Store } from 'n3';
import { codeOf, messageOf } from '../platform/errors';
import { isRecord } from '../platform/isRecord';
import type { I18nString } from './DataType';
import { languages } from './languages';

/** A Turtle file that was read. */
export interface TurtleFile {
  /** Path of the file, for messages. */
  file: string;
  /** The text with its base, so that it means the same wherever it is read. */
  turtle: string;
  store: Store;
}

/**
 * Reads a Turtle file whose IRIs are relative to the server's base URL.
 *
 * @throws Error naming the file, and the line where the syntax is wrong.
 */
export async function readTurtle(file: string, base: string): Promise<TurtleFile> {
  const text = await readFile(file, 'utf8');
  try {
    return { file, turtle: `@base <${base}> .\n${text}`, store: parseTurtle(text, base) };
  } catch (error: unknown) {
    const context = isRecord(error) && isRecord(error.context) ? error.context : {};
    const line = Number(context.line ?? 1);
    const reason = messageOf(error).replace(/ on line \d+\.?$/u, '');
    throw new Error(`${file}:${line}: not valid Turtle: ${reason}`, { cause: error });
  }
}

/**
 * The graph that a Turtle text holds.
 *
 * @throws Error of the parser, with the line.
 */
export function parseTurtle(text: string, base: string): Store {
  return new Store(new Parser({ baseIRI: base }).parse(text));
}

/**
 * The files below a folder with an extension, hidden ones left out, in a fixed order; nothing when there is no folder.
 *
 * @throws Error naming `flag` when there is something at that path that is not a folder.
 */
export async function listFiles(folder: string, extension: string, flag: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(folder, { recursive: true });
    return entries.filter((name): boolean => name.endsWith(extension) && !/(?:^|[/\\])\./u.test(name)).sort()
      .map((name): string => join(folder, name));
  } catch (error: unknown) {
    if (codeOf(error) === 'ENOENT') {
      return undefined;
    }
    throw new Error(`${flag}: ${folder} cannot be read as a folder`, { cause: error });
  }
}

/** The objects of a property that carry a language. */
export function translations(store: Store, subject: Term | string, predicate: string): I18nString[] {
  return store.getObjects(subject, predicate, null)
    .flatMap((term): I18nString[] => term.termType === 'Literal' && term.language ?
        [{ value: term.value, language: term.language }] :
        []);
}

/** The first of {@link languages} that is not among these translations, or that is there twice. */
export function lackingLanguage(labels: I18nString[]): string | undefined {
  return languages.find((language): boolean =>
    labels.filter((label): boolean => label.language === language).length !== 1);
}
