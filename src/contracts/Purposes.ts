import { basename } from 'node:path';
import type { I18nString } from '../data-types/DataType';
import type { TurtleFile } from '../data-types/turtle';
import { findMissingLanguage, listFiles, readTurtle, translations } from '../data-types/turtle';
import type { Mistakes } from '../platform/Mistakes';
import { RDFS, SKOS } from '../vocabulary';

/** A purpose that this server describes. */
export interface Purpose extends TurtleFile {
  /** Names in the four languages. */
  labels: I18nString[];
}

/**
 * Reads the purpose documents in a folder, `{name}.ttl`, by name.
 *
 * Each describes `{base}v1/purposes/{name}`, with labels in the four languages. Without the folder, there are no
 * purposes.
 *
 * @param folder - `--purposes`.
 * @param base - The server's base URL.
 * @param mistakes - Collects mistakes, naming the file and the wrong member.
 */
export async function loadPurposes(
  folder: string,
  base: string,
  mistakes: Mistakes,
): Promise<Map<string, Purpose>> {
  const purposes = new Map<string, Purpose>();
  const files = await mistakes.during(async(): Promise<string[]> =>
    await listFiles(folder, '.ttl', '--purposes') ?? []);
  for (const file of files ?? []) {
    await mistakes.during(async(): Promise<void> => addPurpose(purposes, file, base));
  }
  return purposes;
}

async function addPurpose(purposes: Map<string, Purpose>, file: string, base: string): Promise<void> {
  const name = basename(file, '.ttl');
  const iri = `${base}v1/purposes/${name}`;
  const purpose = await readTurtle(file, base);
  if (!/^[\w.-]+$/u.test(name) || purposes.has(name)) {
    throw new Error(`${file}: the file name must be unique, with the characters A-Z a-z 0-9 . _ - only`);
  }
  const names = [ SKOS.prefLabel, RDFS.label ].map((label): I18nString[] => translations(purpose.store, iri, label));
  const labels = names.find((found): boolean => findMissingLanguage(found) === undefined);
  if (!labels) {
    const lacking = findMissingLanguage(names[0]);
    throw new Error(`${file}: skos:prefLabel or rdfs:label of ${iri} must occur once in language '${lacking}'`);
  }
  purposes.set(name, { ...purpose, labels });
}
