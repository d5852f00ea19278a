import { keepApart } from '../platform/keepApart';
import type { Logger } from '../platform/logger';
import { Mistakes } from '../platform/Mistakes';
import type { DocumentContext, OperatorDocuments } from './openDocuments';
import { openDocuments, summariseDocuments } from './openDocuments';

/**
 * Reads the documents for a start.
 *
 * @param context - What they are read with.
 * @param report - Logs the documents found and the mistakes that do not prevent the start; absent in workers.
 *
 * @throws Error with a line for each mistake, also in the places of the documents: none may be among the pods.
 */
export async function readDocuments(
  context: DocumentContext,
  report?: Pick<Logger, 'info' | 'warn'>,
): Promise<OperatorDocuments> {
  const { now, rootFilePath, settings } = context;
  const mistakes = new Mistakes();
  const documents = await openDocuments(context, mistakes);
  await mistakes.during(async(): Promise<void> => keepApart(rootFilePath, settings.paths));
  mistakes.throwErrors();
  for (const line of mistakes.warnings) {
    report?.warn(line);
  }
  for (const line of report ? summariseDocuments(documents, settings, now()) : []) {
    report?.info(line);
  }
  return documents;
}
