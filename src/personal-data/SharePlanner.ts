import type { CallContext } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import type { Contract } from '../contracts/Contract';
import type { CredentialDocument } from '../credentials/Credential';
import { NotCanonicalizable } from '../credentials/canonicalize';
import { expiryOf, verifyValidity } from '../credentials/credentialShape';
import type { CredentialService } from '../credentials/CredentialService';
import type { CredentialRecord } from '../credentials/draftCredential';
import type { StatusEntry } from '../credentials/StatusListStore';
import type { AccessDecision } from '../grants/AccessDecision';
import type { AccessGrant } from '../grants/AccessGrant';
import type { GrantService } from '../grants/GrantService';
import { contractModes } from '../grants/GrantService';
import type { Citizen } from '../identity/CitizenStore';
import { Turns } from '../platform/Turns';
import { ValueInvalid } from '../problems';
import type { PodGateway } from '../pods/PodGateway';
import { podPlace, shareUri } from '../pods/resourceUri';
import { nextCheck, usualCheckMs } from './checkTimes';
import { digestOf, maxCredentialBytes } from './digest';
import type { Shareable } from './selectValues';
import type { ShareChange, ShareOutcome } from './ShareChange';
import type { Share, ShareKey } from './ShareStore';
import type { SharingStores } from './SharingStores';
import type { PlannedShare } from './ShareWriter';

/** Parts and settings of {@link SharePlanner}. */
export interface SharePlannerOptions {
  records: Pick<SharingStores, 'grants' | 'shares' | 'statusLists'>;
  credentials: Pick<CredentialService, 'issue'>;
  grants: Pick<GrantService, 'buildForContract'>;
  decision: Pick<AccessDecision, 'isEffective'>;
  gateway: Pick<PodGateway, 'exists' | 'findBytes'>;
  now: Clock;
  newId: NewId;
  /** Interval between checks of a share at its origin, in milliseconds; a day when absent. */
  checkMs?: number;
}

/** A call that shares values: its citizen and contract. */
export interface Sharing {
  batch: string;
  citizen: Citizen;
  contract: Contract;
  context: CallContext;
}

/** How one value is shared. */
export interface SharePlan extends PlannedShare {
  /** The grant that gives the data user access to it, new or not. */
  grant: AccessGrant;
}

/** Content of the pod for a share that is on record. */
type Content = Pick<PlannedShare, 'existed' | 'previous'>;

/** The credential that a share is to have. */
interface Credential {
  /** Absent when the pod has it already. */
  bytes?: Buffer;
  digest: string;
  size: number;
  status?: StatusEntry;
  expiresAt?: Date;
}

/** Parts of a share: what is there already, and what was made for it. */
interface Parts {
  /** The share on record. */
  existing?: Share;
  /** The same, when its credential stays as it is. */
  kept?: Share;
  place: Pick<Share, 'id' | 'resource'>;
  credential: Credential;
  /** The grant on record, when it still gives access. */
  usable?: AccessGrant;
  grant: AccessGrant;
}

/**
 * Plans how values are shared: valid shares are kept, the rest is made. Credentials and grants that are signed here
 * count only when the plan is carried out.
 */
export class SharePlanner {
  private readonly turns = new Turns();

  public constructor(private readonly options: SharePlannerOptions) {}

  /** @throws ValueInvalid when no credential can be made of the value. */
  public async plan(sharing: Sharing, value: Shareable): Promise<SharePlan> {
    await this.turns.next();
    const { citizen, contract } = sharing;
    const existing = await this.options.records.shares.find(keyOf(sharing, value));
    const content = await this.contentOf(existing);
    const kept = existing && await this.isCurrent(existing, content, value) ? existing : undefined;
    const place = existing ?? this.newPlace(citizen);
    const credential: Credential = kept ?? await this.issue(citizen.webId, value);
    const usable = existing && await this.findUsableGrant(existing, contract);
    const grant = usable ?? await this.options.grants.buildForContract(citizen.webId, contract, place.resource);
    const change = this.changeOf(sharing, value, { existing, kept, place, credential, usable, grant });
    return { ...content, existing, bytes: credential.bytes, change, grant };
  }

  private async contentOf(share: Share | undefined): Promise<Content> {
    if (!share) {
      return { existed: false };
    }
    const { gateway } = this.options;
    const previous = await gateway.findBytes(share.resource, maxCredentialBytes);
    return { existed: previous !== undefined || await gateway.exists(share.resource), previous };
  }

  /**
   * True when the pod has this version, as it was stored, not revoked and valid now: one that was signed while the
   * clock was ahead begins too late.
   */
  private async isCurrent(share: Share, { previous }: Content, { record }: Shareable): Promise<boolean> {
    return share.version === record.version && !share.invalidAt &&
      previous !== undefined && digestOf(previous.bytes) === share.digest &&
      !(share.status && await this.isOver(share.status, previous.bytes));
  }

  /** Of a credential that was signed here. */
  private async isOver(status: StatusEntry, bytes: Buffer): Promise<boolean> {
    const document = JSON.parse(bytes.toString()) as CredentialDocument;
    return verifyValidity(document, this.options.now()).length > 0 ||
      this.options.records.statusLists.isRevoked(status);
  }

  private newPlace(citizen: Citizen): Parts['place'] {
    const id = this.options.newId();
    return { id, resource: shareUri(podPlace(citizen), id) };
  }

  /** The credential to store: the source's own as it is, or one that is signed now. */
  private async issue(webId: string, { record, value }: Shareable): Promise<Credential> {
    if (record.credential) {
      return credentialOf(record.credential);
    }
    const { document, status } = await this.sign({ webId, dataType: value.type, subject: record.credentialSubject! });
    return credentialOf(document, status);
  }

  private async sign(record: CredentialRecord): ReturnType<CredentialService['issue']> {
    try {
      return await this.options.credentials.issue(record);
    } catch (error: unknown) {
      throw error instanceof NotCanonicalizable ? new ValueInvalid() : error;
    }
  }

  private async findUsableGrant({ grantId }: Share, contract: Contract): Promise<AccessGrant | undefined> {
    const grant = await this.options.records.grants.findById(grantId);
    const isOfContract = grant?.recipient === contract.forDataUser && grant.contract?.digest === contract.digest &&
      contractModes(contract).every((mode): boolean => grant.modes.includes(mode));
    return isOfContract && await this.options.decision.isEffective(grant, grant.recipient) ? grant : undefined;
  }

  private changeOf(sharing: Sharing, value: Shareable, parts: Parts): ShareChange {
    const { batch, citizen, contract, context } = sharing;
    const { existing, kept, usable, grant } = parts;
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
    const { checkMs = usualCheckMs } = this.options;
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
