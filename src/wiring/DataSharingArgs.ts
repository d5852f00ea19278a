import type {
  AuxiliaryStrategy,
  ClusterManager,
  ETagHandler,
  ExpiringReadWriteLocker,
  ExpiringStorage,
  PermissionReader,
  ProviderFactory,
  ResourceStore,
} from '@solid/community-server';
import type { OperationGroup } from '../api/OperationGroup';
import type { AuditSink } from '../audit/AuditSink';
import type { AppSessions } from '../server/accounts/AppSessions';
import type { RuledPodStore } from '../server/accounts/RuledPodStore';
import type { ServerJwkGenerator } from '../server/sealing/ServerJwkGenerator';
import type { RedisLeaseLocker } from '../server/locks/RedisLeaseLocker';
import type { PodShortcut } from '../server/PodShortcut';
import type { DataSharingSettings } from '../operations/settings';
import type { Extensions } from './Extensions';
import type { DataSharingRecords } from './DataSharingRecords';
import type { CssPodHost } from './identity/CssPodHost';
import type { RequestLimits } from './requests/RequestLimits';

/** Options of {@link DataSharing}. */
export interface DataSharingArgs extends DataSharingSettings {
  /** Parts that the configuration may replace or add to. */
  extensions: Extensions;
  /** Groups of operations, in addition to those of every server. */
  operations: OperationGroup[];
  /** A second place for the audit record. */
  auditSink?: AuditSink;
  /** Limits on requests. */
  limits: RequestLimits;
  /** Records and keys of this package. */
  records: DataSharingRecords;
  /** Makes and removes the pods of citizens. */
  podHost: CssPodHost;
  /** Apps that act as a WebID. */
  appSessions: AppSessions;
  /** The server's pod store. */
  podStore: RuledPodStore;
  /** The server's resources. */
  resourceStore: ResourceStore;
  /** Recognises auxiliary resources. */
  auxiliaryStrategy: AuxiliaryStrategy;
  /** The server's own rule on permissions: WAC or ACP. */
  permissionReader: PermissionReader;
  /** Makes entity tags. */
  eTagHandler: ETagHandler;
  /** A shortcut to resources in this configuration's storage of pods. */
  podShortcut?: PodShortcut;
  /** Locks on resources, shared with other processes. */
  locker: ExpiringReadWriteLocker;
  /** The locks in Redis, if used. */
  redisLocks?: RedisLeaseLocker;
  /** Lowest level of logged messages. */
  loggingLevel: string;
  /** Keys of the server's own identity provider. */
  jwkGenerator: ServerJwkGenerator;
  /** Makes the server's own identity provider. */
  providerFactory: ProviderFactory;
  /** Log-ins in progress at national identity providers. */
  loginStorage: ExpiringStorage<string, unknown>;
  /** Knows whether this is the primary process. */
  clusterManager: ClusterManager;
}
