import { ResetPasswordHandler } from '@solid/community-server';
import type {
  EmptyObject,
  ForgotPasswordStore,
  JsonInteractionHandlerInput,
  JsonRepresentation,
  PasswordStore,
} from '@solid/community-server';
import { changingValues } from '../values/ValueChange';
import { isRecord } from '../../platform/isRecord';
import type { AccountEnding } from './AccountEnding';

/** Replaces a forgotten password, and ends everything that acts for the account. */
export class EndingResetPasswordHandler extends ResetPasswordHandler {
  private readonly passwords: PasswordStore;
  private readonly forgotten: ForgotPasswordStore;
  private readonly ending: AccountEnding;

  /**
   * @param passwordStore - Passwords of accounts.
   * @param forgotPasswordStore - Passwords that may be replaced.
   * @param ending - Ends everything that acts for an account.
   */
  public constructor(
    passwordStore: PasswordStore,
    forgotPasswordStore: ForgotPasswordStore,
    ending: AccountEnding,
  ) {
    super(passwordStore, forgotPasswordStore);
    this.passwords = passwordStore;
    this.forgotten = forgotPasswordStore;
    this.ending = ending;
  }

  public override async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation<EmptyObject>> {
    const { recordId } = isRecord(input.json) ? input.json : {};
    const passwordId = typeof recordId === 'string' ? await this.forgotten.get(recordId.trim()) : undefined;
    // If several requests use one link at once, the first one sets the password.
    const answer = await changingValues(async(): Promise<JsonRepresentation<EmptyObject>> => super.handle(input));
    const login = passwordId === undefined ? undefined : await this.passwords.get(passwordId);
    if (login) {
      await this.ending.end(login.accountId);
    }
    return answer;
  }
}
