import type { Clock } from '../clock';
import type { StatusListStore } from '../credentials/StatusListStore';
import { digestOf, maxCredentialBytes } from '../personal-data/digest';
import type { Share, ShareStore } from '../personal-data/ShareStore';
import type { PodGateway } from '../pods/PodGateway';

/** What a {@link ResourceWatch} works with. */
export interface ResourceWatchOptions {
  shares: Pick<ShareStore, 'findByResource' | 'listIntents' | 'setAbsent' | 'setInvalid'>;
  statusLists: Pick<StatusListStore, 'isRevoked'>;
  gateway: Pick<PodGateway, 'exists' | 'findBytes'>;
  now: Clock;
}

/** What is known of a resource that copies were made of. */
export interface Observation {
  /** Its row, when the resource is shared data. */
  share?: Share;
  /** Since when the resource is gone. */
  absentAt?: Date;
}

/** What became of shared data, as far as can be seen here. */
type Finding = 'good' | 'absent' | 'invalid' | 'in progress';

/**
 * Looks at resources that copies were made of, and notes on the share when one is gone, altered or revoked. The moment
 * is that of the first look that sees it.
 *
 * Nothing is kept on other resources than shared data: when they are gone, they are gone since now, and when they come
 * back they were never gone.
 */
export class ResourceWatch {
  private readonly options: ResourceWatchOptions;

  public constructor(options: ResourceWatchOptions) {
    this.options = options;
  }

  /** @param uri - Canonical. */
  public async observe(uri: string): Promise<Observation> {
    const share = await this.options.shares.findByResource(uri);
    if (share) {
      const observed = await this.observeShare(share);
      return { share: observed, absentAt: observed.absentAt };
    }
    return await this.options.gateway.exists(uri) ? {} : { absentAt: this.options.now() };
  }

  private async observeShare(share: Share): Promise<Share> {
    const finding = await this.inspect(share);
    if (finding === 'good' || finding === 'in progress') {
      return share;
    }
    const latest = await this.options.shares.findByResource(share.resource);
    if (latest && latest.modifiedAt.getTime() !== share.modifiedAt.getTime()) {
      // Shared again between two looks: this is another credential.
      return this.observeShare(latest);
    }
    return this.mark(share, finding);
  }

  private async inspect({ resource, digest, status, absentAt, invalidAt }: Share): Promise<Finding> {
    const { gateway, shares, statusLists } = this.options;
    if (absentAt) {
      return 'good';
    }
    const found = await gateway.findBytes(resource, maxCredentialBytes);
    if (!found && !await gateway.exists(resource)) {
      return 'absent';
    }
    if (invalidAt) {
      return 'good';
    }
    if (!found || digestOf(found.bytes) !== digest) {
      const intents = await shares.listIntents();
      return intents.some((intent): boolean => intent.resource === resource) ? 'in progress' : 'invalid';
    }
    return status && await statusLists.isRevoked(status) ? 'invalid' : 'good';
  }

  private async mark(share: Share, finding: 'absent' | 'invalid'): Promise<Share> {
    const at = this.options.now();
    if (finding === 'absent') {
      await this.options.shares.setAbsent(share.resource, at);
      return { ...share, absentAt: at };
    }
    await this.options.shares.setInvalid(share.resource, at);
    return { ...share, invalidAt: at };
  }
}
