import { parseOwn } from '../platform/ownJson';
import type { Contract } from '../contracts/Contract';
import type { CredentialDocument } from '../credentials/Credential';
import { verifyValidity } from '../credentials/credentialShape';
import type { StatusEntry } from '../credentials/StatusListStore';
import type { AccessDecision } from '../grants/AccessDecision';
import type { AccessGrant } from '../grants/AccessGrant';
import { modesUnder } from '../grants/GrantIssuer';
import type { Clock, NewId } from '../platform/clock';
import type { Records } from '../platform/Records';
import type { PodGateway } from '../pods/PodGateway';
import { Unavailable } from '../problems';
import { digestOf, maxCredentialBytes } from './digest';
import type { PlannedShare } from './ShareChange';
import { applyChange, encodeChange } from './ShareChange';
import type { ShareRecovery } from './ShareRecovery';
import { assertActive, takeIntents } from './ShareRecovery';
import type { Share, ShareIntent, ShareKey } from './ShareStore';
import type { SharingStores } from './SharingStores';

/** Dependencies of {@link ShareWriter}. */
export interface ShareWriterOptions {
  records: Records<SharingStores>;
  gateway: Pick<PodGateway, 'exists' | 'findBytes' | 'write'>;
  decision: Pick<AccessDecision, 'isEffective'>;
  recovery: Pick<ShareRecovery, 'takeBack'>;
  now: Clock;
  newId: NewId;
}

/** The existing parts of a share before it is planned, in the records and in the pod. */
export interface ExistingShare extends Pick<PlannedShare, 'existed' | 'existing' | 'previous'> {
  /** The recorded share, when its credential can stay as it is. */
  kept?: Share;
  /** The recorded grant, while it gives the contract's data user everything that the contract says. */
  usable?: AccessGrant;
}

/**
 * Finds the existing parts of shares, and carries shares out, all or none. It writes intents first, then to the pod,
 * then commits one transaction that makes the shares visible and deletes the intents. A share with an intent is
 * therefore not visible.
 */
export class ShareWriter {
  public constructor(private readonly options: ShareWriterOptions) {}

  /**
   * Finds the existing parts of a share.
   *
   * @param key - Key of the share.
   * @param version - Current version of the record at its source.
   * @param contract - Contract under which it is shared.
   */
  public async findExisting(key: ShareKey, version: string, contract: Contract): Promise<ExistingShare> {
    const { gateway, records } = this.options;
    const existing = await records.shares.find(key);
    if (!existing) {
      return { existed: false };
    }
    const previous = await gateway.findBytes(existing.resource, maxCredentialBytes);
    const existed = previous !== undefined || await gateway.exists(existing.resource);
    const isKept = existing.version === version && await this.isCurrent(existing, previous?.bytes);
    const usable = await this.findUsable(existing.grantId, contract);
    return { existing, existed, previous, kept: isKept ? existing : undefined, usable };
  }

  /**
   * Carries out the shares of one call. When it rejects, none was carried out; or all were, and only the answer to the
   * commit was lost, which the rows then show.
   */
  public async run(plans: PlannedShare[]): Promise<void> {
    const intents = await this.announce(plans);
    try {
      for (const plan of plans) {
        await this.write(plan);
      }
      await this.options.records.transaction(async(stores): Promise<void> => this.commit(stores, plans, intents));
    } catch (error: unknown) {
      await this.options.recovery.takeBack(plans, intents);
      throw error;
    }
  }

  /** Checks whether rows differ from the plan: the record was shared elsewhere, or here and the answer was lost. */
  public async wereOvertaken(plans: PlannedShare[]): Promise<boolean> {
    const rows = await Promise.all(plans.map(async({ change, existing }): Promise<boolean> =>
      !isSameShare(await this.options.records.shares.find(change.share), existing)));
    return rows.some(Boolean);
  }

  private async announce(plans: PlannedShare[]): Promise<ShareIntent[]> {
    if (!plans.some(({ bytes }): boolean => bytes !== undefined)) {
      return [];
    }
    const intents = plans.map(({ change, existed }): ShareIntent => ({
      id: this.options.newId(),
      citizenId: change.share.citizenId,
      resource: change.share.resource,
      digest: change.share.digest,
      existed,
      plan: encodeChange(change),
      createdAt: this.options.now(),
    }));
    await this.options.records.shares.insertIntents(intents);
    return intents;
  }

  /** Replaces only the version that existed at planning: a call that was overtaken writes nothing. */
  private async write({ bytes, change, existed, previous }: PlannedShare): Promise<void> {
    if (bytes) {
      const { contentType, resource } = change.share;
      await this.options.gateway.write(resource, bytes, contentType, previous?.etag ?? (existed ? undefined : null));
    }
  }

  private async commit(stores: SharingStores, plans: PlannedShare[], intents: ShareIntent[]): Promise<void> {
    await assertActive(stores, plans[0].change.share.citizenId);
    await takeIntents(stores, intents);
    for (const { change, existing } of plans) {
      if (!isSameShare(await stores.shares.find(change.share), existing)) {
        throw new Unavailable('The same record was shared elsewhere at the same time.');
      }
      await applyChange(stores, change, this.options.now());
    }
  }

  /**
   * Checks that the pod has the credential as it was stored, neither revoked nor outside its validity. The validity of
   * a credential that was signed while the clock was ahead begins too late.
   */
  private async isCurrent({ digest, invalidAt, status }: Share, bytes: Buffer | undefined): Promise<boolean> {
    return !invalidAt && bytes !== undefined && digestOf(bytes) === digest &&
      !(status && await this.isOver(status, bytes));
  }

  /** Checks whether a credential that this server signed is revoked, or outside its validity. */
  private async isOver(status: StatusEntry, bytes: Buffer): Promise<boolean> {
    const { now, records } = this.options;
    const document = parseOwn<CredentialDocument>(bytes.toString());
    return verifyValidity(document, now()).length > 0 || records.statusLists.isRevoked(status);
  }

  private async findUsable(grantId: string, contract: Contract): Promise<AccessGrant | undefined> {
    const { decision, records } = this.options;
    const grant = await records.grants.findById(grantId);
    const isOfContract = grant?.recipient === contract.forDataUser && grant.contract?.digest === contract.digest &&
      modesUnder(contract).every((mode): boolean => grant.modes.includes(mode));
    return isOfContract && await decision.isEffective(grant, contract.forDataUser) ? grant : undefined;
  }
}

/** Checks whether two rows have the same content and grant, or are both absent. */
function isSameShare(share: Share | undefined, other: Share | undefined): boolean {
  return share?.id === other?.id && share?.digest === other?.digest && share?.grantId === other?.grantId;
}
