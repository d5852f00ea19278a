import { Initializer } from '@solid/community-server';
import type { ProviderFactory } from '@solid/community-server';
import { replacePart } from '../replacePart';
import { opened } from '../../platform/opened';
import { createBoundedAgent } from './boundedAgent';
import type { OutsideDocuments } from './OutsideDocuments';

type InitConfig = (...args: unknown[]) => Promise<object>;

const timeoutMs = 2500;
const maxBytes = 1024 * 1024;

/**
 * Has the server's identity provider fetch what clients name, such as `sector_identifier_uri` and `jwks_uri` of a
 * dynamic registration, from the public internet only, and no more of it than of any other document.
 */
export class GuardedIdentityProvider extends Initializer {
  /**
   * @param outside - What may be connected to.
   * @param factory - The server's own maker of its identity provider.
   */
  public constructor(outside: OutsideDocuments, factory: ProviderFactory) {
    super();
    const initConfig = opened<{ initConfig?: InitConfig }>(factory).initConfig?.bind(factory);
    replacePart(factory, 'initConfig', async(...args: unknown[]): Promise<object> => ({
      ...await initConfig!(...args),
      httpOptions: (url: URL): object => ({
        signal: AbortSignal.timeout(timeoutMs),
        dnsLookup: outside.lookupFor(url),
        agent: createBoundedAgent(url.protocol, maxBytes),
      }),
    }));
  }

  public async handle(): Promise<void> {
    // All is done when it is made, before anybody can ask for the provider.
  }
}
