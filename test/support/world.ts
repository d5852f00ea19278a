import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createAccount,
  createClientCredentials,
  createPod,
} from '../../demo/lib/accounts';
import { Client } from '../../demo/lib/Client';
import { freePort } from '../../demo/lib/freePort';
import type { ServerOptions } from '../../demo/lib/servers';
import { startDataSharing, startNational } from '../../demo/lib/servers';
import type { ClientCredentials } from '../../demo/lib/tokens';
import { logInByClientCredentials } from '../../demo/lib/tokens';
import { signCitizenToken } from '../../demo/national-issuer/citizenToken';
import type { Citizen } from '../../demo/national-issuer/directory';
import { readDirectory } from '../../demo/national-issuer/directory';
import type { Stored } from './storage';
import { storageOf } from './storage';

export { Client, freePort, logInByClientCredentials };

/** The fictitious citizens and known apps of the example national issuer. */
export const directory = readDirectory(
  join(__dirname, '../../demo/citizens.json'),
  join(__dirname, '../../demo/clients.json'),
);

/** Scheme by which a client sends its token. */
export type Scheme = 'DPoP' | 'Bearer';

/** The built server in its own process. */
export interface TestServer {
  /** Base URL, with a trailing slash. */
  base: string;
  /** Folder with everything that the server writes: `pods/`, `records.sqlite`, `keys/`, `contracts/`, `server.log`. */
  folder: string;
  /** The log of the server so far. */
  log: () => string;
  /** Its stored data, accessed without the server. */
  stored: Stored;
  /** Ends it by SIGTERM, waits, and removes a temporary folder; rejects when the server failed to stop cleanly. */
  stop: () => Promise<void>;
  /** Kills it without warning, as a crash does. The folder stays. */
  crash: () => Promise<void>;
  /** Sends it a signal. */
  signal: (name: NodeJS.Signals) => void;
  /** Exit code, or the signal that ended it. */
  exited: Promise<number | string | null>;
}

/** The example national issuer in its own process. */
export interface TestNational {
  /** Issuer URL, with a trailing slash. */
  issuer: string;
  /** The citizen of the directory. */
  citizen: (id: string) => Citizen;
  /** Logs in as a citizen by client credentials: a token with `citizen_national_id`, and `webid` once there is one. */
  logIn: (id: string, scheme?: Scheme) => Promise<Client>;
  /** A Bearer client with the deprecated JWS citizen token. */
  withCitizenToken: (id: string) => Promise<Client>;
  /** Client credentials of that citizen, or of nobody. */
  credentials: (id?: string) => ClientCredentials;
  log: () => string;
  stop: () => Promise<void>;
}

/** Options for starting the example national issuer. */
export interface NationalOptions {
  /** A free one by default. */
  port?: number;
  /** Base URL of the server that knows the WebIDs; without it no token has one. */
  service?: string;
  /** Lifetime of access tokens: an hour by default. */
  accessTokenSeconds?: number;
}

/** A holder of an account and pod made by the server's own account API, logged in at its identity provider. */
export interface AccountHolder {
  webId: string;
  podUrl: string;
  client: Client;
  credentials: ClientCredentials;
}

/** Server and national issuer, with clients for them. */
export interface World {
  server: TestServer;
  national: TestNational;
  /** Base URL of the server, with a trailing slash. */
  base: string;
  /** Stops both. */
  stop: () => Promise<void>;
}

/** Age at which a token is renewed: tokens for client credentials last ten minutes, suites may take longer. */
const tokenMilliseconds = 240_000;

/** A client that logs in by client credentials again before its token ends. */
export class LastingClient extends Client {
  private until = Date.now() + tokenMilliseconds;

  private constructor(
    client: Client,
    private readonly base: string,
    private readonly credentials: ClientCredentials,
  ) {
    super(client.privateKey, client.publicJwk, client.token);
  }

  /**
   * Logs in.
   *
   * @param base - Base URL of the server.
   */
  public static async logIn(base: string, credentials: ClientCredentials, scheme: Scheme): Promise<LastingClient> {
    const client = await logInByClientCredentials(await createClient(scheme), base, credentials);
    return new LastingClient(client, base, credentials);
  }

  /** @param dpop - A proof for the current token, which is then not renewed. */
  public override async authentication(method: string, url: string, dpop?: string): Promise<Record<string, string>> {
    if (dpop === undefined && Date.now() > this.until) {
      this.until = Date.now() + tokenMilliseconds;
      // Keeps the last token if the credentials have ended meanwhile.
      const renewed = await logInByClientCredentials(this.withToken(), this.base, this.credentials)
        .catch((): this => this);
      this.token = renewed.token;
    }
    return super.authentication(method, url, dpop);
  }
}

/**
 * Starts the built server by its `bin`, with the example contracts and sources unless the flags say otherwise.
 *
 * @param options - As for {@link startDataSharing}; port and folder are free ones by default. A folder that is given
 * stays when the server stops.
 * @param makeStorage - Storage of the server; by default that of the environment.
 */
export async function startServer(
  options: Partial<ServerOptions> = {},
  makeStorage = storageOf,
): Promise<TestServer> {
  const folder = options.folder ?? await temporaryFolder();
  const storage = await makeStorage(folder);
  const { base, log, stop, child, exited } = await startDataSharing({
    ...options,
    ...storage.options(options),
    folder,
    port: options.port ?? await freePort(),
  });
  return {
    base,
    folder,
    log,
    stored: storage,
    async stop(): Promise<void> {
      await stop();
      if (options.folder === undefined) {
        await storage.remove();
        await removeFolder(folder);
      }
    },
    async crash(): Promise<void> {
      child.kill('SIGKILL');
      await exited;
    },
    signal(name): void {
      child.kill(name);
    },
    exited,
  };
}

/** Starts the example national issuer. */
export async function startNationalIssuer(options: NationalOptions = {}): Promise<TestNational> {
  const folder = await temporaryFolder();
  const port = options.port ?? await freePort();
  const { issuer, jwksFile, log, stop } = await startNational({ ...options, folder, port });
  return {
    issuer,
    citizen: getCitizen,
    credentials: getCredentials,
    async logIn(id, scheme = 'DPoP'): Promise<Client> {
      return logInByClientCredentials(await createClient(scheme), issuer, getCredentials(id));
    },
    async withCitizenToken(id): Promise<Client> {
      const { nationalNumber } = getCitizen(id);
      const jwks = JSON.parse(await readFile(jwksFile, 'utf8'));
      const [{ clientId }] = directory.clients;
      return Client.withBearer(await signCitizenToken({ jwks, issuer, nationalNumber, clientId }));
    },
    log,
    async stop(): Promise<void> {
      await stop();
      await removeFolder(folder);
    },
  };
}

/** Starts a server that trusts a national issuer, and that issuer. */
export async function startWorld(
  options: Partial<ServerOptions> = {},
  nationalOptions: NationalOptions = {},
): Promise<World> {
  const port = options.port ?? await freePort();
  const national = await startNationalIssuer({ ...nationalOptions, service: `http://localhost:${port}/` });
  try {
    const server = await startServer({
      ...options,
      nationalIssuers: [ national.issuer, ...options.nationalIssuers ?? [] ],
      port,
    });
    return {
      server,
      national,
      base: server.base,
      async stop(): Promise<void> {
        await Promise.all([ server.stop(), national.stop() ]);
      },
    };
  } catch (error: unknown) {
    await national.stop();
    throw error;
  }
}

/**
 * Makes an account with a pod at the server, and logs in as its WebID by client credentials.
 *
 * @param base - Base URL of the server.
 * @param name - Of the pod: the WebID is `{base}{name}/profile/card#me`.
 */
export async function accountWithPod(base: string, name: string, scheme: Scheme = 'DPoP'): Promise<AccountHolder> {
  const account = await createAccount(base, { email: `${name}@example.org`, password: `password of ${name}` });
  const { webId, podUrl } = await createPod(account, name);
  const credentials = await createClientCredentials(account, webId);
  return { webId, podUrl, client: await LastingClient.logIn(base, credentials, scheme), credentials };
}

/** A client without token. */
export async function createClient(scheme: Scheme): Promise<Client> {
  return scheme === 'DPoP' ? Client.withDpop() : Client.withBearer();
}

/** A new folder for one test file. */
export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'css-data-sharing-'));
}

/** Removes a folder and all in it. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

function getCitizen(id: string): Citizen {
  const citizen = directory.findCitizen(id);
  if (!citizen) {
    throw new Error(`There is no citizen ${id}`);
  }
  return citizen;
}

function getCredentials(id?: string): ClientCredentials {
  const known = directory.clients.find(({ citizen }): boolean => citizen === id);
  if (!known) {
    throw new Error(`No app acts for ${id}`);
  }
  return { id: known.clientId, secret: known.clientSecret };
}
