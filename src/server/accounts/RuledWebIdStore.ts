import { ConflictHttpError, Initializer } from '@solid/community-server';
import type { BaseWebIdStore, WebIdStore } from '@solid/community-server';
import { parseWebId } from '../../platform/webId';
import { changingValues } from '../values/ValueChange';
import type { HoldingRule } from './HoldingRule';
import { maxPerAccount } from './maxPerAccount';
import type { ProviderSessions } from './ProviderSessions';

/**
 * The server's links between accounts and the WebIDs that they may have, a bounded number for each account. Unlinking a
 * WebID ends everything issued to it.
 */
export class RuledWebIdStore extends Initializer implements WebIdStore {
  private readonly source: BaseWebIdStore;
  private readonly rule: HoldingRule;
  private readonly sessions: ProviderSessions;

  /**
   * @param source - The server's own store of links.
   * @param rule - Decides which WebIDs an account may have.
   * @param sessions - Sessions of apps, and their tokens.
   */
  public constructor(source: BaseWebIdStore, rule: HoldingRule, sessions: ProviderSessions) {
    super();
    this.source = source;
    this.rule = rule;
    this.sessions = sessions;
  }

  public async handle(): Promise<void> {
    await this.source.handle();
  }

  public async create(webId: string, accountId: string): Promise<string> {
    return changingValues(async(): Promise<string> => {
      await this.rule.requireLinkable(parseWebId(webId), accountId);
      if ((await this.source.findLinks(accountId)).length >= maxPerAccount) {
        throw new ConflictHttpError(`An account has at most ${maxPerAccount} WebIDs.`);
      }
      return this.source.create(webId, accountId);
    });
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
    await this.rule.requireUnlinkable(link.webId, link.accountId);
    // Sessions end before the link is gone, so that a failure can be repeated, and once more after it.
    await this.sessions.end({ webIds: [ link.webId ]});
    await this.source.delete(linkId);
    await this.sessions.end({ webIds: [ link.webId ]});
  }
}
