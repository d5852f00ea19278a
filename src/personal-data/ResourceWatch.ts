import type { Clock } from '../platform/clock';
import type { PodBytes, PodGateway } from '../pods/PodGateway';
import type { Records } from '../platform/Records';
import type { ResourceUri } from '../pods/resourceUri';
import { digestOf, maxCredentialBytes } from './digest';
import type { Invalidity } from './invalidity';
import { originInvalidSince } from './invalidity';
import { markInvalid } from './markInvalid';
import { noteAbsence } from './noteAbsence';
import type { Share } from './ShareStore';
import type { ShareStates } from './SharingStores';

/** Dependencies of a {@link ResourceWatch}. */
export interface ResourceWatchOptions {
  records: Records<ShareStates>;
  gateway: Pick<PodGateway, 'exists' | 'findBytes'>;
  now: Clock;
}

/** The known state of a resource that copies were made of. */
export interface Observation {
  /** Its row, when the resource is shared data. */
  share?: Share;
  /** Since when the resource is gone. */
  absentAt?: Date;
}

/** State of shared data. */
export interface Examined {
  /** Its row, with what was found. */
  share: Share;
  /** The bytes in the pod, when they are the credential on record. */
  content?: PodBytes;
  /** Why there is no content, when nothing is wrong with the share. */
  missing?: 'absent' | 'in progress';
}

/** State of shared data, as far as it shows here. */
type Finding = { content: PodBytes } | { missing: 'absent' | 'in progress' } | { invalidity: Invalidity };

/**
 * Looks at resources that copies were made of, and notes on the share when one is gone, or no longer valid by what is
 * known here: altered, revoked or expired.
 *
 * Nothing is kept on other resources than shared data: when they are gone, they are gone since now, and when they come
 * back they were never gone.
 */
export class ResourceWatch {
  private readonly options: ResourceWatchOptions;

  public constructor(options: ResourceWatchOptions) {
    this.options = options;
  }

  /** The state of a resource, with what was found noted on its share. */
  public async observe(uri: ResourceUri): Promise<Observation> {
    const share = await this.options.records.shares.findByResource(uri);
    if (share) {
      const observed = share.absentAt ? share : (await this.examine(share)).share;
      return { share: observed, absentAt: observed.absentAt };
    }
    return await this.options.gateway.exists(uri) ? {} : { absentAt: this.options.now() };
  }

  /**
   * Takes note that shared data is gone or altered; the mark of being gone is taken away when it is there again.
   */
  public async noteChange(uri: ResourceUri): Promise<void> {
    const { gateway, now, records } = this.options;
    const exists = await gateway.exists(uri);
    const share = await records.shares.findByResource(uri);
    if (share && exists !== (share.absentAt === undefined)) {
      await noteAbsence(records, uri, exists, now());
    }
    if (exists) {
      await this.observe(uri);
    }
  }

  /** Compares a share with its resource in the pod. */
  public async examine(share: Share): Promise<Examined> {
    const finding = await this.inspect(share);
    if ('content' in finding) {
      return { share, ...finding };
    }
    if ('missing' in finding && finding.missing === 'in progress') {
      return { share, ...finding };
    }
    const latest = await this.options.records.shares.findByResource(share.resource);
    if (latest && latest.digest !== share.digest) {
      // Shared again between two looks: this is another credential.
      return this.examine(latest);
    }
    return 'missing' in finding ?
        { share: await this.markAbsent(share), ...finding } :
        { share: share.invalidAt ? share : await this.markInvalid(share, finding.invalidity) };
  }

  private async inspect(share: Share): Promise<Finding> {
    const { gateway, now, records: { shares, statusLists }} = this.options;
    const { resource, digest, status } = share;
    const content = await gateway.findBytes(resource, maxCredentialBytes);
    if (!content && !await gateway.exists(resource)) {
      return { missing: 'absent' };
    }
    const since = originInvalidSince(share, now());
    if (since) {
      return { invalidity: { at: since, reason: share.invalidReason ?? 'expired' }};
    }
    if (!content || digestOf(content.bytes) !== digest) {
      const intents = await shares.listIntents();
      return intents.some((intent): boolean => intent.resource === resource) ?
          { missing: 'in progress' } :
          { invalidity: { at: now(), reason: 'altered' }};
    }
    const revokedAt = status && await statusLists.findRevokedAt(status);
    return revokedAt ? { invalidity: { at: revokedAt, reason: 'revoked' }} : { content };
  }

  private async markAbsent(share: Share): Promise<Share> {
    if (share.absentAt) {
      return share;
    }
    const absentAt = this.options.now();
    await noteAbsence(this.options.records, share.resource, false, absentAt);
    return { ...share, absentAt };
  }

  private async markInvalid(share: Share, invalidity: Invalidity): Promise<Share> {
    const { now, records } = this.options;
    return markInvalid(records, share, invalidity, now());
  }
}
