import { setTimeout } from 'node:timers/promises';
import type { AdapterFactory } from '@solid/community-server';
import { cleanName } from '../../platform/cleanName';
import type { ListedValues } from '../holders/HeldStorage';
import type { TokenEnds } from './TokenEnds';

/** An app that may act as a WebID. */
export interface AppSession {
  clientId: string;
  /** Name that the app gives itself; absent when its registration is gone or cannot be read. */
  name?: string;
  /** Moment at which the person first allowed it. */
  since: Date;
  /** Moment of the last log-in, or of the last new refresh token: an app renews its access tokens more often. */
  lastUsedAt: Date;
}

/** Options of {@link AppSessions}. */
export interface AppSessionsArgs {
  /** Grants, sessions, tokens and codes of the server's identity provider, by WebID. */
  providerStorage: ListedValues;
  /** Describes clients. */
  adapterFactory: AdapterFactory;
  /** Records that tokens have ended. */
  ends: TokenEnds;
}

const maxNamed = 20;

/** Value that the identity provider stores for a client and a WebID. */
interface Issued {
  kind: string;
  accountId: string;
  clientId: string;
  /** Seconds since 1970. */
  iat: number;
}

/** Lists the apps that somebody has logged in to with a WebID, from the records of the identity provider. */
export class AppSessions {
  private readonly args: AppSessionsArgs;

  public constructor(args: AppSessionsArgs) {
    this.args = args;
  }

  /**
   * Lists the apps that may act as a WebID: those that were used last come first. Only the first 20 have names, because
   * each may be in a document of the app's own server.
   */
  public async list(webId: string): Promise<AppSession[]> {
    const issued = [ ...(await this.issuedTo(webId)).values() ];
    const apps = clientsOf(issued).map((clientId): AppSession => {
      const times = issued.filter((each): boolean => each.clientId === clientId).map(({ iat }): number => iat * 1000);
      const [ since, lastUsedAt ] = [ Math.min(...times), Math.max(...times) ].map((time): Date => new Date(time));
      return { clientId, since, lastUsedAt };
    }).sort((one, other): number => other.lastUsedAt.getTime() - one.lastUsedAt.getTime());
    return Promise.all(apps.map(async(app, index): Promise<AppSession> =>
      index < maxNamed ? { ...app, name: await this.findName(app.clientId) } : app));
  }

  /** The client ids of the apps that may act as a WebID. */
  public async listClientIds(webId: string): Promise<string[]> {
    return clientsOf([ ...(await this.issuedTo(webId)).values() ]);
  }

  /** Name that an app gives itself, unverified; undefined when it has none or cannot be asked. */
  public async findName(clientId: string): Promise<string | undefined> {
    try {
      const client = await this.args.adapterFactory.createStorageAdapter('Client').find(clientId);
      return cleanName(client?.client_name);
    } catch {
      // The app's document is on its own server, which may be down: identify the app by its id.
    }
  }

  /**
   * Ends the grants, refresh tokens, codes and access tokens of an app for a WebID. Times in tokens are whole seconds:
   * resolves in the next second, so that tokens of a new log-in are valid.
   */
  public async end(webId: string, clientId: string): Promise<void> {
    const { ends, providerStorage } = this.args;
    const issued = [ ...await this.issuedTo(webId) ].filter(([ , each ]): boolean => each.clientId === clientId);
    // Grants first, so that nothing issued meanwhile has a grant.
    const inOrder = issued.sort(([ , one ], [ , other ]): number => Number(isGrant(other)) - Number(isGrant(one)));
    // Tokens end before the app leaves the list, so that a failure can be repeated, and once more after it.
    await ends.endTokensOfApp(webId, clientId);
    await providerStorage.removeSome(webId, inOrder.map(([ key ]): string => key));
    await ends.endTokensOfApp(webId, clientId);
    // Timers may be early by a millisecond.
    await setTimeout(1005 - (Date.now() % 1000));
  }

  private async issuedTo(webId: string): Promise<Map<string, Issued>> {
    // The identity provider writes these values. Those of other kinds lack a member, and are left out below.
    const values = await this.args.providerStorage.valuesOf(webId) as Map<string, Issued>;
    return new Map([ ...values ].filter(([ , { accountId, clientId }]): boolean =>
      accountId === webId && typeof clientId === 'string'));
  }
}

function clientsOf(issued: readonly Issued[]): string[] {
  return [ ...new Set(issued.filter(isGrant).map(({ clientId }): string => clientId)) ];
}

function isGrant({ kind }: Issued): boolean {
  return kind === 'Grant';
}
