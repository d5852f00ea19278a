import { JsonInteractionHandler } from '@solid/community-server';
import type { JsonInteractionHandlerInput, JsonRepresentation } from '@solid/community-server';
import type { AccountEnding } from './AccountEnding';
import { cookieOf } from './cookieOf';

/** Ends all that acts for an account but the log-in that asks, when a password of it was changed or removed. */
export class EndingPasswordHandler extends JsonInteractionHandler {
  private readonly source: JsonInteractionHandler;
  private readonly ending: AccountEnding;

  /**
   * @param source - Shows, changes and removes a password of an account.
   * @param ending - Ends what acts for an account.
   */
  public constructor(source: JsonInteractionHandler, ending: AccountEnding) {
    super();
    this.source = source;
    this.ending = ending;
  }

  public override async canHandle(input: JsonInteractionHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }

  public async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const answer = await this.source.handle(input);
    if (input.method !== 'GET') {
      await this.ending.end(input.accountId!, cookieOf(input));
    }
    return answer;
  }
}
