import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { CallContext } from '../../audit/CallContext';
import { ofCall } from '../../audit/CallContext';
import type { Clock, NewId } from '../../platform/clock';
import {
  AnswerGiven,
  AnswerNotAvailable,
  MapRequestNotFound,
  NotOfOrganisation,
  PackageReportNotFound,
  ValidationRunning,
} from '../../problems';
import type { JobOutcome } from '../jobs/Jobs';
import type { PlanLimits } from '../limits';
import { closesRequest, isAnswered } from '../MapRequests';
import type { Notices } from '../notices/Notices';
import type { Organisation } from '../Organisations';
import type { Job, MapRequest, NetworkPackage, PlanRecords, PlanStores, RequestZone } from '../PlanStores';
import { judgeInThread } from './judgeInThread';
import type { OpenNetworkModel } from './NetworkModel';
import type { PackageFiles } from './PackageFiles';
import type { PackageReport } from './Report';
import { isGood, newReport } from './Report';
import { TestRoom } from './TestRoom';

/** Dependencies of {@link Packages}. */
export interface PackagesOptions {
  records: PlanRecords;
  notices: Pick<Notices, 'leave'>;
  files: PackageFiles;
  model: OpenNetworkModel;
  /** Certificates of authorities that sign those of operators, as PEM. */
  authorities: readonly string[];
  limits: Pick<PlanLimits, 'testBytes'>;
  now: Clock;
  newId: NewId;
}

/** A plan request in a zone. */
export interface RequestInZone {
  requestId: string;
  zoneId: string;
}

/** An answer as one zip. */
export interface DownloadedAnswer {
  etag: string;
  /** Bytes. */
  size: number;
  open: () => Readable;
}

/** For how long the result of a test can be read. */
const testDays = 31;
const dayMs = 24 * 3600 * 1000;
/** Between two notes of progress. */
const noteMs = 1000;
const maxAttempts = 5;

/** Packages of operators: their answers to plan requests. */
export class Packages {
  private readonly options: PackagesOptions;
  private readonly room: TestRoom;

  public constructor(options: PackagesOptions) {
    this.options = options;
    this.room = new TestRoom(options.limits.testBytes);
  }

  /**
   * Takes the answer to a plan request in a zone; it is validated in the background.
   *
   * @throws MapRequestNotFound, NotOfOrganisation, AnswerGiven, ValidationRunning, StorageFull
   */
  public async upload(
    place: RequestInZone,
    bytes: AsyncIterable<Buffer>,
    organisation: Organisation,
    context: CallContext,
  ): Promise<NetworkPackage> {
    const { records } = this.options;
    // Once before anything is read, and once more when it is there.
    await this.getOpen(records, place, organisation, await records.mapRequests.find(place.requestId));
    return this.take(bytes, place, organisation, async(stores, made): Promise<void> => {
      const request = await stores.mapRequests.lock(place.requestId);
      const zone = await this.getOpen(stores, place, organisation, request);
      await stores.packages.save(made);
      await stores.mapRequests.setState({ ...zone, state: 'Validating' }, made.receivedAt, false);
      const facts = { ...factsOf(place), package: made.id, organisation: organisation.id };
      await stores.audit.append({ type: 'plan.package.uploaded', at: made.receivedAt, ...ofCall(context, facts) });
    });
  }

  /**
   * Takes a package that answers nothing.
   *
   * @throws StorageFull, TooManyTests
   */
  public async uploadTest(
    bytes: AsyncIterable<Buffer>,
    organisation: Organisation,
    context: CallContext,
  ): Promise<NetworkPackage> {
    const { id } = organisation;
    return this.room.take(this.options.records.packages, id, bytes, async(counted): Promise<NetworkPackage> =>
      this.take(counted, {}, organisation, async({ audit, packages }, made): Promise<void> => {
        await packages.save(made);
        this.room.require(await packages.sizeOfWaitingTests(id));
        const facts = { package: made.id, organisation: id };
        await audit.append({ type: 'plan.package.uploaded', at: made.receivedAt, ...ofCall(context, facts) });
      }));
  }

  /**
   * Finds the latest package in a zone.
   *
   * @throws PackageReportNotFound also when the request is archived, or the zone is another organisation's.
   */
  public async getLatest({ requestId, zoneId }: RequestInZone, { id }: Organisation): Promise<NetworkPackage> {
    const { now, records } = this.options;
    const request = await records.mapRequests.find(requestId);
    const found = request && request.archivedAt > now() ? await records.packages.listOf(requestId) : [];
    const latest = found.find((each): boolean => each.zoneId === zoneId && each.organisationId === id);
    if (!latest) {
      throw new PackageReportNotFound();
    }
    return latest;
  }

  /** @throws PackageReportNotFound also when it is somebody else's, or older than a month. */
  public async getTest(id: string, organisation: Organisation): Promise<NetworkPackage> {
    const found = await this.options.records.packages.find(id);
    if (found?.organisationId !== organisation.id || found.requestId !== undefined ||
      found.receivedAt < this.oldestTest()) {
      throw new PackageReportNotFound();
    }
    return found;
  }

  /**
   * Gathers the packages that were accepted: all for who filed the request, for an operator those of its own zones.
   *
   * @throws MapRequestNotFound, AnswerNotAvailable
   */
  public async getAnswer(requestId: string, organisation: Organisation): Promise<DownloadedAnswer> {
    const { files, now, records } = this.options;
    const request = await records.mapRequests.find(requestId);
    const zones = request && request.archivedAt > now() ? await records.mapRequests.listZones([ requestId ]) : [];
    const isFiler = request?.organisationId === organisation.id && organisation.roles.includes('MapRequestInitiator');
    const seen = zones.filter(({ organisationId }): boolean => isFiler ||
      (organisationId === organisation.id && organisation.roles.includes('UnaOperator')));
    if (seen.length === 0 && !isFiler) {
      throw new MapRequestNotFound();
    }
    const accepted = (await records.packages.listOf(requestId)).filter(({ state, zoneId }): boolean =>
      state === 'Accepted' && seen.some((zone): boolean => zone.zoneId === zoneId));
    if (accepted.length === 0) {
      throw new AnswerNotAvailable();
    }
    return describeAnswer(accepted, seen, files);
  }

  /** Judges a package; for {@link Jobs}. */
  public async validate({ attempts, subject }: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { authorities, files, model, now, records } = this.options;
    const found = await records.packages.find(subject);
    if (found?.state !== 'Validating') {
      return nothing;
    }
    if (attempts > maxAttempts) {
      return this.outcome(found, unjudged(found.report));
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
    const report = await judgeInThread(task, (progress): void => {
      const at = now().getTime();
      if (at - notedAt >= noteMs) {
        notedAt = at;
        records.packages.note(subject, progress).catch((): void => {
          // Progress that is not noted is no loss.
        });
      }
    }, signal);
    return this.outcome(found, report);
  }

  /** Removes the file of a package that is judged, unless it is an answer. */
  public async release({ subject }: Job): Promise<void> {
    const { files, records } = this.options;
    if (!(await records.packages.listNeeded([ subject ])).has(subject)) {
      await files.remove(subject);
    }
  }

  /** Removes tests that can no longer be read, archived requests with their packages, and files that nobody needs. */
  public async removeOld(): Promise<void> {
    const { files, notices, now, records } = this.options;
    await records.packages.removeTestsBefore(this.oldestTest());
    let removed = 1;
    while (removed > 0) {
      removed = await records.transaction(async(stores): Promise<number> => {
        const archived = await stores.mapRequests.removeArchived(now());
        for (const { sentTo, ...request } of archived) {
          await notices.leave(stores, 'Archived', request, sentTo);
        }
        if (archived.length > 0) {
          await stores.audit.append({ type: 'plan.request.archived', at: now(), facts: { requests: archived.length }});
        }
        return archived.length;
      });
    }
    await files.sweep(now(), async(ids): Promise<Set<string>> => records.packages.listNeeded(ids));
  }

  private oldestTest(): Date {
    return new Date(this.options.now().getTime() - (testDays * dayMs));
  }

  private async take(
    bytes: AsyncIterable<Buffer>,
    place: Partial<RequestInZone>,
    { id: organisationId }: Organisation,
    record: (stores: PlanStores, made: NetworkPackage) => Promise<void>,
  ): Promise<NetworkPackage> {
    const { files, newId, now, records } = this.options;
    const id = newId();
    const size = await files.receive(id, bytes);
    const made: NetworkPackage =
      { id, ...place, organisationId, size, receivedAt: now(), state: 'Validating', report: newReport() };
    try {
      await records.transaction(async(stores): Promise<void> => {
        await record(stores, made);
        await stores.jobs.add('validate', id, made.receivedAt);
      });
    } catch (error: unknown) {
      await files.remove(id);
      throw error;
    }
    return made;
  }

  private async getOpen(
    { mapRequests }: Pick<PlanStores, 'mapRequests'>,
    { requestId, zoneId }: RequestInZone,
    { id: organisationId }: Organisation,
    request: MapRequest | undefined,
  ): Promise<RequestZone> {
    const zones = request && request.archivedAt > this.options.now() ? await mapRequests.listZones([ requestId ]) : [];
    const zone = zones.find((each): boolean => each.zoneId === zoneId);
    if (!zone) {
      throw new MapRequestNotFound();
    }
    if (zone.organisationId !== organisationId) {
      throw new NotOfOrganisation();
    }
    if (isAnswered(zone)) {
      throw new AnswerGiven();
    }
    if (zone.state === 'Validating') {
      throw new ValidationRunning();
    }
    return zone;
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
      if (zone) {
        const next: RequestZone = { ...zone, state: state === 'Accepted' ? 'Responded' : 'Confirmed' };
        const isLast = closesRequest(zones, next);
        await stores.mapRequests.setState(next, at, isLast);
        if (isLast) {
          await notices.leave(stores, 'Complete', request!, zones);
        }
      }
      const type = state === 'Accepted' ? 'plan.package.accepted' : 'plan.package.rejected';
      const place = requestId === undefined ? {} : factsOf({ requestId, zoneId: zoneId! });
      await stores.audit.append({ type, at, facts: { ...place, package: id, organisation: organisationId }});
    };
  }
}

async function nothing(): Promise<undefined> {
  // Removed or judged meanwhile.
}

function factsOf({ requestId, zoneId }: RequestInZone): Record<string, string> {
  return { request: requestId, zone: zoneId };
}

/** A package that ended the process each time. */
function unjudged(report: PackageReport): PackageReport {
  const message = 'It could not be judged.';
  return {
    progress: 100,
    steps: { ...newReport().steps, Archive: 'Failed' },
    findings: [ ...report.findings, { step: 'Archive', rule: 'package-unjudged', message }],
  };
}

/** The zip has each package as it was uploaded, so that its signature holds, and an index: always the same bytes. */
async function describeAnswer(
  accepted: readonly NetworkPackage[],
  zones: readonly RequestZone[],
  files: Pick<PackageFiles, 'read'>,
): Promise<DownloadedAnswer> {
  const sorted = [ ...accepted ].sort((one, other): number => one.zoneId!.localeCompare(other.zoneId!));
  const index = JSON.stringify(zones.map(({ state, unaId, unaName, zoneId }): object => ({
    UnaId: unaId,
    Name: unaName,
    UnaZoneId: zoneId,
    State: state,
  })), null, 2);
  function make(done?: (size: number) => void): ZipFile {
    const made = new ZipFile();
    const [{ receivedAt: mtime }] = sorted;
    made.addBuffer(Buffer.from(index), 'index.json', { mtime, compress: false });
    for (const { id, receivedAt, size, zoneId } of sorted) {
      const options = { mtime: receivedAt, compress: false, size };
      made.addReadStreamLazy(`${zoneId}.zip`, options, (give): void => give(null, files.read(id)));
    }
    // Its types leave the size out.
    made.end({ forceZip64Format: false, comment: '' }, done as () => void);
    return made;
  }
  const size = await new Promise<number>((resolve): void => {
    make(resolve);
  });
  const ids = sorted.map(({ id }): string => id).join(' ');
  const digest = createHash('sha256').update(index).update(ids).digest('base64url');
  return {
    etag: `"${digest.slice(0, 27)}"`,
    size,
    open: (): Readable => {
      const made = make();
      const output = Readable.from(made.outputStream);
      made.on('error', (error: Error): void => {
        output.destroy(error);
      });
      return output;
    },
  };
}
