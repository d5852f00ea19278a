import { ConflictHttpError, Initializer } from '@solid/community-server';
import type { BaseClientCredentialsStore, ClientCredentials, ClientCredentialsStore } from '@solid/community-server';
import { changingValues } from '../values/ValueChange';
import { maxPerAccount } from './maxPerAccount';
import type { TokenEnds } from './TokenEnds';

/** The server's client credentials, a bounded number for each account. Deleting them ends their tokens. */
export class EndingCredentialsStore extends Initializer implements ClientCredentialsStore {
  private readonly source: BaseClientCredentialsStore;
  private readonly ends: TokenEnds;

  /**
   * @param source - The server's own store.
   * @param ends - Records that tokens have ended.
   */
  public constructor(source: BaseClientCredentialsStore, ends: TokenEnds) {
    super();
    this.source = source;
    this.ends = ends;
  }

  public async handle(): Promise<void> {
    await this.source.handle();
  }

  public async get(id: string): Promise<ClientCredentials | undefined> {
    return this.source.get(id);
  }

  public async findByLabel(label: string): Promise<ClientCredentials | undefined> {
    return this.source.findByLabel(label);
  }

  public async findByAccount(accountId: string): Promise<ClientCredentials[]> {
    return this.source.findByAccount(accountId);
  }

  public async create(label: string, webId: string, accountId: string): Promise<ClientCredentials> {
    return changingValues(async(): Promise<ClientCredentials> => {
      if ((await this.source.findByAccount(accountId)).length >= maxPerAccount) {
        throw new ConflictHttpError(`An account has at most ${maxPerAccount} client credentials.`);
      }
      return this.source.create(label, webId, accountId);
    });
  }

  public async delete(id: string): Promise<void> {
    const credentials = await this.source.get(id);
    if (!credentials) {
      return this.source.delete(id);
    }
    // Tokens end before the credentials are gone, so that a failure can be repeated, and once more after it.
    await this.ends.endTokensOfClients([ credentials.label ]);
    await this.source.delete(id);
    await this.ends.endTokensOfClients([ credentials.label ]);
  }
}
