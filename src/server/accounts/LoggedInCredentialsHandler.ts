import { CreateClientCredentialsHandler, UnauthorizedHttpError } from '@solid/community-server';
import type {
  ClientCredentialsIdRoute,
  ClientCredentialsStore,
  CookieStore,
  JsonInteractionHandlerInput,
  WebIdStore,
} from '@solid/community-server';
import { changingValues } from '../values/ValueChange';
import { cookieOf } from './cookieOf';

type Made = Awaited<ReturnType<CreateClientCredentialsHandler['handle']>>;

/**
 * Creates client credentials, unless the log-in of the request ends meanwhile, in any process: whoever ends the log-ins
 * of an account then deletes the client credentials that they find, and must not miss one.
 */
export class LoggedInCredentialsHandler extends CreateClientCredentialsHandler {
  private readonly cookies: CookieStore;

  /**
   * @param webIdStore - WebIDs of accounts.
   * @param clientCredentialsStore - Client credentials of accounts.
   * @param clientCredentialsRoute - URLs of client credentials.
   * @param cookieStore - Log-ins.
   */
  public constructor(
    webIdStore: WebIdStore,
    clientCredentialsStore: ClientCredentialsStore,
    clientCredentialsRoute: ClientCredentialsIdRoute,
    cookieStore: CookieStore,
  ) {
    super(webIdStore, clientCredentialsStore, clientCredentialsRoute);
    this.cookies = cookieStore;
  }

  /**
   * @throws UnauthorizedHttpError when the log-in has ended.
   */
  public override async handle(input: JsonInteractionHandlerInput): Promise<Made> {
    return changingValues(async(): Promise<Made> => {
      const cookie = cookieOf(input);
      if (cookie === undefined || await this.cookies.get(cookie) !== input.accountId) {
        throw new UnauthorizedHttpError('The log-in has ended.');
      }
      return super.handle(input);
    });
  }
}
