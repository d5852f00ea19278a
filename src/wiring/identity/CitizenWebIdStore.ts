import { ConflictHttpError, Initializer } from '@solid/community-server';
import type { BaseWebIdStore, WebIdStore } from '@solid/community-server';
import { podUrlOf } from '../../tokens/podUrl';
import type { DataSharingRecords } from '../DataSharingRecords';

/**
 * The server's links between accounts and WebIDs, with one addition: a citizen's WebID is linked to the citizen's own
 * account and to no other, whatever the profile document says. Otherwise an app that may write the profile could give
 * the WebID to its own account, and get tokens for it.
 */
export class CitizenWebIdStore extends Initializer implements WebIdStore {
  private readonly source: BaseWebIdStore;
  private readonly records: DataSharingRecords;

  /**
   * @param source - The server's own store of links.
   * @param records - Records of this package.
   */
  public constructor(source: BaseWebIdStore, records: DataSharingRecords) {
    super();
    this.source = source;
    this.records = records;
  }

  public async handle(): Promise<void> {
    await this.source.handle();
  }

  public async create(webId: string, accountId: string): Promise<string> {
    const { citizens } = await this.records.get();
    const citizen = await citizens.findByWebId(webId);
    const isOthers = citizen ? citizen.accountId !== accountId : await citizens.isTombstone(podUrlOf(webId));
    if (isOthers) {
      throw new ConflictHttpError('This WebID belongs to a citizen and cannot be linked to this account.');
    }
    return this.source.create(webId, accountId);
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
    return this.source.delete(linkId);
  }
}
