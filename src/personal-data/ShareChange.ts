import type { AuditEvent } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import { assertUnchanged } from '../contracts/assertUnchanged';
import { contractFacts } from '../contracts/contractFacts';
import type { StatusEntry } from '../credentials/StatusListStore';
import type { NewEvent } from '../events/Event';
import { accessEvents } from '../grants/accessEvents';
import type { AccessGrant } from '../grants/AccessGrant';
import { resourceEvents } from '../grants/resourceEvents';
import type { WebId } from '../platform/webId';
import type { Share } from './ShareStore';
import type { SharingStores } from './SharingStores';

/** Outcome of sharing a value. */
export type ShareOutcome =
  /** A new resource with a grant. */
  'created' |
  /** New content in a resource that was there. */
  'replaced' |
  /** The same content, with a new grant. */
  'granted' |
  /** All was there already. */
  'unchanged';

/** Rows that become visible in one transaction when a value has been shared. Holds no personal data. */
export interface ShareChange {
  /** The call it is part of: all of its changes become visible, or none. */
  batch: string;
  outcome: ShareOutcome;
  share: Share;
  /** Only when it is a new one. */
  grant?: AccessGrant;
  /** Place of the credential that this one takes the place of. */
  superseded?: StatusEntry;
  owner: WebId;
  contract: { id: string; digest: string; dataUser: WebId };
  context: CallContext;
}

/** A share that is ready to be carried out. */
export interface PlannedShare {
  change: ShareChange;
  /** The row that was there when it was planned. */
  existing?: Share;
  /** Bytes to write; absent when the content of the resource stays. */
  bytes?: Buffer;
  /** True when there is a resource in the pod. */
  existed: boolean;
  /** Its present content, to put it back. */
  previous?: { bytes: Buffer; contentType: string; etag: string };
}

const dateMembers = new Set([
  'createdAt',
  'modifiedAt',
  'absentAt',
  'invalidAt',
  'issuedAt',
  'expiresAt',
  'revokedAt',
  'checkedAt',
  'checkAt',
]);

/** The change as text, for the intent. */
export function encodeChange(change: ShareChange): string {
  return JSON.stringify(change);
}

/** The change that {@link encodeChange} made a text of. */
export function decodeChange(text: string): ShareChange {
  // Written by `encodeChange`.
  return JSON.parse(text, (member, value: unknown): unknown =>
    dateMembers.has(member) && typeof value === 'string' ? new Date(value) : value) as ShareChange;
}

/**
 * Writes the rows of a change, with its audit rows: to be called in a transaction.
 *
 * @throws ContractNotConsumable when the contract was used before with another text.
 */
export async function applyChange(stores: SharingStores, change: ShareChange, at: Date): Promise<void> {
  const { contract, grant, share, superseded } = change;
  assertUnchanged(contract, await stores.contractUses.recordFirstUse(contract.id, contract.digest, at));
  await stores.shares.save(share);
  if (grant) {
    await stores.grants.insert(grant);
  }
  await stores.events.raise(await newsOf(stores, change, at));
  if (change.outcome === 'replaced') {
    await stores.dataCopies.judgeAgain({ resource: share.resource }, at);
  }
  if (superseded) {
    await stores.statusLists.revoke(superseded, at);
  }
  const uri = grant?.uri ?? (await stores.grants.findTerms(share.grantId))?.uri;
  for (const event of auditEvents(change, at, uri)) {
    await stores.audit.append(event);
  }
}

async function newsOf({ grants }: SharingStores, change: ShareChange, at: Date): Promise<NewEvent[]> {
  const { grant, outcome, owner, share: { resource }} = change;
  return [
    ...grant ? accessEvents('AccessGranted', grant, at) : [],
    ...outcome === 'replaced' ? await resourceEvents('ResourceUpdated', grants, resource, owner, at) : [],
  ];
}

function auditEvents(
  { context, contract, grant, outcome, owner, share }: ShareChange,
  at: Date,
  grantUri: string | undefined,
): AuditEvent[] {
  const common = { at, citizenId: share.citizenId };
  const facts = contractFacts(contract);
  const shared: AuditEvent = {
    ...common,
    type: 'data.shared',
    ...ofCall(context, { ...facts, dataType: share.dataType, digest: share.digest, outcome }),
    personal: { owner, dataUser: contract.dataUser, resource: share.resource, ...grantUri && { grant: grantUri }},
  };
  const issued: AuditEvent[] = grant ?
      [{
        ...common,
        type: 'grant.issued',
        ...ofCall(context, { ...facts, modes: grant.modes.join(' ') }),
        personal: { owner, grantee: grant.recipient, resource: share.resource, grant: grant.uri },
      }] :
      [];
  return [ shared, ...issued ];
}
