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
import type { PlanLimits } from '../limits';
import { isAnswered } from '../MapRequests';
import type { Organisation } from '../Organisations';
import type { MapRequest, NetworkPackage, PlanRecords, PlanStores, RequestZone, WaitingTests } from '../PlanStores';
import type { DownloadedAnswer } from './answerZip';
import { describeAnswer } from './answerZip';
import type { PackageFiles } from './PackageFiles';
import { newReport } from './Report';
import { TestRoom } from './TestRoom';

/** Dependencies of {@link Packages}. */
export interface PackagesOptions {
  records: PlanRecords;
  files: PackageFiles;
  limits: Pick<PlanLimits, 'testBytes' | 'tests'>;
  now: Clock;
  newId: NewId;
}

/** A plan request in a zone. */
export interface RequestInZone {
  requestId: string;
  zoneId: string;
}

/** Days for which the result of a test can be read. */
const testDays = 31;
/** Maximum packages for one zone that may be arriving at a process: some connections have broken without a word. */
const maxArriving = 4;
const dayMs = 24 * 3600 * 1000;
/** Head start of a test for each further test that its organisation could have waiting: the longest validation. */
const headStartMs = 300_000;

/** Returns the time of the oldest test whose result can still be read. */
export function oldestTest(now: Date): Date {
  return new Date(now.getTime() - (testDays * dayMs));
}

/** Packages of operators: their answers to plan requests. */
export class Packages {
  private readonly options: PackagesOptions;
  private readonly room: TestRoom;
  /** Number of packages now arriving at this process, by plan request and zone. */
  private readonly arriving = new Map<string, number>();

  public constructor(options: PackagesOptions) {
    this.options = options;
    this.room = new TestRoom(options.limits);
  }

  /**
   * Receives the answer to a plan request in a zone, which is validated in the background.
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
    // Checked before any bytes are read, and again once they are all there.
    await this.getOpen(records, place, organisation, await records.mapRequests.find(place.requestId));
    return this.arrivingOne(place, async(): Promise<NetworkPackage> =>
      this.take(bytes, place, organisation, async(stores, made): Promise<void> => {
        const request = await stores.mapRequests.lock(place.requestId);
        const zone = await this.getOpen(stores, place, organisation, request);
        await stores.packages.save(made);
        await stores.jobs.add('validate', made.id, made.receivedAt);
        await stores.mapRequests.setState({ ...zone, state: 'Validating' }, made.receivedAt, false);
        const facts = { ...factsOf(place), package: made.id, organisation: organisation.id };
        await stores.audit.append({ type: 'plan.package.uploaded', at: made.receivedAt, ...ofCall(context, facts) });
      }));
  }

  /**
   * Receives a test, which is not an answer to a request.
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
      this.take(counted, {}, organisation, async({ audit, jobs, packages }, made): Promise<void> => {
        await packages.lockTests(id);
        await packages.save(made);
        const waiting = await packages.countWaitingTests(id);
        this.room.require(waiting);
        await jobs.add('test', made.id, this.turnOf(made, waiting));
        const facts = { package: made.id, organisation: id };
        await audit.append({ type: 'plan.package.uploaded', at: made.receivedAt, ...ofCall(context, facts) });
      }));
  }

  /** Returns when a test is due: before those of organisations with more tests waiting, so that none waits for all. */
  private turnOf({ receivedAt }: NetworkPackage, { count }: WaitingTests): Date {
    return new Date(receivedAt.getTime() - (Math.max(this.options.limits.tests - count, 0) * headStartMs));
  }

  /**
   * Returns the latest package of a zone.
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

  /** @throws PackageReportNotFound also when it is another organisation's, or older than a month. */
  public async getTest(id: string, organisation: Organisation): Promise<NetworkPackage> {
    const found = await this.options.records.packages.find(id);
    if (found?.organisationId !== organisation.id || found.requestId !== undefined ||
      found.receivedAt < oldestTest(this.options.now())) {
      throw new PackageReportNotFound();
    }
    return found;
  }

  /**
   * Collects the accepted packages: all of them for the initiator, those of its own zones for an operator.
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

  /**
   * Receives one of few packages at a time for a zone: only one of them counts, but all are on the disk meanwhile.
   *
   * @throws ValidationRunning
   */
  private async arrivingOne<T>({ requestId, zoneId }: RequestInZone, receive: () => Promise<T>): Promise<T> {
    const { arriving } = this;
    const key = `${requestId} ${zoneId}`;
    const others = arriving.get(key) ?? 0;
    if (others >= maxArriving) {
      throw new ValidationRunning('Other packages are arriving for this zone.', { headers: { Connection: 'close' }});
    }
    arriving.set(key, others + 1);
    try {
      return await receive();
    } finally {
      const left = arriving.get(key)! - 1;
      if (left > 0) {
        arriving.set(key, left);
      } else {
        arriving.delete(key);
      }
    }
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
      await records.transaction(async(stores): Promise<void> => record(stores, made));
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
}

/** Returns the facts of a request in a zone for the audit record. */
export function factsOf({ requestId, zoneId }: RequestInZone): Record<string, string> {
  return { request: requestId, zone: zoneId };
}
