import { setTimeout } from 'node:timers/promises';
import { Initializer, joinUrl } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';
import { AuditForwarder } from '../audit/AuditForwarder';
import { KeyUnavailable } from '../credentials/KeyStore';
import type { KeyStore } from '../credentials/KeyStore';
import { Health } from '../http/Health';
import { redactAlso } from '../identity/redact';
import { createApi } from '../api/createApi';
import type { Services } from '../api/Services';
import type { HttpApi } from '../http/HttpApi';
import type { RateLimits } from '../limits/RateLimits';
import type { Logger } from '../platform/logger';
import type { UmaResourceServer } from '../uma/UmaResourceServer';
import { ownNames } from '../vocabulary';
import { cssLogger } from '../server/process/CssLogger';
import { Duty } from '../platform/Duty';
import { ignoreLogFailures } from '../server/process/ignoreLogFailures';
import { settleAll } from '../platform/settleAll';
import { shutdown } from '../server/process/shutdown';
import { withoutStack } from '../platform/withoutStack';
import { messageOf } from '../platform/errors';
import { Chores } from '../platform/Chores';
import { buildId } from '../platform/buildId';
import { reloadOnHangUp } from '../server/process/reloadOnHangUp';
import type { DocumentContext } from '../operations/openDocuments';
import { readDocuments } from '../operations/readDocuments';
import { reloadDocuments } from '../operations/reloadDocuments';
import type { CheckedSettings } from '../operations/settings';
import { readSettings } from '../operations/settings';
import type { AddedApi } from './AddedService';
import { createServices } from './createServices';
import type { AllServices } from './createServices';
import type { DataSharingArgs } from './DataSharingArgs';
import { followResources } from './followResources';
import { layGroundwork } from './layGroundwork';
import type { Groundwork } from './layGroundwork';
import { requirePodsOnRecord } from './pods/requirePodsOnRecord';

/** Time between two searches of all accounts for pods. */
const podSearchMs = 7 * 24 * 60 * 60_000;

/** Parts of the running service that the other classes of this folder use. */
export type RunningService = Pick<AllServices, 'accesses' | 'control' | 'decision' | 'logins' | 'verifier'> & {
  api: HttpApi<Services>;
  /** Running interfaces of added services. */
  added: readonly AddedApi[];
  baseUrl: string;
  limits: RateLimits;
  keys: Pick<KeyStore, 'lacksKeys'>;
  uma: UmaResourceServer;
};

/**
 * The service, made from the server's parts and the operator's settings. Mistakes in the settings stop the start with a
 * message that names the flags.
 */
export class DataSharing extends Initializer implements Finalizable {
  private readonly args: DataSharingArgs;
  private readonly logger: Logger;
  /** Health endpoints for load balancers. */
  public readonly health: Health;
  private readonly chores: Chores;
  private readonly onStop: (() => Promise<void> | void)[] = [];
  private running?: Promise<RunningService>;

  public constructor(args: DataSharingArgs) {
    super();
    this.args = args;
    this.logger = cssLogger('DataSharing', args.loggingLevel);
    this.chores = new Chores(this.logger);
    this.health = new Health([
      async(): Promise<void> => args.records.ping(),
      async(): Promise<void> => args.redisLocks?.ping(),
      async(): Promise<unknown> => (await args.records.keys()).refresh(),
    ]);
  }

  public async handle(): Promise<void> {
    await withoutStack(async(): Promise<unknown> => this.get());
  }

  /** Stops listening to the server and the operator, and waits for background work: the records are closed next. */
  public async finalize(): Promise<void> {
    await Promise.all([
      this.chores.stop(),
      ...this.onStop.splice(0).map(async(stop): Promise<void> => stop()),
    ]);
  }

  /** The service, made at the first call. */
  public async get(): Promise<RunningService> {
    this.running ??= this.start();
    return this.running;
  }

  private async start(): Promise<RunningService> {
    ignoreLogFailures();
    redactAlso(this.args.extensions.args.nationalNumbers);
    const settings = readSettings(this.args);
    const groundwork = await layGroundwork(this.args, settings, this.logger);
    const context = this.contextOf(groundwork);
    const [ documents ] = await settleAll([
      readDocuments(context, this.args.clusterManager.isWorker() ? undefined : this.logger),
      this.requireFree(ownNames),
    ]);
    const services = createServices(groundwork, documents);
    const added = await this.openAdded(groundwork, services);
    this.onStop.push(
      followResources(this.args.resourceStore, services.upkeep, settings.baseUrl, this.logger),
      reloadOnHangUp(async(): Promise<void> => {
        await reloadDocuments(documents, context, this.logger);
        await Promise.all(added.map(async({ reload }): Promise<void> => reload()));
      }, this.logger),
    );
    // Forgets retired keys even without requests that would need them.
    this.chores.every(10_000, 'keys', async(): Promise<unknown> => refreshKeys(groundwork.keys));
    if (!this.args.clusterManager.isWorker()) {
      await this.lead(services, groundwork);
    }
    shutdown.set(async(): Promise<void> => {
      this.health.drain();
      this.logger.info(`Stopping. Not ready, but serving for ${settings.drainSeconds} s more.`);
      await setTimeout(settings.drainSeconds * 1000);
    });
    if (!settings.apps) {
      this.logger.warn('--apps is not set: any application may act for citizens.');
    }
    return this.run(settings, services, groundwork.keys, added);
  }

  private run(
    { audience, baseUrl, legacyTokensSunset }: CheckedSettings,
    services: AllServices,
    keys: KeyStore,
    added: readonly AddedApi[],
  ): RunningService {
    const { limits } = this.args.limits;
    const api = createApi({
      baseUrl,
      buildId: buildId(),
      groups: this.args.operations,
      audience,
      businessKeyType: this.args.extensions.args.nationalNumbers.businessKeyType,
      legacyTokensSunset,
      services,
      limits,
    });
    const { accesses, control, decision, logins, umaResources: uma, verifier } = services;
    return { api, added, baseUrl, control, decision, accesses, limits, logins, keys, verifier, uma };
  }

  /** Opens the added services: each has its own settings, and shares tokens, limits, records and keys with this one. */
  private async openAdded(
    { fetch, keys, logger, newId, now, settings: { baseUrl, audience }}: Groundwork,
    { credentials, verifier }: AllServices,
  ): Promise<AddedApi[]> {
    const { clusterManager, extensions, limits: { limits }, records, rootFilePath } = this.args;
    return Promise.all((extensions.args.services ?? []).map(async(service): Promise<AddedApi> => {
      await this.requireFree(service.names);
      const added = await service.open({
        baseUrl,
        audience,
        buildId: buildId(),
        rootFilePath,
        verifier,
        credentials,
        limits,
        tables: await records.tables(),
        keys,
        fetch,
        leads: !clusterManager.isWorker(),
        logger,
        now,
        newId,
      });
      this.onStop.push(added.stop);
      return added;
    }));
  }

  /** Does the background work of a node in one process: creates shared data, and finishes interrupted work. */
  private async lead(services: AllServices, groundwork: Groundwork): Promise<void> {
    const { records: { citizens }, settings: { baseUrl }} = groundwork;
    await requirePodsOnRecord({ citizens, resources: this.args.resourceStore, baseUrl });
    await this.args.jwkGenerator.getPrivateKey();
    await this.args.providerFactory.getProvider();
    await this.recordPods(groundwork);
    await recover(services);
    this.chores.every(2000, 'citizens to erase', async(): Promise<unknown> => services.citizenStates.eraseMarked());
    const { copyClock, eventFeed, eventPusher, originRound, sweepRound } = services;
    const chores: [everyMs: number, what: string, work: () => Promise<void>][] = [
      // Remaining nodes take over the work of nodes that have gone.
      [ 60_000, 'interrupted work', async(): Promise<void> => recover(services) ],
      [ 60_000, 'pods whose making was interrupted', async(): Promise<void> => this.args.podStore.recordInterrupted() ],
      [ 10_000, 'pods to compare', async(): Promise<void> => sweepRound.run() ],
      [ 2000, 'origins to check', async(): Promise<void> => originRound.run() ],
      [ 1000, 'grants that ended and copies that are due', async(): Promise<void> => copyClock.run() ],
      [ 250, 'events to push', async(): Promise<void> => eventPusher.run() ],
      [ 60_000, 'old events', async(): Promise<void> => eventFeed.forget() ],
    ];
    for (const [ everyMs, what, work ] of chores) {
      this.chores.everyUnlessBusy(everyMs, what, work);
    }
    this.forwardAudit(groundwork);
  }

  private forwardAudit({ logger, newId, now, records: { audit, duties }}: Groundwork): void {
    const { auditSink: sink } = this.args;
    if (sink) {
      const duty = new Duty({ name: 'audit-sink', holder: newId(), duties, now });
      const forwarder = new AuditForwarder({ sink, audit, duty, logger, now });
      this.chores.everyUnlessBusy(1000, 'audit rows to forward', async(): Promise<void> => forwarder.run());
    }
  }

  /**
   * Waits when this package is new here, because no pod is recorded yet. Later, pods record their owners themselves: a
   * search in the background now and then finds those that something else made.
   */
  private async recordPods({ now, records: { podOwners }}: Groundwork): Promise<void> {
    const search = async(): Promise<void> => {
      await this.args.podStore.recordMissing();
      await podOwners.endSearch(now());
    };
    const searchedAt = await podOwners.searchedAt();
    if (!searchedAt) {
      await search();
      return;
    }
    if (now().getTime() - searchedAt.getTime() < podSearchMs) {
      return;
    }
    search().catch((error: unknown): void => {
      this.logger.error(`Owners of pods could not be recorded: ${messageOf(error)}`);
    });
  }

  private contextOf({ logger, now, records, settings }: Groundwork): DocumentContext {
    const { extensions: { args: extensions }, rootFilePath } = this.args;
    return { settings, extensions, rootFilePath, uses: records.contractUses, logger, now };
  }

  /** Requires that no pod has one of these names: our routes would hide it. */
  private async requireFree(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const path = joinUrl(this.args.baseUrl, `${name}/`);
      if (await this.args.resourceStore.hasResource({ path })) {
        throw new Error(`There is a pod or container at ${path}: this name belongs to the data-sharing service.`);
      }
    }
  }
}

/** Ignores a key that cannot be read: reading it has logged that once. */
async function refreshKeys(keys: KeyStore): Promise<void> {
  try {
    await keys.refresh();
  } catch (error: unknown) {
    if (!(error instanceof KeyUnavailable)) {
      throw error;
    }
  }
}

/** Finishes the interrupted work of an earlier process, or of a node that has gone. */
async function recover({ citizenStates, upkeep }: AllServices): Promise<void> {
  await citizenStates.recover();
  await upkeep.recover();
}
