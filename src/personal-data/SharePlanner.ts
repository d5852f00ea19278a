import type { CallContext } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import type { Contract } from '../contracts/Contract';
import type { CredentialDocument } from '../credentials/Credential';
import { NotCanonicalizable } from '../credentials/canonicalize';
import { expiryOf } from '../credentials/credentialShape';
import type { CredentialIssuer } from '../credentials/CredentialIssuer';
import type { CredentialRecord } from '../credentials/draftCredential';
import type { StatusEntry } from '../credentials/StatusListStore';
import type { AccessGrant } from '../grants/AccessGrant';
import type { GrantIssuer } from '../grants/GrantIssuer';
import type { Citizen } from '../identity/CitizenStore';
import { Turns } from '../platform/Turns';
import type { WebId } from '../platform/webId';
import { ValueInvalid } from '../problems';
import { podPlace, shareUri } from '../pods/resourceUri';
import type { Shareable } from './Candidates';
import { defaultCheckMs, nextCheck } from './checkTimes';
import { digestOf } from './digest';
import type { PlannedShare, ShareChange, ShareOutcome } from './ShareChange';
import type { Share, ShareKey } from './ShareStore';
import type { ExistingShare, ShareWriter } from './ShareWriter';

/** Dependencies and settings of {@link SharePlanner}. */
export interface SharePlannerOptions {
  writer: Pick<ShareWriter, 'findExisting'>;
  credentials: Pick<CredentialIssuer, 'issue'>;
  grants: Pick<GrantIssuer, 'issueUnder'>;
  now: Clock;
  newId: NewId;
  /** Interval between checks of a share at its origin, in milliseconds; a day when absent. */
  checkMs?: number;
}

/** A call that shares values: its citizen and contract. */
export interface Sharing {
  citizen: Citizen;
  contract: Contract;
  context: CallContext;
}

/** The plan for sharing one value. */
export interface SharePlan extends PlannedShare {
  /** The grant that gives the data user access to the resource, new or existing. */
  grant: AccessGrant;
}

/** The credential of a share. */
interface Credential {
  /** Absent when the pod already has it. */
  bytes?: Buffer;
  digest: string;
  size: number;
  status?: StatusEntry;
  expiresAt?: Date;
}

/** The parts of a share: existing ones, and those made for it. */
interface Parts extends Pick<ExistingShare, 'existing' | 'kept' | 'usable'> {
  batch: string;
  place: Pick<Share, 'id' | 'resource'>;
  credential: Credential;
  grant: AccessGrant;
}

/**
 * Plans how to share values. Valid shares are kept, and everything else is made. Credentials and grants signed here
 * have no effect until the plan is carried out.
 */
export class SharePlanner {
  private readonly turns = new Turns();

  public constructor(private readonly options: SharePlannerOptions) {}

  /**
   * Plans how to share the values of one call.
   *
   * @throws ValueInvalid when no credential can be made from a value.
   */
  public async plan(sharing: Sharing, values: Shareable[]): Promise<SharePlan[]> {
    const batch = this.options.newId();
    const plans: SharePlan[] = [];
    for (const value of values) {
      await this.turns.next();
      plans.push(await this.planOne(sharing, value, batch));
    }
    return plans;
  }

  private async planOne(sharing: Sharing, value: Shareable, batch: string): Promise<SharePlan> {
    const { citizen, contract } = sharing;
    const { grants, now, writer } = this.options;
    const { kept, usable, ...found } =
      await writer.findExisting(keyOf(sharing, value), value.record.version, contract);
    const { existing } = found;
    const place = existing ?? this.newPlace(citizen);
    // Signed concurrently: on PostgreSQL, both then look for new keys in one statement.
    const [ credential, grant ]: [Credential, AccessGrant] = await Promise.all([
      kept ?? this.issue(citizen.webId, value),
      usable ?? grants.issueUnder(contract, citizen.webId, place.resource, now()),
    ]);
    const change = this.changeOf(sharing, value, { batch, existing, kept, place, credential, usable, grant });
    return { ...found, bytes: credential.bytes, change, grant };
  }

  private newPlace(citizen: Citizen): Parts['place'] {
    const id = this.options.newId();
    return { id, resource: shareUri(podPlace(citizen), id) };
  }

  /** Returns the credential to store: the source's own, unchanged, or a newly signed one. */
  private async issue(webId: WebId, { record, value }: Shareable): Promise<Credential> {
    if (record.credential) {
      return credentialOf(record.credential);
    }
    // A record that could be read has one of the two.
    const { document, status } = await this.sign({ webId, dataType: value.type, subject: record.credentialSubject! });
    return credentialOf(document, status);
  }

  private async sign(record: CredentialRecord): ReturnType<CredentialIssuer['issue']> {
    try {
      return await this.options.credentials.issue(record);
    } catch (error: unknown) {
      throw error instanceof NotCanonicalizable ? new ValueInvalid() : error;
    }
  }

  private changeOf(sharing: Sharing, value: Shareable, parts: Parts): ShareChange {
    const { citizen, contract, context } = sharing;
    const { batch, existing, kept, usable, grant } = parts;
    return {
      batch,
      outcome: outcomeOf(parts),
      share: this.shareOf(keyOf(sharing, value), value, parts),
      grant: usable ? undefined : grant,
      superseded: kept ? undefined : existing?.status,
      owner: citizen.webId,
      contract: { id: contract.id, digest: contract.digest, dataUser: contract.forDataUser },
      context,
    };
  }

  private shareOf(key: ShareKey, { record }: Shareable, { existing, kept, place, credential, grant }: Parts): Share {
    const { checkMs = defaultCheckMs } = this.options;
    const now = this.options.now();
    const { id } = place;
    const { expiresAt } = credential;
    return {
      ...key,
      id,
      resource: place.resource,
      version: record.version,
      contentType: 'application/ld+json',
      size: credential.size,
      digest: credential.digest,
      status: credential.status,
      grantId: grant.id,
      createdAt: existing?.createdAt ?? now,
      modifiedAt: kept?.modifiedAt ?? now,
      expiresAt,
      checkedAt: now,
      checkAt: nextCheck({ id, expiresAt }, now, checkMs),
    };
  }
}

function credentialOf(document: CredentialDocument, status?: StatusEntry): Credential {
  const bytes = Buffer.from(JSON.stringify(document));
  return { bytes, digest: digestOf(bytes), size: bytes.length, status, expiresAt: expiryOf(document) };
}

function keyOf({ citizen, contract }: Sharing, { record, value }: Shareable): ShareKey {
  return { citizenId: citizen.id, contractId: contract.id, dataType: value.type, recordId: record.id };
}

function outcomeOf({ existing, kept, usable }: Parts): ShareOutcome {
  if (!existing) {
    return 'created';
  }
  if (!kept) {
    return 'replaced';
  }
  return usable ? 'unchanged' : 'granted';
}
