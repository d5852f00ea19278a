import { DeletePasswordHandler } from '@solid/community-server';
import type {
  EmptyObject,
  JsonInteractionHandlerInput,
  JsonRepresentation,
  PasswordIdRoute,
  PasswordStore,
} from '@solid/community-server';
import type { AccountEnding } from './AccountEnding';
import { cookieOf } from './cookieOf';

/** Removes a password, and ends all else that acts for the account but the log-in that asks for it. */
export class EndingDeletePasswordHandler extends DeletePasswordHandler {
  private readonly ending: AccountEnding;

  /**
   * @param passwordStore - Passwords of accounts.
   * @param passwordRoute - Route of a password.
   * @param ending - Ends what acts for an account.
   */
  public constructor(passwordStore: PasswordStore, passwordRoute: PasswordIdRoute, ending: AccountEnding) {
    super(passwordStore, passwordRoute);
    this.ending = ending;
  }

  public override async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation<EmptyObject>> {
    const answer = await super.handle(input);
    await this.ending.end(input.accountId!, cookieOf(input));
    return answer;
  }
}
