import { calculateJwkThumbprint } from 'jose';
import type { JWK } from 'jose';
import { ActivityService } from '../activity/ActivityService';
import { GrantListing } from '../activity/GrantListing';
import { Names } from '../activity/Names';
import { ReceiptService } from '../activity/ReceiptService';
import { BuildingService } from '../buildings/BuildingService';
import { ContractListing } from '../contracts/ContractListing';
import { UsableContracts } from '../contracts/UsableContracts';
import { CredentialIssuer } from '../credentials/CredentialIssuer';
import { CredentialVerifier } from '../credentials/CredentialVerifier';
import { fetchJson } from '../credentials/fetchJson';
import { freshKeyDocuments } from '../credentials/KeyDocuments';
import { StatusLists } from '../credentials/StatusLists';
import { CopyClock } from '../data-copies/CopyClock';
import { DataCopyService } from '../data-copies/DataCopyService';
import { EventFeed } from '../events/EventFeed';
import { EventPusher, pushBounds } from '../events/EventPusher';
import { cursorKeyOf } from '../events/feedCursor';
import { challengeBounds, SubscriptionService } from '../events/SubscriptionService';
import { Webhooks } from '../events/Webhooks';
import { AccessDecision } from '../grants/AccessDecision';
import { ClientGrantLimits } from '../grants/ClientGrantLimits';
import { ClientGrantService } from '../grants/ClientGrantService';
import { GrantCredentials } from '../grants/GrantCredentials';
import { GrantIssuer } from '../grants/GrantIssuer';
import { GrantQueries } from '../grants/GrantQueries';
import { GrantService } from '../grants/GrantService';
import { GrantVerifier } from '../grants/GrantVerifier';
import type { ResourceControl } from '../grants/ResourceControl';
import type { Services } from '../api/Services';
import { AppService } from '../identity/AppService';
import { CitizenCallers } from '../identity/CitizenCallers';
import { CitizenPodService } from '../identity/CitizenPodService';
import { CitizenStates } from '../identity/CitizenStates';
import type { CitizenStore } from '../identity/CitizenStore';
import type { NationalNumber } from '../identity/NationalNumber';
import { OwnWebIds } from '../identity/OwnWebIds';
import { WebIdService } from '../identity/WebIdService';
import { CitizenLogins } from '../login/CitizenLogins';
import type { KeptLogin } from '../login/LoginStore';
import { limitedIssuers } from '../login/nationalIssuers';
import { RelyingParty } from '../login/RelyingParty';
import { Candidates } from '../personal-data/Candidates';
import { PersonalDataService } from '../personal-data/PersonalDataService';
import { RecordReader } from '../personal-data/RecordReader';
import { ResourceWatch } from '../personal-data/ResourceWatch';
import { sharedByCitizens } from '../personal-data/sharedByCitizens';
import { SharePlanner } from '../personal-data/SharePlanner';
import { ShareRecovery } from '../personal-data/ShareRecovery';
import { ShareSweep } from '../personal-data/ShareSweep';
import { ShareTurns } from '../personal-data/ShareTurns';
import { ShareUpkeep } from '../personal-data/ShareUpkeep';
import { ShareWriter } from '../personal-data/ShareWriter';
import { SharingService } from '../personal-data/SharingService';
import { valueIdKeyOf } from '../personal-data/valueId';
import { AccessRecord } from '../resources/AccessRecord';
import { OriginRound } from '../resources/OriginRound';
import { OriginSchedule } from '../resources/OriginSchedule';
import { OriginVerifier } from '../resources/OriginVerifier';
import { PodListing } from '../resources/PodListing';
import { ResourceService } from '../resources/ResourceService';
import { ResourceSummaries } from '../resources/ResourceSummaries';
import { SweepRound } from '../resources/SweepRound';
import { Duty } from '../platform/Duty';
import { createGuardedFetch } from '../platform/guardedFetch';
import { RemoteIssuerKeys } from '../tokens/IssuerKeys';
import { CallerStanding } from '../tokens/CallerStanding';
import { TokenKeys } from '../tokens/TokenKeys';
import { TokenVerifier } from '../tokens/TokenVerifier';
import { CachedProfiles, ProfileRouter, RemoteProfiles } from '../tokens/WebIdProfiles';
import type { Stores } from '../storage/Stores';
import { UmaResourceServer } from '../uma/UmaResourceServer';
import { UmaService } from '../uma/UmaService';
import { UmaSigners } from '../uma/UmaSigners';
import { BusinessKeyService } from '../verification/BusinessKeyService';
import { PodWebIdProfiles } from '../pods/PodWebIdProfiles';
import type { OperatorDocuments } from '../operations/openDocuments';
import { issuersFromSettings } from '../operations/settings';
import { CssResourceControl } from './access/CssResourceControl';
import type { Groundwork } from './layGroundwork';

/** Services that the operations call, and others that the wiring needs. */
export interface AllServices extends Services {
  verifier: TokenVerifier;
  credentials: CredentialIssuer;
  decision: AccessDecision;
  control: ResourceControl;
  accesses: AccessRecord;
  uma: UmaService;
  umaResources: UmaResourceServer;
  webIds: WebIdService<Stores>;
  citizenPods: CitizenPodService<Stores>;
  citizenStates: CitizenStates<Stores>;
  sharing: SharingService;
  upkeep: ShareUpkeep;
  originRound: OriginRound;
  eventFeed: EventFeed;
  copyClock: CopyClock;
  eventPusher: EventPusher;
  sweepRound: SweepRound;
  logins: CitizenLogins;
}

/** Services of access grants. */
type AccessServices = Pick<
  AllServices,
  'clientGrants' | 'control' | 'decision' | 'grantQueries' | 'grantVerifier' | 'uma' | 'umaResources'
> & { grants: GrantService; issuer: GrantIssuer };

/** Services for the values of citizens, and for sharing them. */
type SharingServices = Pick<
  AllServices,
  'apps' | 'citizenPods' | 'citizenStates' | 'citizens' | 'sharing' | 'upkeep' | 'webIds'
> & { candidates: Candidates; personalData: PersonalDataService };

/** Services that sign and verify credentials of personal data. */
interface CredentialServices {
  credentials: CredentialIssuer;
  credentialVerifier: CredentialVerifier;
}

/** Creates the services. Does not read, write or listen yet. */
export function createServices(groundwork: Groundwork, documents: OperatorDocuments): AllServices {
  const { gateway, iris, keys, load, logger, newId, now, records, settings } = groundwork;
  const { baseUrl } = settings;
  const { artefacts, buildings, contracts, dataTypes, dataUsers, sources } = documents;
  const verifier = createVerifier(groundwork);
  const access = createAccess(groundwork, documents, verifier);
  const { decision } = access;
  const { credentials, credentialVerifier } = createCredentials(groundwork);
  const sharing = createSharing(groundwork, documents, { ...access, credentials, credentialVerifier });
  const accesses = new AccessRecord({ records, now });
  const names = new Names({ artefacts, dataTypes, dataUsers });
  const origin = new OriginVerifier({ records, gateway, credentials: credentialVerifier, sources, now });
  return {
    verifier,
    ...access,
    ...sharing,
    credentials,
    logins: createLogins(groundwork, documents, sharing),
    contracts,
    contractListing: new ContractListing({
      contracts,
      dataUsers,
      suspensions: records.suspensions,
      purposes: artefacts,
      now,
    }),
    dataTypes,
    sources,
    artefacts,
    dataUsers,
    theme: documents.theme,
    timeZone: settings.timeZone,
    accesses,
    resources: new ResourceService({ records, origin, accesses, decision, gateway, baseUrl }),
    summaries: new ResourceSummaries({ ...sharing, records, accesses, gateway, baseUrl }),
    podListing: new PodListing({ records, decision, gateway, baseUrl, now }),
    grantListing: new GrantListing({ records, names, baseUrl, now }),
    receipts: new ReceiptService({ records, credentials, names, iris, now, newId }),
    activity: new ActivityService({ records, names, baseUrl }),
    originRound: new OriginRound({
      records,
      verifier: origin,
      schedule: new OriginSchedule({
        shares: records.shares,
        dataTypes: (): readonly string[] => sources.dataTypes,
        intervalMs: settings.originCheckMs,
        now,
      }),
      holder: newId(),
      logger,
      now,
    }),
    sweepRound: new SweepRound({ ...sharing, records, holder: newId(), logger, now }),
    buildings: new BuildingService(buildings, records.audit, now),
    businessKeys: new BusinessKeyService({
      records,
      numbers: groundwork.args.extensions.args.nationalNumbers,
      baseUrl,
      isEffective: async(grant, caller): Promise<boolean> => decision.isEffective(grant, caller),
      now,
      maxWrongKeys: { byCaller: settings.maxWrongBusinessKeys, byAll: settings.maxWrongBusinessKeysPerCitizen },
    }),
    ...createEvents(groundwork),
    copyClock: new CopyClock({ records, graceMs: settings.copyGraceMs, now }),
    dataCopies: new DataCopyService({ records, decision, gateway, baseUrl, now, newId }),
    keyDocuments: freshKeyDocuments(keys, iris),
    statusLists: new StatusLists({ store: records.statusLists, keys, iris, load, now }),
    logger,
    newId,
    now,
  };
}

function createEvents(
  { eventKeys: webhookKeys, keys, logger, newId, now, records, settings }: Groundwork,
): Pick<AllServices, 'eventFeed' | 'eventPusher' | 'subscriptions' | 'webhookKeys'> {
  const { allowLoopback, baseUrl } = settings;
  const eventFeed = new EventFeed({
    events: records.events,
    baseUrl,
    cursorKeys: (): Buffer[] => keys.getSecrets('encryption').map(cursorKeyOf),
    keptMs: settings.eventsKeptMs,
    now,
  });
  const guard = { allowLoopback, maxBodyBytes: 64 * 1024 };
  const sending = { keys: webhookKeys, source: eventFeed.url, now };
  const webhooks = new Webhooks({ ...sending, fetch: createGuardedFetch({ ...guard, ...pushBounds }) });
  const challenges = new Webhooks({ ...sending, fetch: createGuardedFetch({ ...guard, ...challengeBounds }) });
  const duty = new Duty({ name: 'event-pushes', holder: newId(), duties: records.duties, now, ms: 20_000 });
  const { events, subscriptions } = records;
  return {
    eventFeed,
    webhookKeys,
    eventPusher: new EventPusher({ events, subscriptions, duty, webhooks, logger, now }),
    subscriptions: new SubscriptionService({
      records,
      feed: eventFeed,
      webhooks: challenges,
      keys: webhookKeys,
      newId,
      now,
    }),
  };
}

function createVerifier({ args, fetch, gateway, now, records, settings }: Groundwork): TokenVerifier {
  const { baseUrl } = settings;
  const ownProfiles = new PodWebIdProfiles(gateway, baseUrl);
  const profiles = new CachedProfiles(new ProfileRouter(baseUrl, ownProfiles, new RemoteProfiles(fetch)), now);
  const { parse } = args.extensions.args.nationalNumbers;
  const { citizens } = records;
  return new TokenVerifier({
    settings: { ...settings, believedFor: limitedIssuers(settings, parse) },
    keys: new TokenKeys(
      { issuer: baseUrl, keys: async(): Promise<JWK[]> => args.jwkGenerator.getPublicKeys() },
      new RemoteIssuerKeys({ fetch, issuersFromSettings: issuersFromSettings(settings), now }),
      now,
    ),
    standing: new CallerStanding(records.endedTokens, {
      standingOf: async(webId, podUrl): ReturnType<CitizenStore['standingOf']> => citizens.standingOf(webId, podUrl),
      nationalNumberOf: async(webId): Promise<NationalNumber | undefined> => {
        const citizen = await citizens.findByWebId(webId);
        return citizen && citizens.getNationalNumber(citizen.id);
      },
    }, profiles),
    proofs: records.proofs,
    now,
  });
}

function createAccess(
  { args, iris, keys, load, newId, now, records, settings }: Groundwork,
  { contracts }: OperatorDocuments,
  verifier: TokenVerifier,
): AccessServices {
  const { baseUrl, maxGrantDuration } = settings;
  const control = new CssResourceControl(records.podOwners, args.permissionReader, args.auxiliaryStrategy);
  const decision = new AccessDecision({ grants: records.usableGrants, control, baseUrl, now });
  const signer = new GrantCredentials({ keys, iris, load });
  const issuer = new GrantIssuer({ statusLists: records.statusLists, contracts, signer, iris, newId });
  const signers = new UmaSigners({ keys, baseUrl, now, newId });
  const knownIssuers = [ baseUrl, ...issuersFromSettings(settings) ];
  return {
    control,
    decision,
    issuer,
    grants: new GrantService({ records, iris, baseUrl, now }),
    clientGrants: new ClientGrantService({
      records,
      issuer,
      limits: new ClientGrantLimits({ grants: records.grants, now, maxGrantDuration, knownIssuers }),
      control,
      iris,
      now,
    }),
    grantQueries: new GrantQueries({ grants: records.grants, audit: records.audit, baseUrl, now }),
    grantVerifier: new GrantVerifier(records.grants, iris.accessIssuer, now),
    uma: new UmaService({ records, decision, verifier, signers, baseUrl, now }),
    umaResources: new UmaResourceServer({ records, decision, signers, baseUrl }),
  };
}

function createCredentials({ fetch, iris, keys, load, newId, now, records }: Groundwork): CredentialServices {
  const common = { keys, statusLists: records.statusLists, iris, load, now };
  return {
    credentials: new CredentialIssuer({ ...common, newId }),
    credentialVerifier: new CredentialVerifier({ ...common, fetchJson: fetchJson(fetch) }),
  };
}

function createSharing(
  groundwork: Groundwork,
  { contracts, dataTypes, sources }: OperatorDocuments,
  { credentials, credentialVerifier, decision, issuer }: AccessServices & CredentialServices,
): SharingServices {
  const { args, gateway, keys, logger, mutex, newId, now, records, settings } = groundwork;
  const { baseUrl } = settings;
  const numbers = args.extensions.args.nationalNumbers;
  const citizens = new CitizenCallers(records.citizens, numbers, settings.apps, baseUrl);
  const pods = args.podHost;
  const ownWebIds = new OwnWebIds({ ...records, pods, baseUrl, enabled: settings.ownWebIds });
  const citizenPods = new CitizenPodService({ records, shared: sharedByCitizens, pods, ownWebIds, baseUrl });
  const citizenStates =
    new CitizenStates({ records, shared: sharedByCitizens, pods: citizenPods, mutex, now, logger });
  const candidates = new Candidates({
    citizens: records.citizens,
    verifier: credentialVerifier,
    sources,
    reader: new RecordReader({ credentials, dataTypes, now }),
    valueIdKey: (): Buffer => valueIdKeyOf(keys.getSecret('tokens')),
    logger,
  });
  const { audit, citizens: citizenStore, contractUses: uses, shares, suspensions } = records;
  const usable = new UsableContracts({ contracts, suspensions, uses, now });
  const recovery = new ShareRecovery({ records, gateway, logger, now });
  const writer = new ShareWriter({ records, gateway, decision, recovery, now, newId });
  const turns = new ShareTurns({ citizens: citizenStore, mutex, recovery });
  const watch = new ResourceWatch({ records, gateway, now });
  const planner = new SharePlanner({
    writer,
    credentials,
    grants: issuer,
    now,
    newId,
    checkMs: settings.originCheckMs,
  });
  const sweep = new ShareSweep({ records, gateway, watch, now });
  return {
    candidates,
    personalData: new PersonalDataService({ candidates, contracts: usable, audit, now }),
    sharing: new SharingService({ contracts: usable, candidates, ownWebIds, turns, planner, writer }),
    upkeep: new ShareUpkeep({ shares, mutex, turns, recovery, watch, sweep }),
    citizens,
    apps: new AppService({ records, logins: args.appSessions, callers: citizens, now }),
    citizenPods,
    citizenStates,
    webIds: new WebIdService({ records, callers: citizens, pods: citizenPods, states: citizenStates, now, newId }),
  };
}

function createLogins(
  { args, fetch, now, records, settings }: Groundwork,
  { loginProviders }: OperatorDocuments,
  { webIds }: SharingServices,
): CitizenLogins {
  return new CitizenLogins({
    parties: loginProviders.map((provider): RelyingParty => new RelyingParty({
      provider,
      redirectUri: `${settings.baseUrl}.account/login/national/${provider.id}/`,
      fetch,
      numbers: args.extensions.args.nationalNumbers,
      ownKey: async(): Promise<JWK> => {
        const key: JWK = await args.jwkGenerator.getPrivateKey();
        return { ...key, kid: key.kid ?? await calculateJwkThumbprint(key) };
      },
      now,
    })),
    store: {
      async put(id, login, ageMs): Promise<void> {
        await args.loginStorage.set(id, login, ageMs);
      },
      // Only `put` stores values here.
      find: async(id): Promise<KeptLogin | undefined> => await args.loginStorage.get(id) as KeptLogin | undefined,
      remove: async(id): Promise<boolean> => args.loginStorage.delete(id),
    },
    records,
    webIds,
    pods: args.podHost,
    now,
  });
}
