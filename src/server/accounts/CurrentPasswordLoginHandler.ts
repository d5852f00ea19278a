import { ForbiddenHttpError, PasswordLoginHandler } from '@solid/community-server';
import type {
  AccountStore,
  CookieStore,
  JsonInteractionHandlerInput,
  JsonRepresentation,
} from '@solid/community-server';
import { isRecord } from '../../platform/isRecord';
import type { CarefulPasswordStore } from './CarefulPasswordStore';

/** Options of {@link CurrentPasswordLoginHandler}. */
export interface CurrentPasswordLoginArgs {
  /** Accounts. */
  accountStore: AccountStore;
  /** Passwords of accounts. */
  passwordStore: CarefulPasswordStore;
  /** Log-ins. */
  cookieStore: CookieStore;
}

/**
 * Logs in with a password, unless it is replaced or removed while it is compared, in any process: whoever replaces it
 * then ends the log-ins that they find, and must not miss one.
 */
export class CurrentPasswordLoginHandler extends PasswordLoginHandler {
  private readonly passwords: CarefulPasswordStore;
  private readonly cookies: CookieStore;

  public constructor(args: CurrentPasswordLoginArgs) {
    super(args);
    this.passwords = args.passwordStore;
    this.cookies = args.cookieStore;
  }

  /**
   * @throws ForbiddenHttpError for a wrong password.
   */
  public override async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const { email } = isRecord(input.json) ? input.json : {};
    const address = typeof email === 'string' ? email.trim() : '';
    const before = await this.passwords.versionOf(address);
    const answer = await super.handle(input);
    // Compared after the log-in is stored: it is found if the password is replaced from now on.
    if (await this.passwords.versionOf(address) !== before) {
      // The server names the cookie that it has just set.
      await this.cookies.delete(answer.json.authorization as string);
      throw new ForbiddenHttpError('Invalid email/password combination.');
    }
    return answer;
  }
}
