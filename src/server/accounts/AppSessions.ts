import { setTimeout } from 'node:timers/promises';
import type { AdapterFactory } from '@solid/community-server';
import type { ListedValues } from '../holders/HeldStorage';
import type { TokenEnds } from './TokenEnds';

/** An app that may act as a WebID. */
export interface AppSession {
  clientId: string;
  /** Name that the app gives itself; absent when its registration is gone or cannot be read. */
  name?: string;
  /** Moment at which the person first allowed it. */
  since: Date;
  /** Moment of the last log-in or renewal. */
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

/** Values that the identity provider stores about a client and a WebID. */
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

  /** Lists the apps that may act as a WebID, most recently used first. */
  public async list(webId: string): Promise<AppSession[]> {
    const issued = [ ...(await this.issuedTo(webId)).values() ];
    const clients = new Set(issued.filter(isGrant).map(({ clientId }): string => clientId));
    const apps = await Promise.all([ ...clients ].map(async(clientId): Promise<AppSession> => {
      const times = issued.filter((each): boolean => each.clientId === clientId).map(({ iat }): number => iat * 1000);
      const [ since, lastUsedAt ] = [ Math.min(...times), Math.max(...times) ].map((time): Date => new Date(time));
      return { clientId, name: await this.nameOf(clientId), since, lastUsedAt };
    }));
    return apps.sort((one, other): number => other.lastUsedAt.getTime() - one.lastUsedAt.getTime());
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
    await providerStorage.removeSome(webId, inOrder.map(([ key ]): string => key));
    await ends.endTokensOfApp(webId, clientId);
    await setTimeout(1000 - (Date.now() % 1000));
  }

  private async issuedTo(webId: string): Promise<Map<string, Issued>> {
    const values = await this.args.providerStorage.valuesOf(webId) as Map<string, Issued>;
    return new Map([ ...values ].filter(([ , { accountId, clientId }]): boolean =>
      accountId === webId && typeof clientId === 'string'));
  }

  private async nameOf(clientId: string): Promise<string | undefined> {
    try {
      const client = await this.args.adapterFactory.createStorageAdapter('Client').find(clientId);
      return client ? client.client_name : undefined;
    } catch {
      // The app's document is on its own server, which may be down: identify the app by its id.
    }
  }
}

function isGrant({ kind }: Issued): boolean {
  return kind === 'Grant';
}
