import { BadRequestHttpError, ForbiddenHttpError, ResolveLoginHandler } from '@solid/community-server';
import type {
  AccountStore,
  CookieStore,
  JsonInteractionHandlerInput,
  JsonRepresentation,
  JsonView,
  LoginOutputType,
} from '@solid/community-server';
import { isRecord } from '../../platform/isRecord';
import type { AccountOffers } from './AccountOffers';
import { textOf } from './accountTexts';
import type { CarefulPasswordStore } from './CarefulPasswordStore';
import type { Invitations } from './Invitations';
import { findMailAddress } from './mailAddress';

/** Options of {@link InvitedAccountHandler}. */
export interface InvitedAccountHandlerArgs {
  /** Accounts. */
  accountStore: AccountStore;
  /** Log-ins. */
  cookieStore: CookieStore;
  /** Passwords of accounts. */
  passwordStore: CarefulPasswordStore;
  /** Knows the rule on new accounts. */
  offers: AccountOffers;
  /** Invitations of the operator. */
  invitations: Invitations;
}

const field = { required: true, type: 'string' };
const fields = { invitation: field, email: field, password: field };

/**
 * Creates accounts: for everybody where registration is open, otherwise one for each invitation. An invited account is
 * created together with its password, so that no other request uses up an invitation.
 */
export class InvitedAccountHandler extends ResolveLoginHandler implements JsonView {
  private readonly args: InvitedAccountHandlerArgs;

  public constructor(args: InvitedAccountHandlerArgs) {
    super(args.accountStore, args.cookieStore);
    this.args = args;
  }

  public async getView(): Promise<JsonRepresentation> {
    return { json: this.args.offers.isOpen ? {} : { fields }};
  }

  public async login(input: JsonInteractionHandlerInput): Promise<JsonRepresentation<LoginOutputType>> {
    const accountId = this.args.offers.isOpen ? await this.args.accountStore.create() : await this.redeem(input);
    return { json: { accountId }};
  }

  /** Creates the account of an invitation. */
  private async redeem(input: JsonInteractionHandlerInput): Promise<string> {
    const { accountStore, invitations, passwordStore } = this.args;
    if (!isRecord(input.json) || input.json.invitation === undefined) {
      throw new ForbiddenHttpError('Accounts are made by invitation only: ask the operator of this service.');
    }
    const invitation = textOf(input, 'invitation');
    const password = textOf(input, 'password');
    const address = findMailAddress(textOf(input, 'email'));
    if (address === undefined) {
      throw new BadRequestHttpError('email must be an e-mail address.');
    }
    if (!await invitations.isGoodInvitation(invitation, address)) {
      throw refused();
    }
    await passwordStore.check(address, password);
    if (!await invitations.takeInvitation(invitation, address)) {
      throw refused();
    }
    const accountId = await accountStore.create();
    await passwordStore.confirmVerification(await passwordStore.create(address, accountId, password));
    return accountId;
  }
}

/** Returns the same message for invitations that are used, expired, somebody else's or unknown. */
function refused(): ForbiddenHttpError {
  return new ForbiddenHttpError('This invitation is invalid, has expired, or is for another e-mail address.');
}
