import { finishInteraction } from '@solid/community-server';
import type { JsonInteractionHandlerInput, JsonRepresentation } from '@solid/community-server';
import { BodyInvalid } from '../../problems';
import { textOf } from '../../server/accounts/accountTexts';
import { ElsewhereLoginHandler } from '../../server/accounts/ElsewhereLoginHandler';
import type { DataSharing } from '../DataSharing';
import type { NationalLoginArgs } from './NationalAnswerHandler';
import { browserOf, loginContext, withProblems } from './loginInput';

/**
 * Handles the answer of a newcomer with a ticket: on yes, makes WebID and pod like PUT `/v1/webids` and logs them in;
 * on no, forgets them and reports the refusal to the app.
 */
export class NationalWelcomeHandler extends ElsewhereLoginHandler {
  private readonly dataSharing: DataSharing;

  public constructor(args: NationalLoginArgs) {
    super(args);
    this.dataSharing = args.dataSharing;
  }

  public override async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    return withProblems(async(): Promise<JsonRepresentation> =>
      isYes(textOf(input, 'answer')) ? this.accept(input) : this.decline(input));
  }

  private async accept(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const { logins } = await this.dataSharing.get();
    return this.logIn(input, await logins.accept(textOf(input, 'ticket'), browserOf(input), loginContext()));
  }

  private async decline(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const { logins } = await this.dataSharing.get();
    const { interaction: uid } = await logins.decline(textOf(input, 'ticket'), browserOf(input), loginContext());
    const interaction = await this.findInteraction(uid);
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
