import type { Clock } from '../../platform/clock';
import type { JobOutcome } from '../jobs/Jobs';
import { closesRequest } from '../MapRequests';
import type { Notices } from '../notices/Notices';
import type { Job, NetworkPackage, PlanRecords, RequestZone } from '../PlanStores';
import type { OpenNetworkModel } from './NetworkModel';
import type { PackageFiles } from './PackageFiles';
import { factsOf } from './Packages';
import type { PackageReport } from './Report';
import { isGood, stoppedReport } from './Report';
import { validateInThread } from './validateInThread';

/** Dependencies of a {@link PackageValidator}. */
export interface PackageValidatorOptions {
  records: PlanRecords;
  notices: Pick<Notices, 'leave'>;
  files: Pick<PackageFiles, 'pathOf' | 'remove'>;
  model: OpenNetworkModel;
  /** Certificates of the authorities that issue certificates to operators, as PEM. */
  authorities: readonly string[];
  now: Clock;
}

/** Minimum time between two records of progress. */
const noteMs = 1000;
const maxAttempts = 5;

/** Validates packages in the background, and updates their plan requests. */
export class PackageValidator {
  public constructor(private readonly options: PackageValidatorOptions) {}

  /** Validates a package. */
  public async validate({ attempts, subject }: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { authorities, files, model, now, records } = this.options;
    const found = await records.packages.find(subject);
    if (found?.state !== 'Validating') {
      return nothing;
    }
    if (attempts > maxAttempts) {
      // Its validation ended the process each time.
      return this.outcome(found, stoppedReport(found.report, 'package-unvalidated', 'It could not be validated.'));
    }
    const { requestId, zoneId } = found;
    const request = requestId === undefined ? undefined : await records.mapRequests.find(requestId);
    const zone = request && (await records.mapRequests.listZones([ request.id ]))
      .find((each): boolean => each.zoneId === zoneId);
    const una = zone && await records.unas.find(zone.unaId);
    const task = {
      path: files.pathOf(subject),
      model,
      authorities,
      subject: una?.signingSubject,
      zone: request?.polygons,
      now: now(),
    };
    let notedAt = 0;
    const report = await validateInThread(task, (progress): void => {
      const at = now().getTime();
      if (at - notedAt >= noteMs) {
        notedAt = at;
        records.packages.note(subject, progress).catch((): void => {
          // A missing record of progress does no harm.
        });
      }
    }, signal);
    return this.outcome(found, report);
  }

  /** Removes the file of a validated package, unless it is an answer. */
  public async release({ subject }: Job): Promise<void> {
    const { files, records } = this.options;
    if (!(await records.packages.listNeeded([ subject ])).has(subject)) {
      await files.remove(subject);
    }
  }

  private outcome(found: NetworkPackage, report: PackageReport): JobOutcome {
    const { notices, now } = this.options;
    const state = isGood(report) ? 'Accepted' : 'Rejected';
    return async(stores): Promise<undefined> => {
      const at = now();
      const { id, organisationId, requestId, zoneId } = found;
      const request = requestId === undefined ? undefined : await stores.mapRequests.lock(requestId);
      const zones = request ? await stores.mapRequests.listZones([ request.id ]) : [];
      const zone = zones.find((each): boolean => each.zoneId === zoneId);
      await stores.packages.finish({ ...found, state, report, finishedAt: at });
      if (request && zone) {
        const next: RequestZone = { ...zone, state: state === 'Accepted' ? 'Responded' : 'Confirmed' };
        const isLast = closesRequest(zones, next);
        await stores.mapRequests.setState(next, at, isLast);
        if (isLast) {
          await notices.leave(stores, 'Complete', request, zones);
        }
      }
      const type = state === 'Accepted' ? 'plan.package.accepted' : 'plan.package.rejected';
      const place = requestId === undefined || zoneId === undefined ? {} : factsOf({ requestId, zoneId });
      await stores.audit.append({ type, at, facts: { ...place, package: id, organisation: organisationId }});
    };
  }
}

async function nothing(): Promise<undefined> {
  // Removed or validated meanwhile.
}
