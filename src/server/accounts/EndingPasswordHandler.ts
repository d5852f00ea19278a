import { assertAccountId, JsonInteractionHandler } from '@solid/community-server';
import type { JsonInteractionHandlerInput, JsonRepresentation } from '@solid/community-server';
import type { AccountEnding } from './AccountEnding';
import { cookieOf } from './cookieOf';
import type { PasswordRule } from './PasswordRule';

/**
 * Ends all other log-ins and tokens of an account after one of its passwords was changed or removed. An account that
 * may not have a password can only remove it.
 */
export class EndingPasswordHandler extends JsonInteractionHandler {
  private readonly source: JsonInteractionHandler;
  private readonly ending: AccountEnding;
  private readonly rule: PasswordRule;

  /**
   * @param source - Shows, changes and removes a password of an account.
   * @param ending - Ends everything that acts for an account.
   * @param rule - Decides which accounts may have passwords.
   */
  public constructor(source: JsonInteractionHandler, ending: AccountEnding, rule: PasswordRule) {
    super();
    this.source = source;
    this.ending = ending;
    this.rule = rule;
  }

  public override async canHandle(input: JsonInteractionHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }

  public async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    if (input.method === 'POST') {
      assertAccountId(input.accountId);
      await this.rule.requirePassword(input.accountId);
    }
    const answer = await this.source.handle(input);
    if (input.method !== 'GET') {
      assertAccountId(input.accountId);
      await this.ending.end(input.accountId, cookieOf(input));
    }
    return answer;
  }
}
