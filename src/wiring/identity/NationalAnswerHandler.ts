import { assertAccountId, ResolveLoginHandler } from '@solid/community-server';
import type {
  AccountStore,
  CookieStore,
  JsonInteractionHandlerInput,
  JsonRepresentation,
  JsonView,
  LoginOutputType,
  ProviderFactory,
} from '@solid/community-server';
import { textOf } from '../../server/accounts/accountTexts';
import { authenticatedElsewhere } from '../../server/accounts/TimedCookieStore';
import type { DataSharing } from '../DataSharing';
import { findInteraction } from '../../server/accounts/findInteraction';
import { browserOf, loginContext, withProblems } from './loginInput';

/** Options of {@link NationalAnswerHandler}. */
export interface NationalLoginArgs {
  /** Accounts. */
  accountStore: AccountStore;
  /** Log-ins. */
  cookieStore: CookieStore;
  /** The service. */
  dataSharing: DataSharing;
  /** Makes the server's own identity provider. */
  providerFactory: ProviderFactory;
}

/**
 * Handles the response of a national identity provider, which the page at its redirect URI posts: logs in a citizen on
 * record, and gives others a ticket for a WebID and pod.
 */
export class NationalAnswerHandler extends ResolveLoginHandler implements JsonView {
  private readonly args: NationalLoginArgs;

  public constructor(args: NationalLoginArgs) {
    super(args.accountStore, args.cookieStore);
    this.args = args;
  }

  public async getView(): Promise<JsonRepresentation> {
    return { json: { fields: { answer: { required: true, type: 'string' }}}};
  }

  public override async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const { logins } = await this.args.dataSharing.get();
    const [ , provider = '' ] = /([^/]+)\/$/u.exec(input.target.path) ?? [];
    return withProblems(async(): Promise<JsonRepresentation> => {
      const result = await logins.finish(provider, textOf(input, 'answer'), browserOf(input), loginContext());
      if ('ticket' in result) {
        const { name, ticket } = result;
        return { json: { ticket, ...name !== undefined && { name }}};
      }
      const { accountId, authenticatedAt, interaction } = result;
      const oidcInteraction = await findInteraction(this.args.providerFactory, interaction);
      return authenticatedElsewhere(authenticatedAt, async(): Promise<JsonRepresentation> =>
        super.handle({ ...input, oidcInteraction, accountId }));
    });
  }

  public async login({ accountId }: JsonInteractionHandlerInput): Promise<JsonRepresentation<LoginOutputType>> {
    assertAccountId(accountId);
    return { json: { accountId }};
  }
}
