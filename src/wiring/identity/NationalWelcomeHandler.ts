import { assertAccountId, finishInteraction, ResolveLoginHandler } from '@solid/community-server';
import type {
  JsonInteractionHandlerInput,
  JsonRepresentation,
  LoginOutputType,
} from '@solid/community-server';
import { BodyInvalid } from '../../problems';
import { textOf } from '../../server/accounts/accountTexts';
import { authenticatedElsewhere } from '../../server/accounts/TimedCookieStore';
import { findInteraction } from '../../server/accounts/findInteraction';
import type { NationalLoginArgs } from './NationalAnswerHandler';
import { browserOf, loginContext, withProblems } from './loginInput';

/**
 * Handles the answer of a newcomer with a ticket: on yes, makes WebID and pod like PUT `/v1/webids` and logs them in;
 * on no, forgets them and reports the refusal to the app.
 */
export class NationalWelcomeHandler extends ResolveLoginHandler {
  private readonly args: NationalLoginArgs;

  public constructor(args: NationalLoginArgs) {
    super(args.accountStore, args.cookieStore);
    this.args = args;
  }

  public override async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    return withProblems(async(): Promise<JsonRepresentation> =>
      isYes(textOf(input, 'answer')) ? this.accept(input) : this.decline(input));
  }

  public async login({ accountId }: JsonInteractionHandlerInput): Promise<JsonRepresentation<LoginOutputType>> {
    assertAccountId(accountId);
    return { json: { accountId }};
  }

  private async accept(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const { logins } = await this.args.dataSharing.get();
    const { accountId, authenticatedAt, interaction } =
      await logins.accept(textOf(input, 'ticket'), browserOf(input), loginContext());
    const oidcInteraction = await findInteraction(this.args.providerFactory, interaction);
    return authenticatedElsewhere(authenticatedAt, async(): Promise<JsonRepresentation> =>
      super.handle({ ...input, oidcInteraction, accountId }));
  }

  private async decline(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const { logins } = await this.args.dataSharing.get();
    const { interaction: uid } = await logins.decline(textOf(input, 'ticket'), browserOf(input), loginContext());
    const interaction = await findInteraction(this.args.providerFactory, uid);
    const refusal = { error: 'access_denied', error_description: 'The citizen wants no WebID.' };
    return { json: interaction ? { location: await finishInteraction(interaction, refusal, false) } : {}};
  }
}

function isYes(answer: string): boolean {
  if (answer !== 'yes' && answer !== 'no') {
    throw new BodyInvalid('/answer must be yes or no.');
  }
  return answer === 'yes';
}
