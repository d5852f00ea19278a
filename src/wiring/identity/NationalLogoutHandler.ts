import { JsonInteractionHandler } from '@solid/community-server';
import type { JsonInteractionHandlerInput, JsonRepresentation, JsonView } from '@solid/community-server';
import { pageLanguage } from '../../server/pages/language';
import type { DataSharing } from '../DataSharing';
import { browserOf, withProblems } from './loginInput';

/**
 * Names the provider at which the browser logged in, and where it can log out there. No ID token goes with it: that
 * would carry the national number in a URL. Says nothing before the browser has logged out here: the offer is made
 * once, and any page of another site can lead to the pages that ask for it.
 *
 * @see [OpenID Connect RP-Initiated Logout 1.0, section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
 */
export class NationalLogoutHandler extends JsonInteractionHandler implements JsonView {
  private readonly dataSharing: DataSharing;

  /**
   * @param dataSharing - The service.
   */
  public constructor(dataSharing: DataSharing) {
    super();
    this.dataSharing = dataSharing;
  }

  public async getView(): Promise<JsonRepresentation> {
    return { json: {}};
  }

  public async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    if (input.accountId !== undefined) {
      return { json: {}};
    }
    const { baseUrl, logins } = await this.dataSharing.get();
    return withProblems(async(): Promise<JsonRepresentation> => {
      const there = await logins.leave(browserOf(input), `${baseUrl}.account/login/`);
      return { json: there ? { name: there.provider.name[pageLanguage()], location: there.location } : {}};
    });
  }
}
