import type { Logger } from '../platform/logger';
import { Mistakes } from '../platform/Mistakes';
import type { DocumentContext, OperatorDocuments } from './openDocuments';
import { openTypes } from './openDocuments';

/** Texts by name: a document has changed if its text differs. */
type Texts = ReadonlyMap<string, string>;

/** The documents at one moment. */
interface Versions {
  dataTypes: Texts;
  sources: Texts;
  contracts: Texts;
}

/**
 * Reads data types, purposes, data users, sources and contracts again, and logs the changes.
 *
 * A mistake in data types, purposes or sources leaves all of these unchanged; a mistake in a contract leaves that
 * contract unchanged.
 *
 * @param documents - Updated in place.
 * @param context - Context with which they were first read.
 * @param logger - Logs mistakes and changes.
 */
export async function reloadDocuments(
  documents: OperatorDocuments,
  context: DocumentContext,
  logger: Pick<Logger, 'error' | 'info' | 'warn'>,
): Promise<void> {
  const before = versionsOf(documents);
  const mistakes = new Mistakes();
  const types = await openTypes(context, mistakes);
  if (mistakes.errors.length === 0) {
    documents.dataTypes.adopt(types.dataTypes);
    documents.artefacts.adopt(types.artefacts);
    documents.dataUsers.adopt(types.dataUsers);
    documents.sources.adopt(types.sources);
  }
  for (const line of mistakes.errors) {
    logger.error(`Data types, purposes and sources were not reloaded: ${line}`);
  }
  const { errors, warnings } = await documents.contracts.reload();
  for (const line of errors) {
    logger.error(`Contract not reloaded: ${line}`);
  }
  for (const line of [ ...mistakes.warnings, ...warnings ]) {
    logger.warn(line);
  }
  const after = versionsOf(documents);
  const changes = [
    describe('Data types', before.dataTypes, after.dataTypes),
    describe('Sources', before.sources, after.sources),
    describe('Contracts', before.contracts, after.contracts),
  ];
  logger.info(`Contracts, data types, purposes and sources were reloaded. ${changes.join(' ')}`);
}

function versionsOf({ contracts, dataTypes, sources }: OperatorDocuments): Versions {
  const types = dataTypes.list();
  return {
    dataTypes: new Map(types.map(({ slug, turtle }): [string, string] => [ slug, turtle ])),
    sources: new Map(types.filter(({ iri }): boolean => sources.dataTypes.includes(iri))
      .map(({ iri, slug }): [string, string] => [ slug, sources.versionOf(iri) ])),
    contracts: new Map(contracts.list().map((contract): [string, string] => [ contract.id, JSON.stringify(contract) ])),
  };
}

function describe(what: string, before: Texts, after: Texts): string {
  const names = [ ...after.keys() ];
  const parts: [string, string[]][] = [
    [ 'new', names.filter((name): boolean => !before.has(name)) ],
    [ 'changed', names.filter((name): boolean => before.has(name) && before.get(name) !== after.get(name)) ],
    [ 'gone', [ ...before.keys() ].filter((name): boolean => !after.has(name)) ],
  ];
  const found = parts.filter(([ , those ]): boolean => those.length > 0)
    .map(([ how, those ]): string => `${how} ${those.join(', ')}`);
  return `${what}: ${found.join('; ') || 'no change'}.`;
}
