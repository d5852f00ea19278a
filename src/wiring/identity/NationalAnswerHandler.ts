import type { JsonInteractionHandlerInput, JsonRepresentation, JsonView } from '@solid/community-server';
import { textOf } from '../../server/accounts/accountTexts';
import { ElsewhereLoginHandler } from '../../server/accounts/ElsewhereLoginHandler';
import type { ElsewhereLoginArgs } from '../../server/accounts/ElsewhereLoginHandler';
import type { DataSharing } from '../DataSharing';
import { browserOf, loginContext, withProblems } from './loginInput';

/** Options of {@link NationalAnswerHandler}. */
export interface NationalLoginArgs extends ElsewhereLoginArgs {
  /** The service. */
  dataSharing: DataSharing;
}

/**
 * Handles the response of a national identity provider, which the page at its redirect URI posts: logs in a citizen on
 * record, and gives others a ticket for a WebID and pod.
 */
export class NationalAnswerHandler extends ElsewhereLoginHandler implements JsonView {
  private readonly dataSharing: DataSharing;

  public constructor(args: NationalLoginArgs) {
    super(args);
    this.dataSharing = args.dataSharing;
  }

  public async getView(): Promise<JsonRepresentation> {
    return { json: { fields: { answer: { required: true, type: 'string' }}}};
  }

  public override async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const { logins } = await this.dataSharing.get();
    const [ , provider = '' ] = /([^/]+)\/$/u.exec(input.target.path) ?? [];
    return withProblems(async(): Promise<JsonRepresentation> => {
      const result = await logins.finish(provider, textOf(input, 'answer'), browserOf(input), loginContext());
      if ('ticket' in result) {
        const { name, ticket } = result;
        return { json: { ticket, ...name !== undefined && { name }}};
      }
      return this.logIn(input, result);
    });
  }
}
