import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { OpenRecords, OpenRecordsOptions } from '../../src/storage/openRecords';
import { openRecords } from '../../src/storage/openRecords';

/**
 * Opens records from a test, also while a server has them open. The caller closes them.
 *
 * @param folder - Holds `records.sqlite` and the `keys`, unless the options name others.
 * @param options - The rest is the system's clock and the console.
 */
export async function openRecordsOf(folder: string, options: Partial<OpenRecordsOptions> = {}): Promise<OpenRecords> {
  return openRecords({
    records: join(folder, 'records.sqlite'),
    keys: join(folder, 'keys'),
    clock: (): Date => new Date(),
    newId: randomUUID,
    logger: console,
    ...options,
  });
}

/** Opens records like {@link openRecordsOf}, for the duration of some work. */
export async function withRecordsOf<T>(
  folder: string,
  work: (open: OpenRecords) => Promise<T>,
  options?: Partial<OpenRecordsOptions>,
): Promise<T> {
  const open = await openRecordsOf(folder, options);
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}
