import { assertAccountId, CreatePasswordHandler } from '@solid/community-server';
import type { JsonInteractionHandlerInput, PasswordIdRoute, PasswordStore } from '@solid/community-server';
import type { PasswordRule } from './PasswordRule';

type PasswordsView = Awaited<ReturnType<CreatePasswordHandler['getView']>>;

/**
 * Lists the passwords of an account, which can be removed. Describes how to add one only if the account may have one.
 */
export class RuledPasswordsHandler extends CreatePasswordHandler {
  private readonly rule: PasswordRule;

  /**
   * @param passwordStore - Passwords of accounts.
   * @param passwordRoute - URLs of passwords.
   * @param rule - Decides which accounts may have passwords.
   */
  public constructor(passwordStore: PasswordStore, passwordRoute: PasswordIdRoute, rule: PasswordRule) {
    super(passwordStore, passwordRoute);
    this.rule = rule;
  }

  public override async getView(input: JsonInteractionHandlerInput): Promise<PasswordsView> {
    const view = await super.getView(input);
    assertAccountId(input.accountId);
    const { passwordLogins } = view.json;
    return await this.rule.mayHavePassword(input.accountId) ?
      view :
        { ...view, json: { passwordLogins }};
  }
}
