import { JsonInteractionHandler, RepresentationMetadata } from '@solid/community-server';
import type { JsonInteractionHandlerInput, JsonRepresentation, JsonView } from '@solid/community-server';
import { CitizenLogins } from '../../login/CitizenLogins';
import type { LoginOrigin } from '../../login/CitizenLogins';
import { textOf } from '../../server/accounts/accountTexts';
import { loginSecret } from '../../server/accounts/LoginCookieWriter';
import { pageLanguage } from '../../server/pages/language';
import type { DataSharing } from '../DataSharing';
import { browserOf, withProblems } from './loginInput';

/** A national identity provider as the log-in page offers it: `statesName` if it also tells the citizen's name. */
// Only a type alias can be JSON to the server.
type Offered = { id: string; name: string; statesName: boolean };

/**
 * Names the national identity providers, and sends browsers to the one that the citizen chooses. Tells the browser of a
 * citizen who is logged in their name, if their provider stated it.
 */
export class NationalLoginHandler extends JsonInteractionHandler implements JsonView {
  private readonly dataSharing: DataSharing;

  /**
   * @param dataSharing - The service.
   */
  public constructor(dataSharing: DataSharing) {
    super();
    this.dataSharing = dataSharing;
  }

  /** The providers, named in the language of the request, and the citizen. */
  public async getView(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const { logins } = await this.dataSharing.get();
    const language = pageLanguage();
    const citizen = await logins.findName(browserOf(input), input.accountId);
    return { json: {
      fields: { provider: { required: true, type: 'string' }},
      providers: logins.providers.map(({ id, name, nameClaim }): Offered =>
        ({ id, name: name[language], statesName: nameClaim !== undefined })),
      ...citizen && { citizen: { webId: citizen.webId, name: citizen.name }},
    }};
  }

  /** Begins a log-in; the answer says where it goes on. */
  public async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const { logins } = await this.dataSharing.get();
    return withProblems(async(): Promise<JsonRepresentation> => {
      const browser = browserOf(input) ?? CitizenLogins.newBrowser();
      const location = await logins.begin(textOf(input, 'provider'), { browser, ...appOf(input) });
      const metadata = new RepresentationMetadata(input.target);
      metadata.set(loginSecret, browser);
      return { json: { location }, metadata };
    });
  }
}

/** Parameters of the app's log-in request. */
function appOf({ oidcInteraction }: JsonInteractionHandlerInput): Omit<LoginOrigin, 'browser'> {
  if (!oidcInteraction) {
    return {};
  }
  const { params, uid } = oidcInteraction;
  const maxAge = Number(params.max_age);
  return {
    interaction: uid,
    maxAge: params.max_age !== undefined && Number.isInteger(maxAge) && maxAge >= 0 ? maxAge : undefined,
    again: typeof params.prompt === 'string' && params.prompt.split(' ').includes('login'),
  };
}
