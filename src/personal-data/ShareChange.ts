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
import { originInvalidSince } from './invalidity';
import type { Share } from './ShareStore';
import type { SharingStores } from './SharingStores';

/** Outcome of sharing a value. */
export type ShareOutcome =
  /** A new resource with a grant. */
  'created' |
  /** New content in an existing resource. */
  'replaced' |
  /** The same content with a new grant. */
  'granted' |
  /** Resource and grant existed already. */
  'unchanged';

/** Rows that become visible in one transaction once a value is shared. Holds no personal data. */
export interface ShareChange {
  /** The call it belongs to: all changes of a call become visible, or none. */
  batch: string;
  outcome: ShareOutcome;
  share: Share;
  /** Present only when the grant is new. */
  grant?: AccessGrant;
  /** Status list entry of the credential that this one replaces. */
  superseded?: StatusEntry;
  owner: WebId;
  contract: { id: string; digest: string; dataUser: WebId };
  context: CallContext;
}

/** A share that is ready to be written. */
export interface PlannedShare {
  change: ShareChange;
  /** The row at the time of planning. */
  existing?: Share;
  /** Bytes to write; absent when the resource keeps its content. */
  bytes?: Buffer;
  /** True when the pod already has the resource. */
  existed: boolean;
  /** Content of the existing resource, for undoing the write. */
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

/** Serialises a change for its intent. */
export function encodeChange(change: ShareChange): string {
  return JSON.stringify(change);
}

/** Parses the text that {@link encodeChange} returned. */
export function decodeChange(text: string): ShareChange {
  // Written by `encodeChange`.
  return JSON.parse(text, (member, value: unknown): unknown =>
    dateMembers.has(member) && typeof value === 'string' ? new Date(value) : value) as ShareChange;
}

/**
 * Writes the rows of a change, with their audit rows. Call it in a transaction.
 *
 * @throws ContractNotConsumable when the contract was first used with another text.
 */
export async function applyChange(stores: SharingStores, change: ShareChange, at: Date): Promise<void> {
  const { contract, grant, share, superseded } = change;
  assertUnchanged(contract, await stores.contractUses.recordFirstUse(contract.id, contract.digest, at));
  if (change.outcome !== 'created') {
    await markCopies(stores, change, at);
  }
  await stores.shares.save(share);
  if (grant) {
    await stores.grants.insert(grant);
  }
  await stores.events.raise(await newsOf(stores, change, at));
  if (superseded) {
    await stores.statusLists.revoke(superseded, at);
  }
  const uri = grant?.uri ?? (await stores.grants.findTerms(share.grantId))?.uri;
  for (const event of auditEvents(change, at, uri)) {
    await stores.audit.append(event);
  }
}

/** Marks the copies of the credential that a share had until now, or those deleted while it was missing. */
async function markCopies(
  { dataCopies, shares }: SharingStores,
  { outcome, share: { modifiedAt, resource }}: ShareChange,
  at: Date,
): Promise<void> {
  const previous = await shares.findByResource(resource);
  const isReplaced = outcome === 'replaced';
  if (previous?.absentAt) {
    await dataCopies.setAbsent(resource, previous.absentAt, isReplaced ? { reportedBefore: at } : 'deleted');
  }
  if (!isReplaced) {
    return;
  }
  const invalidAt = previous && originInvalidSince(previous, at);
  if (invalidAt) {
    await dataCopies.setInvalid(resource, invalidAt, at);
  }
  await dataCopies.setInvalid(resource, modifiedAt, modifiedAt);
  await dataCopies.checkSoon({ resource }, at);
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
