import { BadRequestHttpError, BaseWebIdStore } from '@solid/community-server';
import type { AccountLoginStorage } from '@solid/community-server';
import { canonicalWebId } from '../../platform/webId';

/**
 * The server's links between accounts and WebIDs. A WebID of this server is accepted only in its canonical spelling.
 *
 * The server accepts any WebID that begins with the URL of an account's pod, but `{pod}../neighbour/profile/card#me` is
 * a document of the neighbour: other servers that resolve it would accept its tokens as the neighbour's.
 */
export class SpelledWebIdStore extends BaseWebIdStore {
  private readonly origin: string;

  /**
   * @param storage - Accounts of the server.
   * @param baseUrl - Base URL of the server.
   */
  public constructor(storage: AccountLoginStorage<Record<string, never>>, baseUrl: string) {
    super(storage);
    this.origin = new URL(baseUrl).origin;
  }

  /** @throws HttpError 400 for a WebID of this server in another spelling. */
  public override async create(webId: string, accountId: string): Promise<string> {
    if (this.isOtherSpelling(webId)) {
      throw new BadRequestHttpError(`A WebID has one spelling: ${canonicalWebId(webId) ?? 'this is none'}.`);
    }
    return super.create(webId, accountId);
  }

  /** Returns false for a WebID that was linked in another spelling before. */
  public override async isLinked(webId: string, accountId: string): Promise<boolean> {
    return !this.isOtherSpelling(webId) && super.isLinked(webId, accountId);
  }

  private isOtherSpelling(webId: string): boolean {
    return URL.canParse(webId) && new URL(webId).origin === this.origin && canonicalWebId(webId) !== webId;
  }
}
