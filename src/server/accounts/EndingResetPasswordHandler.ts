import { ResetPasswordHandler } from '@solid/community-server';
import type { EmptyObject, JsonInteractionHandlerInput, JsonRepresentation } from '@solid/community-server';
import { isRecord } from '../../platform/isRecord';
import type { AccountEnding } from './AccountEnding';
import type { CarefulPasswordStore } from './CarefulPasswordStore';
import type { PasswordLinks } from './PasswordLinks';

/**
 * Replaces a forgotten password, and ends everything that acts for the account. If several requests use one link at
 * once, the first one sets the password.
 */
export class EndingResetPasswordHandler extends ResetPasswordHandler {
  private readonly passwords: CarefulPasswordStore;
  private readonly links: PasswordLinks;
  private readonly ending: AccountEnding;

  /**
   * @param passwordStore - Passwords of accounts.
   * @param forgotPasswordStore - Links for replacing passwords.
   * @param ending - Ends everything that acts for an account.
   */
  public constructor(
    passwordStore: CarefulPasswordStore,
    forgotPasswordStore: PasswordLinks,
    ending: AccountEnding,
  ) {
    super(passwordStore, {
      generate: async(id): Promise<string> => forgotPasswordStore.generate(id),
      // Used up before the password is hashed. As one change with that, it would take long, and whoever is logged in
      // to the account could overtake it again and again.
      get: async(id): Promise<string | undefined> => forgotPasswordStore.take(id),
      delete: async(id): Promise<boolean> => forgotPasswordStore.delete(id),
    });
    this.passwords = passwordStore;
    this.links = forgotPasswordStore;
    this.ending = ending;
  }

  public override async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation<EmptyObject>> {
    const { password, recordId } = isRecord(input.json) ? input.json : {};
    const passwordId = typeof recordId === 'string' ? await this.links.get(recordId.trim()) : undefined;
    const login = passwordId === undefined ? undefined : await this.passwords.get(passwordId);
    if (passwordId !== undefined && typeof password === 'string') {
      // A weak password does not use the link up.
      await this.passwords.requireFit(passwordId, password.trim());
    }
    const answer = await super.handle(input);
    if (login) {
      await this.ending.end(login.accountId);
    }
    return answer;
  }
}
