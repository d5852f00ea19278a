import type { Citizen } from '../identity/CitizenStore';
import type { Clock } from '../platform/clock';
import type { PodGateway } from '../pods/PodGateway';
import { isShareUri, parseResourceUri, podPlace } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import type { ResourceWatch } from './ResourceWatch';
import type { SharingStores } from './SharingStores';

/** Counts of repairs. */
export interface Mended {
  /** Removed resources, which were never shared. */
  removed: number;
  /** Shares marked as gone, or as back again. */
  marked: number;
}

/** Dependencies of {@link ShareSweep}. */
export interface ShareSweepOptions {
  records: Pick<SharingStores, 'audit' | 'shares'>;
  gateway: Pick<PodGateway, 'exists' | 'list' | 'remove'>;
  watch: Pick<ResourceWatch, 'noteChange'>;
  now: Clock;
}

/** Number of shares listed at a time. */
const pageSize = 200;

/** Finds shared data that only the pod or only the records have, and repairs the difference. */
export class ShareSweep {
  public constructor(private readonly options: ShareSweepOptions) {}

  /**
   * Finds resources that only the pod or only the records have. Takes no locks, so some may be about to be shared.
   * Considers only resources with the name of a share: everything else in the container belongs to the citizen.
   *
   * @throws Error when the pod itself is missing. As nobody can remove it, it is not restored yet, or not mounted.
   */
  public async findSuspects(citizen: Citizen): Promise<ResourceUri[]> {
    await this.requirePod(citizen);
    const found = await this.listFound(citizen);
    const suspects = new Set(found);
    let cursor: string | undefined;
    do {
      const page = await this.options.records.shares.list(citizen.id, { limit: pageSize, cursor });
      for (const { absentAt, resource } of page.shares) {
        if (suspects.has(resource) === (absentAt === undefined)) {
          suspects.delete(resource);
        } else {
          suspects.add(resource);
        }
      }
      cursor = page.next;
    } while (cursor !== undefined);
    return [ ...suspects ];
  }

  /**
   * Checks the suspects again, and removes or marks those that still differ. Call it while nothing of the citizen is
   * being shared, after interrupted shares are finished or undone.
   */
  public async mend(citizen: Citizen, suspects: ResourceUri[]): Promise<Mended> {
    const { gateway, records: { shares }, watch } = this.options;
    const intents = await shares.listIntentsOf(citizen.id);
    const mended: Mended = { removed: 0, marked: 0 };
    for (const resource of suspects.filter((uri): boolean => !intents.some((intent): boolean =>
      intent.resource === uri))) {
      const share = await shares.findByResource(resource);
      if (share) {
        mended.marked += await gateway.exists(resource) === (share.absentAt === undefined) ? 0 : 1;
        await watch.noteChange(resource);
      } else if (await gateway.exists(resource)) {
        await this.remove(citizen, resource);
        mended.removed += 1;
      }
    }
    return mended;
  }

  private async requirePod({ podUrl }: Citizen): Promise<void> {
    if (!await this.options.gateway.exists(parseResourceUri(podUrl, podUrl))) {
      throw new Error('The pod is missing.');
    }
  }

  private async listFound(citizen: Citizen): Promise<ResourceUri[]> {
    const { gateway } = this.options;
    const place = podPlace(citizen);
    const found: ResourceUri[] = [];
    for (const container of (await gateway.list(place.shares)).filter((uri): boolean => /\/[\da-f]{2}\/$/u.test(uri))) {
      found.push(...(await gateway.list(container)).filter((uri): uri is ResourceUri => isShareUri(place, uri)));
    }
    return found;
  }

  private async remove({ id: citizenId }: Citizen, resource: ResourceUri): Promise<void> {
    await this.options.gateway.remove(resource);
    await this.options.records.audit.append({
      type: 'resource.deleted',
      at: this.options.now(),
      facts: { outcome: 'never shared' },
      personal: { resource },
      citizenId,
    });
  }
}
