import type { ActivityService } from '../activity/ActivityService';
import type { GrantListing } from '../activity/GrantListing';
import type { ReceiptService } from '../activity/ReceiptService';
import type { BuildingService } from '../buildings/BuildingService';
import type { Clock, NewId } from '../platform/clock';
import type { Artefacts } from '../contracts/Artefacts';
import type { ContractCatalogue } from '../contracts/Contract';
import type { ContractListing } from '../contracts/ContractListing';
import type { DataUsers } from '../contracts/DataUsers';
import type { StatusLists } from '../credentials/StatusLists';
import type { DataCopyService } from '../data-copies/DataCopyService';
import type { DataTypeCatalogue } from '../data-types/DataType';
import type { EventFeed } from '../events/EventFeed';
import type { SubscriptionService } from '../events/SubscriptionService';
import type { WebhookKeys } from '../events/webhook';
import type { ClientGrantService } from '../grants/ClientGrantService';
import type { GrantQueries } from '../grants/GrantQueries';
import type { GrantService } from '../grants/GrantService';
import type { GrantVerifier } from '../grants/GrantVerifier';
import type { AppService } from '../identity/AppService';
import type { CitizenCallers } from '../identity/CitizenCallers';
import type { IdentityStores } from '../identity/IdentityStores';
import type { WebIdService } from '../identity/WebIdService';
import type { Logger } from '../platform/logger';
import type { Theme } from '../platform/theme';
import type { PersonalDataService } from '../personal-data/PersonalDataService';
import type { SharingService } from '../personal-data/SharingService';
import type { PodListing } from '../resources/PodListing';
import type { ResourceService } from '../resources/ResourceService';
import type { ResourceSummaries } from '../resources/ResourceSummaries';
import type { OpenSources } from '../sources/openSources';
import type { TokenVerifier } from '../tokens/TokenVerifier';
import type { UmaService } from '../uma/UmaService';
import type { BusinessKeyService } from '../verification/BusinessKeyService';

/** All services that handlers call. */
export interface Services {
  verifier: Pick<TokenVerifier, 'verify' | 'verifyAgain'>;
  webIds: Pick<WebIdService<IdentityStores>, 'get' | 'create' | 'delete'>;
  apps: Pick<AppService, 'list' | 'logOut'>;
  citizens: Pick<CitizenCallers, 'getByWebId'>;
  contracts: Pick<ContractCatalogue, 'get'>;
  contractListing: Pick<ContractListing, 'list'>;
  dataTypes: Pick<DataTypeCatalogue, 'list'>;
  personalData: Pick<PersonalDataService, 'list'>;
  sharing: Pick<SharingService, 'share'>;
  resources: Pick<ResourceService, 'read' | 'readInPod'>;
  summaries: Pick<ResourceSummaries, 'get'>;
  podListing: Pick<PodListing, 'list'>;
  grants: Pick<GrantService, 'revoke' | 'revokeById' | 'getDocument'>;
  grantListing: Pick<GrantListing, 'list'>;
  receipts: Pick<ReceiptService, 'make'>;
  activity: Pick<ActivityService, 'list'>;
  clientGrants: Pick<ClientGrantService, 'issue'>;
  grantQueries: Pick<GrantQueries, 'query' | 'derive' | 'deriveAll'>;
  grantVerifier: Pick<GrantVerifier, 'verify'>;
  buildings: Pick<BuildingService, 'get'>;
  uma: Pick<UmaService, 'configuration' | 'exchange' | 'keys'>;
  businessKeys: Pick<BusinessKeyService, 'verify'>;
  dataCopies: Pick<DataCopyService, 'report' | 'remove' | 'list'>;
  eventFeed: Pick<EventFeed, 'list' | 'url'>;
  subscriptions: Pick<SubscriptionService, 'create' | 'get' | 'list' | 'remove' | 'replay'>;
  webhookKeys: Pick<WebhookKeys, 'signing'>;
  sources: Pick<OpenSources, 'nameOf'>;
  artefacts: Pick<Artefacts, 'find'>;
  dataUsers: Pick<DataUsers, 'find' | 'list'>;
  /** The look of the citizen's pages. */
  theme: Theme;
  /** IANA time zone of contract dates. */
  timeZone: string;
  /** Documents of public keys by path: see `keyDocuments` in src/credentials. */
  keyDocuments: { get: (path: string) => object | undefined | Promise<object | undefined> };
  statusLists: Pick<StatusLists, 'find'>;
  logger: Logger;
  newId: NewId;
  now: Clock;
}

/** A request for one page of a list. */
export interface ListRequest {
  limit: number;
  cursor?: string;
}
