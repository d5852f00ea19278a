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

/** The known state of a resource that data users have copies of. */
export interface Observation {
  /** The share, when the resource is shared data. */
  share?: Share;
  /** Time at which the resource was first seen missing. */
  absentAt?: Date;
}

/** State of shared data. */
export interface Examined {
  /** The share, updated with the findings. */
  share: Share;
  /** The bytes in the pod, when they are the recorded credential. */
  content?: PodBytes;
  /** Reason why there is no content although the share is valid. */
  missing?: 'absent' | 'in progress';
}

/** State of shared data, as far as the pod and the records show it. */
type Finding = { content: PodBytes } | { missing: 'absent' | 'in progress' } | { invalidity: Invalidity };

/**
 * Checks resources that data users have copies of, and records on the share when the resource is gone, or is invalid by
 * what this server knows: altered, revoked or expired.
 *
 * Records nothing about resources other than shared data: while one of those is gone, it counts as gone since the
 * moment of the check.
 */
export class ResourceWatch {
  private readonly options: ResourceWatchOptions;

  public constructor(options: ResourceWatchOptions) {
    this.options = options;
  }

  /** Returns the state of a resource, and records the findings on its share. */
  public async observe(uri: ResourceUri): Promise<Observation> {
    const share = await this.options.records.shares.findByResource(uri);
    if (share) {
      const observed = share.absentAt ? share : (await this.examine(share)).share;
      return { share: observed, absentAt: observed.absentAt };
    }
    return await this.options.gateway.exists(uri) ? {} : { absentAt: this.options.now() };
  }

  /** Records that shared data is gone or altered, or clears the mark when a missing resource is back. */
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
      // Shared again since the row was read: this is another credential.
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
    const { now, records } = this.options;
    await noteAbsence(records, share.resource, false, now());
    // Another check may have noted it earlier.
    return await records.shares.findByResource(share.resource) ?? share;
  }

  private async markInvalid(share: Share, invalidity: Invalidity): Promise<Share> {
    const { now, records } = this.options;
    return markInvalid(records, share, invalidity, now());
  }
}
