import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Term } from 'n3';
import { Parser, Store } from 'n3';
import { codeOf, messageOf } from '../platform/errors';
import { isRecord } from '../platform/isRecord';
import { readRegularText, whyUnreadable } from '../platform/readRegularFile';
import type { I18nString } from './DataType';
import { languages } from './languages';

/** A parsed Turtle file. */
export interface TurtleFile {
  /** Path of the file, for messages. */
  file: string;
  /** The text with its base, so that it means the same everywhere. */
  turtle: string;
  store: Store;
}

/**
 * Reads a Turtle file whose IRIs are relative to the server's base URL.
 *
 * @throws Error naming the file, and the line where the syntax is wrong.
 */
export async function readTurtle(file: string, base: string): Promise<TurtleFile> {
  const text = await readRegularText(file).catch((cause: unknown): never => {
    throw new Error(`${file} ${whyUnreadable(cause)}`, { cause });
  });
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
 * Parses a Turtle text.
 *
 * @throws Error of the parser, with the line.
 */
export function parseTurtle(text: string, base: string): Store {
  return new Store(new Parser({ baseIRI: base }).parse(text));
}

/**
 * Lists the files below a folder with an extension, without hidden ones, in a fixed order; none when there is no
 * folder.
 *
 * @throws Error naming `flag` when the path is not a folder.
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

/** Returns the objects of a property that have a language. */
export function translations(store: Store, subject: Term | string, predicate: string): I18nString[] {
  return store.getObjects(subject, predicate, null)
    .flatMap((term): I18nString[] => term.termType === 'Literal' && term.language ?
        [{ value: term.value, language: term.language }] :
        []);
}

/** Returns the first of {@link languages} that is missing from these translations, or occurs twice. */
export function findMissingLanguage(labels: I18nString[]): string | undefined {
  return languages.find((language): boolean =>
    labels.filter((label): boolean => label.language === language).length !== 1);
}
