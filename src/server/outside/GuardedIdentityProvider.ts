import { Initializer } from '@solid/community-server';
import type { ProviderFactory } from '@solid/community-server';
import { wrapMethod } from '../replacePart';
import { createBoundedAgent } from './boundedAgent';
import type { OutsideDocuments } from './OutsideDocuments';

type InitConfig = (...args: unknown[]) => Promise<object>;

const timeoutMs = 2500;
/** Many keys, and URLs. Node.js reads an RSA exponent in quadratic time: one of a megabyte, for a minute. */
const maxBytes = 32 * 1024;

/**
 * Makes the server's identity provider fetch URLs named by clients, such as `sector_identifier_uri` and `jwks_uri` of a
 * dynamic registration, from the public internet only and within bounds.
 */
export class GuardedIdentityProvider extends Initializer {
  /**
   * @param outside - Decides which hosts may be connected to.
   * @param factory - The server's own factory of its identity provider.
   */
  public constructor(outside: OutsideDocuments, factory: ProviderFactory) {
    super();
    wrapMethod(factory, 'initConfig', (initConfig: InitConfig): InitConfig => async(...args): Promise<object> => ({
      ...await initConfig(...args),
      httpOptions: (url: URL): object => ({
        signal: AbortSignal.timeout(timeoutMs),
        dnsLookup: outside.lookupFor(url),
        agent: createBoundedAgent(url.protocol, maxBytes),
      }),
    }));
  }

  public async handle(): Promise<void> {
    // Nothing to do: the constructor makes all changes, before the provider can be requested.
  }
}
