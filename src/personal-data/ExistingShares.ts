import type { CredentialDocument } from '../credentials/Credential';
import { verifyValidity } from '../credentials/credentialShape';
import type { StatusEntry, StatusListStore } from '../credentials/StatusListStore';
import type { Clock } from '../platform/clock';
import { parseOwn } from '../platform/ownJson';
import type { PodGateway } from '../pods/PodGateway';
import { digestOf, maxCredentialBytes } from './digest';
import type { Share, ShareKey, ShareStore } from './ShareStore';
import type { PlannedShare } from './ShareWriter';

/** Dependencies of {@link ExistingShares}. */
export interface ExistingSharesOptions {
  shares: Pick<ShareStore, 'find'>;
  statusLists: Pick<StatusListStore, 'isRevoked'>;
  gateway: Pick<PodGateway, 'exists' | 'findBytes'>;
  now: Clock;
}

/** A share as it is on record and in the pod before it is planned. */
export interface ExistingShare extends Pick<PlannedShare, 'existed' | 'existing' | 'previous'> {
  /** The share on record, when its credential stays as it is. */
  kept?: Share;
}

/** Looks up shares that are there already. */
export class ExistingShares {
  public constructor(private readonly options: ExistingSharesOptions) {}

  /**
   * Looks at what is there of a share.
   *
   * @param key - Of the share.
   * @param version - Of the record as the source has it now.
   */
  public async find(key: ShareKey, version: string): Promise<ExistingShare> {
    const existing = await this.options.shares.find(key);
    if (!existing) {
      return { existed: false };
    }
    const { gateway } = this.options;
    const previous = await gateway.findBytes(existing.resource, maxCredentialBytes);
    const existed = previous !== undefined || await gateway.exists(existing.resource);
    const isKept = existing.version === version && await this.isCurrent(existing, previous?.bytes);
    return { existing, existed, previous, kept: isKept ? existing : undefined };
  }

  /**
   * True when the pod has the credential as it was stored, not revoked and valid now: one that was signed while the
   * clock was ahead begins too late.
   */
  private async isCurrent({ digest, invalidAt, status }: Share, bytes: Buffer | undefined): Promise<boolean> {
    return !invalidAt && bytes !== undefined && digestOf(bytes) === digest &&
      !(status && await this.isOver(status, bytes));
  }

  /** Of a credential that was signed here. */
  private async isOver(status: StatusEntry, bytes: Buffer): Promise<boolean> {
    const document = parseOwn<CredentialDocument>(bytes.toString());
    return verifyValidity(document, this.options.now()).length > 0 || this.options.statusLists.isRevoked(status);
  }
}
