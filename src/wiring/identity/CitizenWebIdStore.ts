import { ConflictHttpError, Initializer } from '@solid/community-server';
import type { BaseWebIdStore, WebIdStore } from '@solid/community-server';
import { maxPerAccount } from '../../server/accounts/maxPerAccount';
import type { ProviderSessions } from '../../server/accounts/ProviderSessions';
import { changingValues } from '../../server/values/ValueChange';
import { podUrlOf } from '../../platform/podUrl';
import type { DataSharingRecords } from '../DataSharingRecords';
import type { WebId } from '../../platform/webId';
import { isWebId, parseWebId } from '../../platform/webId';

/**
 * The server's links between accounts and WebIDs, a bounded number for each account. Unlinking a WebID ends everything
 * issued to it. A citizen's WebID that was made here is always linked to the citizen's own account, and to no other,
 * whatever the profile document says: otherwise an app that may write the profile could link it to its own account, and
 * get tokens for it.
 */
export class CitizenWebIdStore extends Initializer implements WebIdStore {
  private readonly source: BaseWebIdStore;
  private readonly records: DataSharingRecords;
  private readonly sessions: ProviderSessions;

  /**
   * @param source - The server's own store of links.
   * @param records - Records of this package.
   * @param sessions - Sessions of apps, and their tokens.
   */
  public constructor(
    source: BaseWebIdStore,
    records: DataSharingRecords,
    sessions: ProviderSessions,
  ) {
    super();
    this.source = source;
    this.records = records;
    this.sessions = sessions;
  }

  public async handle(): Promise<void> {
    await this.source.handle();
  }

  public async create(webId: string, accountId: string): Promise<string> {
    return changingValues(async(): Promise<string> => this.createLink(parseWebId(webId), accountId));
  }

  public async get(linkId: string): ReturnType<WebIdStore['get']> {
    return this.source.get(linkId);
  }

  public async isLinked(webId: string, accountId: string): Promise<boolean> {
    return this.source.isLinked(webId, accountId);
  }

  public async findLinks(accountId: string): ReturnType<WebIdStore['findLinks']> {
    return this.source.findLinks(accountId);
  }

  public async delete(linkId: string): Promise<void> {
    const link = await this.source.get(linkId);
    if (!link) {
      return this.source.delete(linkId);
    }
    await this.requireNotCitizen(link);
    // Sessions end before the link is gone, so that a failure can be repeated, and once more after it.
    await this.sessions.end({ webIds: [ link.webId ]});
    await this.source.delete(linkId);
    await this.sessions.end({ webIds: [ link.webId ]});
  }

  /** Refuses to unlink a WebID with which the citizen could then no longer log in to apps. */
  private async requireNotCitizen({ accountId, webId }: { accountId: string; webId: string }): Promise<void> {
    const { citizens } = await this.records.get();
    const citizen = isWebId(webId) ? await citizens.findByWebId(webId) : undefined;
    if (citizen && !citizen.brought && citizen.accountId === accountId) {
      throw new ConflictHttpError('This WebID belongs to a citizen, whose log-in gives it: it remains linked.');
    }
  }

  private async createLink(webId: WebId, accountId: string): Promise<string> {
    const { citizens } = await this.records.get();
    const citizen = await citizens.findByWebId(webId);
    const isOthers = citizen && !citizen.brought ?
      citizen.accountId !== accountId :
        await citizens.isTombstone(podUrlOf(new URL(webId)));
    if (isOthers) {
      throw new ConflictHttpError('This WebID belongs to a citizen and cannot be linked to this account.');
    }
    if ((await this.source.findLinks(accountId)).length >= maxPerAccount) {
      throw new ConflictHttpError(`An account has at most ${maxPerAccount} WebIDs.`);
    }
    return this.source.create(webId, accountId);
  }
}
