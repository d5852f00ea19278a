import { assertAccountId, ResolveLoginHandler } from '@solid/community-server';
import type {
  AccountStore,
  CookieStore,
  JsonInteractionHandlerInput,
  JsonRepresentation,
  LoginOutputType,
  ProviderFactory,
} from '@solid/community-server';
import { authenticatedElsewhere } from './TimedCookieStore';

/** Options of {@link ElsewhereLoginHandler}. */
export interface ElsewhereLoginArgs {
  /** Accounts. */
  accountStore: AccountStore;
  /** Log-ins. */
  cookieStore: CookieStore;
  /** Makes the server's own identity provider. */
  providerFactory: ProviderFactory;
}

/** A person who was authenticated elsewhere. */
export interface ElsewhereLogin {
  accountId: string;
  /** Time of the authentication, in ms since 1970; absent when unknown. */
  authenticatedAt?: number;
  /** Id of the log-in to an app for which this one was started. */
  interaction?: string;
}

/** Base of handlers that log in a person who was authenticated elsewhere. */
export abstract class ElsewhereLoginHandler extends ResolveLoginHandler {
  private readonly providerFactory: ProviderFactory;

  public constructor(args: ElsewhereLoginArgs) {
    super(args.accountStore, args.cookieStore);
    this.providerFactory = args.providerFactory;
  }

  public async login({ accountId }: JsonInteractionHandlerInput): Promise<JsonRepresentation<LoginOutputType>> {
    assertAccountId(accountId);
    return { json: { accountId }};
  }

  /** Logs the person in, and continues the log-in to an app for which this one was started. */
  protected async logIn(
    input: JsonInteractionHandlerInput,
    { accountId, authenticatedAt, interaction }: ElsewhereLogin,
  ): Promise<JsonRepresentation> {
    const oidcInteraction = await this.findInteraction(interaction);
    return authenticatedElsewhere(authenticatedAt, async(): Promise<JsonRepresentation> =>
      super.handle({ ...input, oidcInteraction, accountId }));
  }

  /** Finds a log-in to an app by its id, even if the browser has started another since. */
  protected async findInteraction(uid: string | undefined): Promise<JsonInteractionHandlerInput['oidcInteraction']> {
    if (uid === undefined) {
      return;
    }
    const provider = await this.providerFactory.getProvider();
    return provider.Interaction.find(uid);
  }
}
