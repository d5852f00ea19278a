import cluster from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import { AS, Initializer, joinUrl } from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  ClusterManager,
  ETagHandler,
  ExpiringReadWriteLocker,
  FileIdentifierMapper,
  Finalizable,
  JwkGenerator,
  PermissionReader,
  ProviderFactory,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import type { ContractFolder } from '../contracts/ContractFolder';
import type { AccessDecision } from '../grants/AccessDecision';
import { Health } from '../http/Health';
import { HttpApi } from '../http/HttpApi';
import type { RateLimits } from '../limits/RateLimits';
import type { Logger } from '../logger';
import type { SharingService } from '../personal-data/SharingService';
import type { AccessRecord } from '../resources/AccessRecord';
import type { TokenVerifier } from '../tokens/TokenVerifier';
import type { UmaService } from '../uma/UmaService';
import { ownNames } from '../vocabulary';
import type { AtomicWritesDataAccessor } from './pods/AtomicWritesDataAccessor';
import { buildId } from './process/buildId';
import { createServices } from './createServices';
import type { AllServices } from './createServices';
import { cssLogger } from './process/CssLogger';
import type { CssPodHost } from './identity/CssPodHost';
import type { DataSharingRecords } from './DataSharingRecords';
import { layGroundwork } from './layGroundwork';
import { keepApart } from './keepApart';
import { openDocuments } from './openDocuments';
import { outliveLog } from './process/outliveLog';
import type { OwnerRecordingPodStore } from './identity/OwnerRecordingPodStore';
import type { PostgresDataAccessor } from './pods/PostgresDataAccessor';
import type { RedisLeaseLocker } from './nodes/RedisLeaseLocker';
import type { RequestLimits } from './requests/RequestLimits';
import type { DataSharingSettings } from './settings';
import { readSettings } from './settings';
import { shutdown } from './process/shutdown';

/** Options of {@link DataSharing}. */
export interface DataSharingArgs extends DataSharingSettings {
  /** Limits on requests. */
  limits: RequestLimits;
  /** Records and keys of this package. */
  records: DataSharingRecords;
  /** Makes and removes the pods of citizens. */
  podHost: CssPodHost;
  /** The server's pod store. */
  podStore: OwnerRecordingPodStore;
  /** The server's resources. */
  resourceStore: ResourceStore;
  /** Tells auxiliary resources from others. */
  auxiliaryStrategy: AuxiliaryStrategy;
  /** The server's own rule on permissions: WAC or ACP. */
  permissionReader: PermissionReader;
  /** Makes entity tags. */
  eTagHandler: ETagHandler;
  /** Tells in which file the server keeps a resource, when pods are files. */
  fileMapper?: FileIdentifierMapper;
  /** Where the server's resources end up. */
  backend: ResourceStore;
  /** Files of resources, when the backend keeps pods there. */
  fileAccessor?: AtomicWritesDataAccessor;
  /** Where the server keeps resources, when pods are rows of a database. */
  podRows?: PostgresDataAccessor;
  /** Locks on resources: other processes respect them, too. */
  locker: ExpiringReadWriteLocker;
  /** Where these locks are, when they are in Redis. */
  redisLocks?: RedisLeaseLocker;
  /** Least important messages that are logged. */
  loggingLevel: string;
  /** Keys of the server's own identity provider. */
  jwkGenerator: JwkGenerator;
  /** Makes the server's own identity provider. */
  providerFactory: ProviderFactory;
  /** Tells the primary process from the workers. */
  clusterManager: ClusterManager;
}

/** What the other classes of this folder take from the running service. */
export interface RunningService {
  api: HttpApi;
  baseUrl: string;
  decision: AccessDecision;
  limits: RateLimits;
  accesses: AccessRecord;
  verifier: TokenVerifier;
  uma: UmaService;
}

const changes = new Map<string, 'deleted' | 'updated'>([
  [ AS.Create, 'updated' ],
  [ AS.Update, 'updated' ],
  [ AS.Delete, 'deleted' ],
]);

/** How often each node looks for work that was interrupted. */
const recoveryMs = 60_000;

/** How often is looked for citizens whom the operator wants erased. */
const erasureMs = 2000;

/** How often each process looks for keys that were replaced or retired. */
const keysMs = 10_000;

/** From the primary process to its workers, when the operator signals it. */
const reloadMessage = 'css-data-sharing: read the contracts again';

/**
 * The service, put together from the server's parts and the operator's settings.
 * Everything that is wrong with the settings stops the start with a message that names the flag.
 */
export class DataSharing extends Initializer implements Finalizable {
  private readonly args: DataSharingArgs;
  private readonly logger: Logger;
  /** What load balancers ask. */
  public readonly health: Health;
  private readonly onStop: (() => void)[] = [];
  private running?: Promise<RunningService>;

  public constructor(args: DataSharingArgs) {
    super();
    this.args = args;
    this.logger = cssLogger('DataSharing', args.loggingLevel);
    this.health = new Health([
      async(): Promise<void> => args.records.ping(),
      async(): Promise<void> => args.redisLocks?.ping(),
    ]);
  }

  public async handle(): Promise<void> {
    await this.get();
  }

  /** Stops listening to the server and the operator. */
  public async finalize(): Promise<void> {
    for (const stop of this.onStop.splice(0)) {
      stop();
    }
  }

  /** The service, made at the first call. */
  public async get(): Promise<RunningService> {
    this.running ??= this.start();
    return this.running;
  }

  private async start(): Promise<RunningService> {
    outliveLog();
    const settings = readSettings(this.args);
    const { baseUrl } = settings;
    keepApart(this.args.rootFilePath, settings.paths);
    await this.requireFreeNames(baseUrl);
    const groundwork = await layGroundwork(this.args, settings, this.logger);
    const documents = await openDocuments(groundwork);
    const services = createServices(groundwork, documents);
    this.listen(services.sharing, documents.contracts);
    // A key that was retired is forgotten here, also while nothing is asked that would show it.
    this.often(keysMs, 'keys', async(): Promise<unknown> => groundwork.keys.refresh());
    if (!this.args.clusterManager.isWorker()) {
      await this.prepare(services);
      this.recoverOften(services);
      this.often(erasureMs, 'citizens to erase', async(): Promise<unknown> => services.webIds.eraseMarked());
    }
    shutdown.set(async(): Promise<void> => {
      this.health.drain();
      await setTimeout(settings.drainSeconds * 1000);
    });
    this.warn(settings.apps);
    const { audience, legacyTokensSunset } = settings;
    const { limits } = this.args.limits;
    const api = new HttpApi({ baseUrl, buildId: buildId(), audience, legacyTokensSunset, services, limits });
    const { accesses, decision, uma, verifier } = services;
    return { api, baseUrl, decision, accesses, limits, verifier, uma };
  }

  /** What is made once and used by all processes, and what was there before: for one process to deal with. */
  private async prepare(services: AllServices): Promise<void> {
    await this.args.jwkGenerator.getPrivateKey();
    await this.args.providerFactory.getProvider();
    await this.recordPods();
    await this.recover(services);
  }

  /** What an earlier process left unfinished, or another node that is gone. */
  private async recover({ sharing, webIds }: AllServices): Promise<void> {
    await webIds.recover();
    await sharing.recover();
  }

  /** Nodes that are gone leave work to those that stay. */
  private recoverOften(services: AllServices): void {
    let isBusy = false;
    this.often(recoveryMs, 'interrupted work', async(): Promise<void> => {
      if (!isBusy) {
        isBusy = true;
        await this.recover(services).finally((): void => {
          isBusy = false;
        });
      }
    });
  }

  /** Does something now and then until the process stops. */
  private often(everyMs: number, what: string, work: () => Promise<unknown>): void {
    const timer = setInterval((): void => {
      work().catch((error: unknown): void => {
        this.logger.error(`Could not look for ${what}: ${(error as Error).message}`);
      });
    }, everyMs).unref();
    this.onStop.push((): void => clearInterval(timer));
  }

  /** At once when the package is new here, as nobody's pod is known; later beside other work, for it takes time. */
  private async recordPods(): Promise<void> {
    const { podStore } = this.args;
    if (await podStore.isNew()) {
      await podStore.recordMissing();
      return;
    }
    podStore.recordMissing().catch((error: unknown): void => {
      this.logger.error(`Owners of pods could not be recorded: ${(error as Error).message}`);
    });
  }

  /** A pod with one of our names would be masked by our routes. */
  private async requireFreeNames(baseUrl: string): Promise<void> {
    for (const name of ownNames) {
      const path = joinUrl(baseUrl, `${name}/`);
      if (await this.args.resourceStore.hasResource({ path })) {
        throw new Error(`There is a pod or container at ${path}: this name belongs to the data-sharing service.`);
      }
    }
  }

  private warn(apps: readonly string[] | undefined): void {
    if (!apps) {
      this.logger.warn('--apps is not set: any application may act for citizens.');
    }
  }

  /** Follows changes of pod resources made in this process, and the operator's signal to read contracts again. */
  private listen(sharing: SharingService, contracts: ContractFolder): void {
    const onChanged = (target: ResourceIdentifier, activity: { value: string }): void => {
      this.follow(sharing, target.path, activity.value);
    };
    // The server's resource store emits its changes, but its interface does not say so.
    const emitter = this.args.resourceStore as ResourceStore & Partial<NodeJS.EventEmitter>;
    emitter.on?.('changed', onChanged);
    const onHangUp = (): void => {
      this.reload(contracts);
      // By a message: the signal would end a worker that does not listen to it yet.
      for (const worker of Object.values(cluster.workers ?? {})) {
        worker?.send(reloadMessage);
      }
    };
    const onMessage = (message: unknown): void => {
      if (message === reloadMessage) {
        this.reload(contracts);
      }
    };
    process.on('SIGHUP', onHangUp);
    process.on('message', onMessage);
    this.onStop.push((): void => {
      emitter.off?.('changed', onChanged);
      process.off('SIGHUP', onHangUp);
      process.off('message', onMessage);
    });
  }

  private follow(sharing: SharingService, uri: string, activity: string): void {
    const kind = changes.get(activity);
    if (kind) {
      sharing.onResourceChanged(uri, kind).catch((error: unknown): void => {
        this.logger.error(`Could not follow a change of a shared resource: ${(error as Error).message}`);
      });
    }
  }

  private reload(contracts: ContractFolder): void {
    contracts.reload().then(
      (findings): void => {
        for (const finding of findings) {
          this.logger.error(`Contract not taken over: ${finding}`);
        }
        this.logger.info('Contracts were read again.');
      },
      (error: unknown): void => {
        this.logger.error(`Contracts could not be read again: ${(error as Error).message}`);
      },
    );
  }
}
