import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AccessGrant } from '../../src/grants/AccessGrant';
import { openRecords } from '../../src/storage/openRecords';
import type { TestServer } from './world';

/** What a grant gives to whom. */
export type GrantMembers = Pick<AccessGrant, 'subject' | 'recipient' | 'modes' | 'resources' | 'inherit'>;

const quiet = { error: ignore, warn: ignore, info: ignore, debug: ignore };

/**
 * Writes a grant into the records of a running server, as if it had been issued there. It has no signed document, which
 * no decision reads.
 *
 * @returns Its URI.
 */
export async function issueGrant(
  { base, folder }: Pick<TestServer, 'base' | 'folder'>,
  members: GrantMembers,
): Promise<string> {
  const { records, close } = await openRecords({
    records: join(folder, 'records.sqlite'),
    keys: join(folder, 'keys'),
    clock: (): Date => new Date(),
    newId: randomUUID,
    logger: quiet,
  });
  try {
    const id = randomUUID();
    const uri = `${base}.access/vc/${id}`;
    await records.grants.insert({
      id,
      uri,
      kind: 'grant',
      purposes: [ 'https://purpose.example/trial' ],
      status: await records.statusLists.allocate('grants'),
      issuedAt: new Date(),
      document: '{}',
      ...members,
    });
    return uri;
  } finally {
    await close();
  }
}

function ignore(): void {
  // Nothing of interest is logged.
}
