import cluster from 'node:cluster';
import { hkdfSync, randomUUID } from 'node:crypto';
import type { JWK } from 'jose';
import { AS, Initializer, joinUrl } from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  ClusterManager,
  ETagHandler,
  FileIdentifierMapper,
  Finalizable,
  JwkGenerator,
  PermissionReader,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { BuildingService } from '../buildings/BuildingService';
import { openBuildings } from '../buildings/openBuildings';
import { Artefacts } from '../contracts/Artefacts';
import { ContractFolder } from '../contracts/ContractFolder';
import { CredentialService } from '../credentials/CredentialService';
import { createDocumentLoader } from '../credentials/documentLoader';
import { keyDocuments } from '../credentials/KeyDocuments';
import { StatusLists } from '../credentials/StatusLists';
import { DataCopyService } from '../data-copies/DataCopyService';
import { ShaclDataTypes } from '../data-types/ShaclDataTypes';
import { AccessDecision } from '../grants/AccessDecision';
import { ClientGrantService } from '../grants/ClientGrantService';
import { GrantCredentials } from '../grants/GrantCredentials';
import { GrantQueries } from '../grants/GrantQueries';
import { GrantService } from '../grants/GrantService';
import { GrantVerifier } from '../grants/GrantVerifier';
import { HttpApi } from '../http/HttpApi';
import { KeyedMutex } from '../identity/KeyedMutex';
import { WebIdService } from '../identity/WebIdService';
import type { Logger } from '../logger';
import { PersonalDataService } from '../personal-data/PersonalDataService';
import { SharingService } from '../personal-data/SharingService';
import { ResourceService } from '../resources/ResourceService';
import { openSources } from '../sources/openSources';
import type { GuardedFetch } from '../tokens/guardedFetch';
import { createGuardedFetch } from '../tokens/guardedFetch';
import { RemoteIssuerKeys } from '../tokens/IssuerKeys';
import { TokenVerifier } from '../tokens/TokenVerifier';
import { CachedProfiles, ProfileRouter, RemoteProfiles } from '../tokens/WebIdProfiles';
import { UmaService } from '../uma/UmaService';
import { BusinessKeyService } from '../verification/BusinessKeyService';
import { ownIris, ownNames } from '../vocabulary';
import { buildId } from './buildId';
import { cssLogger } from './CssLogger';
import { CssPodGateway } from './CssPodGateway';
import type { CssPodHost } from './CssPodHost';
import { CssResourceControl } from './CssResourceControl';
import { CssWebIdProfiles } from './CssWebIdProfiles';
import type { DataSharingRecords } from './DataSharingRecords';
import { keepApart } from './keepApart';
import type { OwnerRecordingPodStore } from './OwnerRecordingPodStore';
import { PodFiles } from './PodFiles';
import type { DataSharingSettings } from './settings';
import { readSettings } from './settings';

/** Options of {@link DataSharing}. */
export interface DataSharingArgs extends DataSharingSettings {
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
  /** Tells in which file the server keeps a resource. */
  fileMapper: FileIdentifierMapper;
  /** Least important messages that are logged. */
  loggingLevel: string;
  /** Keys of the server's own identity provider. */
  jwkGenerator: JwkGenerator;
  /** Tells the primary process from the workers. */
  clusterManager: ClusterManager;
}

/** What the other classes of this folder take from the running service. */
export interface RunningService {
  api: HttpApi;
  baseUrl: string;
  decision: AccessDecision;
  verifier: TokenVerifier;
  uma: UmaService;
}

const changes = new Map<string, 'deleted' | 'updated'>([
  [ AS.Create, 'updated' ],
  [ AS.Update, 'updated' ],
  [ AS.Delete, 'deleted' ],
]);

/** From the primary process to its workers, when the operator signals it. */
const reloadMessage = 'css-data-sharing: read the contracts again';

/**
 * The service, put together from the server's parts and the operator's settings.
 * Everything that is wrong with the settings stops the start with a message that names the flag.
 */
export class DataSharing extends Initializer implements Finalizable {
  private readonly args: DataSharingArgs;
  private readonly logger: Logger;
  private readonly onStop: (() => void)[] = [];
  private running?: Promise<RunningService>;

  public constructor(args: DataSharingArgs) {
    super();
    this.args = args;
    this.logger = cssLogger('DataSharing', args.loggingLevel);
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
    const settings = readSettings(this.args);
    const { baseUrl } = settings;
    keepApart(this.args.rootFilePath, settings.paths);
    await this.requireFreeNames(baseUrl);

    const records = await this.args.records.get();
    const keys = await this.args.records.keys();
    const newId = randomUUID;
    const iris = ownIris(baseUrl);
    const { logger } = this;

    // What is fixed at start
    const load = createDocumentLoader();
    const dataTypes = await ShaclDataTypes.load({ base: baseUrl, contexts: load, folder: settings.paths.dataTypes });
    const contracts = await ContractFolder.open({
      folder: settings.paths.contracts,
      base: baseUrl,
      dataTypes,
      uses: records.contractUses,
      timeZone: settings.timeZone,
    });
    const artefacts = await Artefacts.load({ base: baseUrl, dataTypes, purposes: settings.paths.purposes });
    const sources = await openSources(settings.paths.sources, { dataTypes, baseUrl, env: process.env, now });
    for (const folder of sources.folders) {
      keepApart(this.args.rootFilePath, { sources: folder });
    }
    const buildings = await openBuildings(settings.paths.buildings);

    // Who calls
    const files = new PodFiles(this.args.fileMapper, this.args.eTagHandler, now);
    const gateway = new CssPodGateway(
      this.args.resourceStore,
      this.args.auxiliaryStrategy,
      this.args.eTagHandler,
      files,
    );
    const fetch = createGuardedFetch({ allowLoopback: settings.allowLoopback });
    const profiles = new CssWebIdProfiles(gateway, baseUrl);
    const verifier = new TokenVerifier({
      settings,
      localIssuer: {
        issuer: baseUrl,
        keys: async(): Promise<JWK[]> => [ await this.args.jwkGenerator.getPublicKey() ],
      },
      profiles: new CachedProfiles(new ProfileRouter(baseUrl, profiles, new RemoteProfiles(fetch)), now),
      issuerKeys: new RemoteIssuerKeys({
        fetch,
        issuersFromSettings: [ ...settings.nationalIssuers, ...settings.trustedIssuers ?? [] ],
        now,
      }),
      proofs: records.proofs,
      citizens: records.citizens,
      now,
    });

    // What they may do
    const { auxiliaryStrategy, permissionReader } = this.args;
    const control = new CssResourceControl(records.podOwners, permissionReader, auxiliaryStrategy);
    const decision = new AccessDecision({ grants: records.grants, control, baseUrl, now });
    const signer = new GrantCredentials({ keys, iris, load });
    const grants = new GrantService({ records, contracts, signer, iris, now, newId });

    const uma = new UmaService({ records, decision, verifier, keys, baseUrl, now, newId });

    // Personal data
    const credentials = new CredentialService({
      keys,
      statusLists: records.statusLists,
      iris,
      load,
      fetchJson: fetchJson(fetch),
      now,
      newId,
    });
    const personalData = new PersonalDataService({
      citizens: records.citizens,
      contracts,
      dataTypes,
      sources,
      credentials,
      audit: records.audit,
      logger,
      valueIdKey: Buffer.from(hkdfSync('sha256', keys.getSecret('encryption'), '', 'data value ids', 32)),
      now,
    });
    const mutex = new KeyedMutex();
    const sharing = new SharingService({
      records,
      contracts,
      personalData,
      credentials,
      grants,
      decision,
      gateway,
      mutex,
      logger,
      now,
      newId,
    });
    const webIds = new WebIdService({
      records,
      pods: this.args.podHost,
      apps: settings.apps,
      mutex,
      now,
      newId,
      logger,
    });

    this.listen(sharing, contracts);
    if (!this.args.clusterManager.isWorker()) {
      await this.args.podStore.recordExisting();
      await webIds.recover();
      await sharing.recover();
    }
    this.warn(settings.apps);

    const api = new HttpApi({
      baseUrl,
      buildId: buildId(),
      audience: settings.audience,
      legacyTokensSunset: settings.legacyTokensSunset,
      services: {
        verifier,
        webIds,
        contracts,
        personalData,
        sharing,
        resources: new ResourceService({ records, decision, gateway, credentials, sources, baseUrl, now }),
        grants,
        clientGrants: new ClientGrantService({
          records,
          signer,
          iris,
          now,
          newId,
          maxGrantDuration: settings.maxGrantDuration,
          knownIssuers: [ baseUrl, ...settings.nationalIssuers, ...settings.trustedIssuers ?? [] ],
        }),
        grantQueries: new GrantQueries({ grants: records.grants, audit: records.audit, baseUrl, now }),
        grantVerifier: new GrantVerifier(records.grants, iris.accessIssuer, now),
        uma,
        buildings: new BuildingService(buildings, records.audit, now),
        businessKeys: new BusinessKeyService({
          records,
          baseUrl,
          isEffective: async(grant, caller): Promise<boolean> => decision.isEffective(grant, caller),
          now,
          maxWrongKeys: settings.maxWrongBusinessKeys,
        }),
        dataCopies: new DataCopyService({ records, decision, gateway, baseUrl, now, newId }),
        artefacts,
        keyDocuments: keyDocuments(keys, iris),
        statusLists: new StatusLists({ store: records.statusLists, keys, iris, load }),
        logger,
        newId,
        now,
      },
    });
    return { api, baseUrl, decision, verifier, uma };
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

function now(): Date {
  return new Date();
}

/** Status lists and key documents of others, by the guarded fetch. */
function fetchJson(fetch: GuardedFetch): (url: string) => Promise<unknown> {
  return async(url): Promise<unknown> => {
    const { status, body } = await fetch(url, { accept: 'application/vc, application/ld+json, application/json' });
    if (status !== 200) {
      throw new Error(`${new URL(url).host} answered ${status}`);
    }
    return JSON.parse(body.toString('utf8'));
  };
}
