import { getLoggerFor, Initializer, setSafeInterval } from '@solid/community-server';
import type { Finalizable, ProviderFactory } from '@solid/community-server';
import { opened } from '../../platform/opened';
import type { SealSource } from './SealSource';
import type { ServerKeyStorage } from './ServerKeyStorage';

type InitConfig = (...args: unknown[]) => Promise<{ cookies?: object }>;

/** Parts of the server's own factory of its identity provider that have no setting. */
interface OpenFactory {
  initConfig: InitConfig;
  /** Made at the first request. */
  provider?: unknown;
}

/** Interval of checks for replaced keys. */
const lookMs = 10_000;

/**
 * Makes the server's identity provider publish every signing key, accept cookies signed with any secret, and follow
 * replaced keys while it serves.
 */
export class ProviderKeys extends Initializer implements Finalizable {
  private readonly logger = getLoggerFor(this);
  private readonly factory: OpenFactory;
  private readonly seals: SealSource;
  private timer?: NodeJS.Timeout;

  /**
   * @param factory - The server's own factory of its identity provider.
   * @param keys - Keys of the identity provider.
   * @param seals - Secrets of the server.
   */
  public constructor(factory: ProviderFactory, keys: ServerKeyStorage, seals: SealSource) {
    super();
    this.factory = opened<OpenFactory>(factory);
    this.seals = seals;
    if (typeof this.factory.initConfig !== 'function') {
      throw new TypeError('css-data-sharing needs another version of the server: no initConfig of its factory');
    }
    const initConfig = this.factory.initConfig.bind(factory);
    this.factory.initConfig = async(...args): Promise<object> => {
      const config = await initConfig(...args);
      const jwks = { keys: await keys.signingKeys() };
      return { ...config, jwks, cookies: { ...config.cookies, keys: await keys.cookieKeys() }};
    };
  }

  public async handle(): Promise<void> {
    this.timer ??= setSafeInterval(this.logger, 'Keys of the identity provider', this.follow.bind(this), lookMs);
    this.timer.unref();
  }

  public async finalize(): Promise<void> {
    clearInterval(this.timer);
  }

  /** Switches to replaced keys. Requests in progress keep the provider that they started with. */
  private async follow(): Promise<void> {
    const secrets = await this.seals.secrets();
    if (await secrets.refresh()) {
      this.factory.provider = undefined;
    }
  }
}
