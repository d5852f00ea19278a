import { randomUUID } from 'node:crypto';
import { systemClock } from '../platform/clock';
import type { Clock, NewId } from '../platform/clock';
import { createDocumentLoader } from '../credentials/documentLoader';
import type { DocumentLoader } from '../credentials/documentLoader';
import type { KeyStore } from '../credentials/KeyStore';
import type { WebhookKeys } from '../events/webhook';
import { KeyedMutex } from '../platform/KeyedMutex';
import type { Mutex } from '../platform/KeyedMutex';
import type { Logger } from '../platform/logger';
import type { Records } from '../platform/Records';
import { createGuardedFetch } from '../platform/guardedFetch';
import type { GuardedFetch } from '../platform/guardedFetch';
import { ownIris } from '../vocabulary';
import type { OwnIris } from '../vocabulary';
import { EventKeys } from '../storage/keys/EventKeys';
import type { Stores } from '../storage/Stores';
import { SharedMutex } from '../server/nodes/SharedMutex';
import type { CheckedSettings } from '../operations/settings';
import { CssPodGateway } from './pods/CssPodGateway';
import type { DataSharingArgs } from './DataSharingArgs';

/** Dependencies that the services share. */
export interface Groundwork {
  settings: CheckedSettings;
  /** Options, with the parts of the server. */
  args: DataSharingArgs;
  records: Records<Stores>;
  keys: KeyStore;
  iris: OwnIris;
  /** Keys for signing pushed events. */
  eventKeys: WebhookKeys;
  /** Loader of the shipped JSON-LD contexts. */
  load: DocumentLoader;
  /** Fetches URLs that callers name. */
  fetch: GuardedFetch;
  gateway: CssPodGateway;
  /** One for all services: the sharing and the deletion of a citizen run one after the other. */
  mutex: Mutex;
  logger: Logger;
  now: Clock;
  newId: NewId;
}

/** Opens the records, unless they are open, and creates the dependencies of all services. */
export async function layGroundwork(
  args: DataSharingArgs,
  settings: CheckedSettings,
  logger: Logger,
): Promise<Groundwork> {
  const { auxiliaryStrategy, eTagHandler, locker, podShortcut, resourceStore } = args;
  return {
    settings,
    args,
    records: await args.records.get(),
    keys: await args.records.keys(),
    eventKeys: new EventKeys(await args.records.secrets()),
    iris: ownIris(settings.baseUrl),
    load: createDocumentLoader(),
    fetch: createGuardedFetch({ allowLoopback: settings.allowLoopback }),
    gateway: new CssPodGateway(resourceStore, auxiliaryStrategy, eTagHandler, podShortcut),
    mutex: args.records.isShared() ? new SharedMutex(locker, settings.baseUrl) : new KeyedMutex(),
    logger,
    now: systemClock,
    newId: randomUUID,
  };
}
