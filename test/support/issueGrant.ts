import { randomUUID } from 'node:crypto';
import type { AuditEvent } from '../../src/audit/AuditLog';
import type { AccessGrant } from '../../src/grants/AccessGrant';
import type { Records } from '../../src/platform/Records';
import type { Stores } from '../../src/storage/Stores';
import { withRecordsOf } from './openRecordsOf';
import { storageOf } from './storage';
import type { TestServer } from './world';

/** Terms of a grant. */
export type GrantMembers = Pick<AccessGrant, 'subject' | 'recipient' | 'modes' | 'resources' | 'inherit'>;

/**
 * Writes a grant to the records of a running server, as if it had been issued there, but without a signed document,
 * which no decision reads.
 *
 * @returns Its URI.
 */
export async function issueGrant(
  { base, folder }: Pick<TestServer, 'base' | 'folder'>,
  members: GrantMembers,
): Promise<string> {
  const id = randomUUID();
  const uri = `${base}.access/vc/${id}`;
  await withRecords(folder, async(records): Promise<void> => {
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
  });
  return uri;
}

/** Lists the events in the audit record of a running server so far. */
export async function listEvents({ folder }: Pick<TestServer, 'folder'>): Promise<AuditEvent[]> {
  return withRecords(folder, async({ audit }): Promise<AuditEvent[]> =>
    (await audit.list(0, 10_000)).map(({ event }): AuditEvent => event));
}

async function withRecords<T>(folder: string, work: (records: Records<Stores>) => Promise<T>): Promise<T> {
  const { place } = await storageOf(folder);
  return withRecordsOf(folder, async({ records }): Promise<T> => work(records), { records: place });
}
