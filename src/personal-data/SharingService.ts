import type { CallContext } from '../audit/CallContext';
import type { Clock, NewId } from '../clock';
import { assertNotSuspended } from '../contracts/assertNotSuspended';
import type { Contract, ContractCatalogue } from '../contracts/Contract';
import type { CredentialDocument } from '../credentials/Credential';
import { NotCanonicalizable } from '../credentials/canonicalize';
import type { CredentialRecord, CredentialService } from '../credentials/CredentialService';
import type { StatusEntry } from '../credentials/StatusListStore';
import type { AccessDecision } from '../grants/AccessDecision';
import type { AccessGrant } from '../grants/AccessGrant';
import type { GrantService } from '../grants/GrantService';
import type { Citizen } from '../identity/CitizenStore';
import type { Mutex } from '../identity/KeyedMutex';
import type { Logger } from '../logger';
import { AccessForbidden, ContractNotConsumable, ValueInvalid } from '../problems';
import type { Records } from '../records';
import type { PodGateway } from '../pods/PodGateway';
import { shareUri } from '../pods/resourceUri';
import { digestOf, maxCredentialBytes } from './digest';
import type { PersonalDataService } from './PersonalDataService';
import type { Shareable } from './selectValues';
import { assertIds, selectValues } from './selectValues';
import type { ShareOutcome } from './ShareChange';
import type { Share, ShareKey } from './ShareStore';
import type { PlannedShare } from './ShareWriter';
import { isSameShare, ShareWriter } from './ShareWriter';

/** What {@link SharingService} works with. */
export interface SharingServiceOptions {
  records: Pick<
    Records,
    'citizens' | 'contractUses' | 'grants' | 'shares' | 'statusLists' | 'suspensions' | 'transaction'
  >;
  contracts: Pick<ContractCatalogue, 'getConsumable'>;
  personalData: Pick<PersonalDataService, 'listCandidates'>;
  credentials: Pick<CredentialService, 'issue'>;
  grants: Pick<GrantService, 'buildForContract'>;
  decision: Pick<AccessDecision, 'isEffective'>;
  gateway: PodGateway;
  /** Keeps what is done to one citizen's pod apart, by citizen id. */
  mutex: Mutex;
  logger: Logger;
  now: Clock;
  newId: NewId;
}

/** A value that was shared. */
export interface Shared {
  /** URI of the resource in the pod. */
  podResource: string;
  /** URI of the grant that gives the contract's data user access to it. */
  accessGrant: string;
}

/** One call of {@link SharingService.share}, while it is planned. */
interface Sharing {
  batch: string;
  citizen: Citizen;
  contract: Contract;
  context: CallContext;
}

/** What stands in the pod for a share that is on record. */
interface Content {
  existed: boolean;
  /** Absent when there is none, or too much to be a credential. */
  previous?: { bytes: Buffer; contentType: string };
}

/** The credential that a share is to have. */
interface Credential {
  /** Absent when it is the one that stands in the pod. */
  bytes?: Buffer;
  digest: string;
  size: number;
  status?: StatusEntry;
}

/**
 * Shares personal data under a contract: each value becomes a credential in the citizen's pod, with an access grant for
 * the contract's data user.
 *
 * One resource per citizen, contract and record. Sharing again gives the same resource and, while it is effective, the
 * same grant; a new version replaces the content, and the credential that it supersedes is revoked.
 */
export class SharingService {
  private readonly options: SharingServiceOptions;
  private readonly writer: ShareWriter;

  public constructor(options: SharingServiceOptions) {
    this.options = options;
    this.writer = new ShareWriter(options);
  }

  /**
   * Shares values, all or none. What is stored is always read from the source, never taken from the caller.
   *
   * @param ids - Of 1 to 50 values, none of them twice.
   *
   * @returns In the order of the ids.
   *
   * @throws BodyInvalid, ContractIdInvalid, ContractNotFound, ContractNotConsumable, ContractSuspended,
   * DataUserSuspended, ValueUnknown, ValueChanged, ValueInvalid, SourceUnavailable
   */
  public async share(citizen: Citizen, contractId: string, ids: string[], context: CallContext): Promise<Shared[]> {
    assertIds(ids);
    const contract = this.options.contracts.getConsumable(contractId, this.options.now());
    await assertNotSuspended(contract, this.options.records.suspensions);
    return this.options.mutex.run(citizen.id, async(): Promise<Shared[]> => {
      await this.assertActive(citizen);
      await this.assertUnchanged(contract);
      await this.writer.recover(citizen.id);
      const candidates = await this.options.personalData.listCandidates(citizen, contract, new Set(ids));
      const values = selectValues(candidates, ids);
      return this.shareValues({ batch: this.options.newId(), citizen, contract, context }, values);
    });
  }

  /** Finishes or undoes what a crash interrupted, here or on another node. What is in progress is left alone. */
  public async recover(): Promise<void> {
    for (const citizenId of await this.writer.listInterrupted()) {
      await this.options.mutex.run(citizenId, async(): Promise<void> => this.writer.recover(citizenId));
    }
  }

  /**
   * Takes note that a resource changed in the pod: shared data that is gone or altered is marked so, and the mark of
   * being gone is taken away when it is there again.
   *
   * @param uri - Of any resource.
   */
  public async onResourceChanged(uri: string, kind: 'deleted' | 'updated'): Promise<void> {
    const { shares } = this.options.records;
    const share = await shares.findByResource(uri);
    if (share) {
      await this.options.mutex.run(share.citizenId, async(): Promise<void> => this.noteChange(uri, kind));
    }
  }

  private async noteChange(uri: string, kind: 'deleted' | 'updated'): Promise<void> {
    const { gateway, now, records: { shares }} = this.options;
    const share = await shares.findByResource(uri);
    const exists = await gateway.exists(uri);
    if (kind === 'deleted' || !exists) {
      await shares.setAbsent(uri, exists ? undefined : now());
      return;
    }
    await shares.setAbsent(uri, undefined);
    const found = await gateway.findBytes(uri, maxCredentialBytes);
    if (!found || digestOf(found.bytes) !== share?.digest) {
      await shares.setInvalid(uri, now());
    }
  }

  /** The pod may have been deleted while this call waited. */
  private async assertActive({ id }: Citizen): Promise<void> {
    const citizen = await this.options.records.citizens.findById(id);
    if (citizen?.state !== 'ACTIVE') {
      throw new AccessForbidden('The pod is being deleted.');
    }
  }

  private async assertUnchanged({ id, digest }: Contract): Promise<void> {
    const used = await this.options.records.contractUses.find(id);
    if (used !== undefined && used !== digest) {
      throw new ContractNotConsumable('The contract has changed since it was first used.');
    }
  }

  /** Once more when the rows are not as planned: shared elsewhere meanwhile, or here, but the answer was lost. */
  private async shareValues(sharing: Sharing, values: Shareable[], isAgain = false): Promise<Shared[]> {
    const plans: PlannedShare[] = [];
    const shared: Shared[] = [];
    for (const value of values) {
      const { plan, grant } = await this.plan(sharing, value);
      plans.push(plan);
      shared.push({ podResource: plan.change.share.resource, accessGrant: grant.uri });
    }
    try {
      await this.writer.run(plans);
    } catch (error: unknown) {
      if (isAgain || !await this.wereOvertaken(plans)) {
        throw error;
      }
      return this.shareValues(sharing, values, true);
    }
    return shared;
  }

  private async wereOvertaken(plans: PlannedShare[]): Promise<boolean> {
    const rows = await Promise.all(plans.map(async({ change, existing }): Promise<boolean> => {
      const row = await this.options.records.shares.find(change.share);
      return !isSameShare(row, existing);
    }));
    return rows.some(Boolean);
  }

  private async plan(sharing: Sharing, value: Shareable): Promise<{ plan: PlannedShare; grant: AccessGrant }> {
    const { citizen, contract, context, batch } = sharing;
    const key = keyOf(sharing, value);
    const existing = await this.options.records.shares.find(key);
    const content = existing ? await this.contentOf(existing) : { existed: false };
    const kept = existing && await this.isCurrent(existing, content, value) ? existing : undefined;
    const id = existing?.id ?? this.options.newId();
    const resource = existing?.resource ?? shareUri(citizen.podUrl, id);
    const credential: Credential = kept ?? await this.issue(citizen.webId, value);
    const usable = existing && await this.findUsableGrant(existing, contract);
    const grant = usable ?? await this.options.grants.buildForContract(citizen.webId, contract, resource);
    const now = this.options.now();
    const outcome = outcomeOf(existing, kept, usable);
    const share: Share = {
      ...key,
      id,
      resource,
      version: value.record.version,
      contentType: 'application/ld+json',
      size: credential.size,
      digest: credential.digest,
      status: credential.status,
      grantId: grant.id,
      createdAt: existing?.createdAt ?? now,
      modifiedAt: kept ? kept.modifiedAt : now,
    };
    return {
      grant,
      plan: {
        ...content,
        existing,
        bytes: credential.bytes,
        change: {
          batch,
          outcome,
          share,
          grant: usable ? undefined : grant,
          superseded: kept ? undefined : existing?.status,
          owner: citizen.webId,
          contract: { id: contract.id, digest: contract.digest, dataUser: contract.forDataUser },
          context,
        },
      },
    };
  }

  private async contentOf({ resource }: Share): Promise<Content> {
    const { gateway } = this.options;
    const previous = await gateway.findBytes(resource, maxCredentialBytes);
    return { existed: previous !== undefined || await gateway.exists(resource), previous };
  }

  /** Whether what stands in the pod is this version, as it was stored, and not revoked. */
  private async isCurrent(share: Share, { previous }: Content, { record }: Shareable): Promise<boolean> {
    return share.version === record.version && !share.invalidAt &&
      previous !== undefined && digestOf(previous.bytes) === share.digest &&
      !(share.status && await this.options.records.statusLists.isRevoked(share.status));
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
    const isOfContract = grant?.recipient === contract.forDataUser && grant.contract?.digest === contract.digest;
    return isOfContract && await this.options.decision.isEffective(grant, grant.recipient) ? grant : undefined;
  }
}

function credentialOf(document: CredentialDocument, status?: StatusEntry): Credential {
  const bytes = Buffer.from(JSON.stringify(document));
  return { bytes, digest: digestOf(bytes), size: bytes.length, status };
}

function keyOf({ citizen, contract }: Sharing, { record, value }: Shareable): ShareKey {
  return { citizenId: citizen.id, contractId: contract.id, dataType: value.type, recordId: record.id };
}

function outcomeOf(existing?: Share, kept?: Share, usable?: AccessGrant): ShareOutcome {
  if (!existing) {
    return 'created';
  }
  if (!kept) {
    return 'replaced';
  }
  return usable ? 'unchanged' : 'granted';
}
