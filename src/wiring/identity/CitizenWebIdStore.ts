import { BadRequestHttpError, ConflictHttpError, Initializer } from '@solid/community-server';
import type { BaseWebIdStore, WebIdStore } from '@solid/community-server';
import { canonicalWebId } from '../../identity/canonicalWebId';
import { mostOfAccount } from '../../server/accounts/mostOfAccount';
import type { ProviderSessions } from '../../server/accounts/ProviderSessions';
import { changingValues } from '../../server/values/ValueChange';
import { podUrlOf } from '../../tokens/podUrl';
import type { DataSharingRecords } from '../DataSharingRecords';

/**
 * The server's links between accounts and WebIDs, a bounded number for each account. Unlinking a WebID ends everything
 * issued to it. A citizen's WebID that was made here is linked to the citizen's own account only, whatever the profile
 * document says: otherwise an app that may write the profile could link it to its own account, and get tokens for it.
 *
 * A WebID of this server counts in its one spelling only. The server takes every URL that begins with that of an
 * account's pod as its own, but `{pod}../neighbour/profile/card#me` is a document of the neighbour's: other servers
 * that resolve it would take its tokens as the neighbour's.
 */
export class CitizenWebIdStore extends Initializer implements WebIdStore {
  private readonly source: BaseWebIdStore;
  private readonly records: DataSharingRecords;
  private readonly sessions: ProviderSessions;
  private readonly origin: string;

  /**
   * @param source - The server's own store of links.
   * @param records - Records of this package.
   * @param sessions - Sessions of apps, and their tokens.
   * @param baseUrl - Base URL of the server.
   */
  public constructor(
    source: BaseWebIdStore,
    records: DataSharingRecords,
    sessions: ProviderSessions,
    baseUrl: string,
  ) {
    super();
    this.source = source;
    this.records = records;
    this.sessions = sessions;
    this.origin = new URL(baseUrl).origin;
  }

  public async handle(): Promise<void> {
    await this.source.handle();
  }

  public async create(webId: string, accountId: string): Promise<string> {
    return changingValues(async(): Promise<string> => this.createLink(webId, accountId));
  }

  public async get(linkId: string): ReturnType<WebIdStore['get']> {
    return this.source.get(linkId);
  }

  public async isLinked(webId: string, accountId: string): Promise<boolean> {
    return !this.isOtherSpelling(webId) && this.source.isLinked(webId, accountId);
  }

  public async findLinks(accountId: string): ReturnType<WebIdStore['findLinks']> {
    return this.source.findLinks(accountId);
  }

  public async delete(linkId: string): Promise<void> {
    const link = await this.source.get(linkId);
    await this.source.delete(linkId);
    if (link) {
      await this.sessions.end({ webIds: [ link.webId ]});
    }
  }

  private isOtherSpelling(webId: string): boolean {
    return URL.canParse(webId) && new URL(webId).origin === this.origin && canonicalWebId(webId) !== webId;
  }

  private async createLink(webId: string, accountId: string): Promise<string> {
    if (this.isOtherSpelling(webId)) {
      throw new BadRequestHttpError(`A WebID has one spelling: ${canonicalWebId(webId) ?? 'this is none'}.`);
    }
    const { citizens } = await this.records.get();
    const citizen = await citizens.findByWebId(webId);
    const isOthers = citizen && !citizen.brought ?
      citizen.accountId !== accountId :
        await citizens.isTombstone(podUrlOf(webId));
    if (isOthers) {
      throw new ConflictHttpError('This WebID belongs to a citizen and cannot be linked to this account.');
    }
    if ((await this.source.findLinks(accountId)).length >= mostOfAccount) {
      throw new ConflictHttpError(`An account has at most ${mostOfAccount} WebIDs.`);
    }
    return this.source.create(webId, accountId);
  }
}
