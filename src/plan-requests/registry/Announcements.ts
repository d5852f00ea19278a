import type { Clock } from '../../platform/clock';
import type { Logger } from '../../platform/logger';
import { SourceFailure } from '../../sources/Source';
import { writeUna, writeUnaZone } from '../bodies';
import { writeZone } from '../geometry/readZone';
import { lambert72 } from '../geometry/systems';
import type { JobOutcome } from '../jobs/Jobs';
import type { Job, PlanRecords, PlanStores, RegistryState, UnaZone } from '../PlanStores';
import type { Announcement, Registry } from './Registry';

/** Dependencies of {@link Announcements}. */
export interface AnnouncementsOptions {
  records: PlanRecords;
  /** Absent when zones are not announced. */
  registry?: Pick<Registry, 'announce'>;
  logger: Pick<Logger, 'warn'>;
  now: Clock;
}

const maxAttempts = 3;
const pauseMs = 120_000;

/** Announces zones to the regional registry, each in its current state, with at most three attempts. */
export class Announcements {
  private readonly options: AnnouncementsOptions;

  public constructor(options: AnnouncementsOptions) {
    this.options = options;
  }

  /**
   * Schedules the announcement of a changed or removed zone, in the transaction of the change; an announcement under
   * way starts again.
   *
   * @returns The zone with its new state; unchanged when there is no registry.
   */
  public async request(stores: Pick<PlanStores, 'jobs' | 'unaZones'>, zone: UnaZone): Promise<UnaZone> {
    const { now, registry } = this.options;
    if (!registry) {
      return zone;
    }
    await stores.unaZones.setRegistryState(zone.id, 'Registering');
    await stores.jobs.add('announce', zone.id, now());
    return { ...zone, registryState: 'Registering' };
  }

  /** Makes one attempt. Run by `Jobs`. */
  public async announce({ attempts, subject }: Job): Promise<JobOutcome> {
    const { logger, now, registry } = this.options;
    if (!registry) {
      return endsAs(subject, 'NotAnnounced');
    }
    const announcement = await this.describe(subject);
    // The last attempt may have ended with its process, and still counts as one.
    if (!announcement || attempts > maxAttempts) {
      return endsAs(subject, 'RegistrationFailed');
    }
    try {
      await registry.announce(announcement);
      return endsAs(subject, 'Registered');
    } catch (error: unknown) {
      if (!(error instanceof SourceFailure)) {
        throw error;
      }
      logger.warn(`Zone ${subject} was not announced, attempt ${attempts} of ${maxAttempts}: ${error.message}`);
      return attempts < maxAttempts ?
        async(): Promise<Date> => new Date(now().getTime() + pauseMs) :
          endsAs(subject, 'RegistrationFailed');
    }
  }

  private async describe(id: string): Promise<Announcement | undefined> {
    const { unas, unaZones } = this.options.records;
    const found = await unaZones.findVersion(id);
    if (!found) {
      return;
    }
    const { isRemoved, version, zone } = found;
    const ids = { UnaZoneId: id, Version: version, UnaId: zone.unaId };
    if (isRemoved) {
      return { ...ids, Removed: true };
    }
    // A zone that is not removed has its operator.
    const una = (await unas.find(zone.unaId))!;
    const geometries = await unaZones.listGeometries(id);
    const written = writeUnaZone(zone);
    return {
      ...ids,
      Removed: false,
      Una: writeUna(una),
      Name: written.Name,
      Settings: written.Settings,
      Geometries: geometries.map(({ id: geometryId, ...geometry }): object =>
        ({ UtilityNetworkAuthorityZoneGeometryId: geometryId, ...writeZone(geometry, lambert72) })),
    };
  }
}

function endsAs(zoneId: string, state: RegistryState): JobOutcome {
  return async({ unaZones }): Promise<undefined> => {
    await unaZones.setRegistryState(zoneId, state);
  };
}
