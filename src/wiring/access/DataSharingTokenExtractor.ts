import { BadRequestHttpError, CredentialsExtractor, joinUrl, NotImplementedHttpError } from '@solid/community-server';
import type { Credentials, HttpRequest } from '@solid/community-server';
import { noteRefusal } from '../../http/requestLog';
import type { DataSharing } from '../DataSharing';
import { messageOf } from '../../platform/errors';
import { isOutage } from '../../platform/outage';
import { noteRefusedToken } from './refusedTokens';

/**
 * Credentials for pod requests by the same verifier that `/v1` uses, instead of the server's own token extractors. An
 * invalid token leaves the request without credentials, as in the server, and a 401 has the reason; an outage is thrown
 * as it is.
 */
export class DataSharingTokenExtractor extends CredentialsExtractor {
  private readonly dataSharing: DataSharing;
  private readonly isAgain: boolean;

  /**
   * @param dataSharing - The service whose verifier is used.
   * @param isAgain - True when the proofs of tokens were used before, earlier in the same request.
   */
  public constructor(dataSharing: DataSharing, isAgain = false) {
    super();
    this.dataSharing = dataSharing;
    this.isAgain = isAgain;
  }

  public async canHandle({ headers }: HttpRequest): Promise<void> {
    if (headers.authorization === undefined) {
      throw new NotImplementedHttpError('No Authorization header specified.');
    }
  }

  public async handle(request: HttpRequest): Promise<Credentials> {
    const { headers, method, url } = request;
    const { verifier, baseUrl } = await this.dataSharing.get();
    const [ path ] = (url ?? '/').split('?', 1);
    try {
      const caller = await verifier[this.isAgain ? 'verifyAgain' : 'verify']({
        authorization: headers.authorization,
        dpop: headers.dpop,
        method: method ?? 'GET',
        // Built as the server builds it, so that the request line cannot name another host. A query has no part in
        // proofs; joined, it would take the last slash of a container away.
        url: joinUrl(baseUrl, path),
      }, { citizen: false, anyClient: true });
      return {
        // Only a policy with `byClient` accepts a token without a WebID.
        agent: { webId: caller.webId! },
        issuer: { url: caller.issuer },
        ...caller.app === undefined ? {} : { client: { clientId: caller.app }},
      };
    } catch (error: unknown) {
      noteRefusal(request, error);
      noteRefusedToken(request, error);
      throw isOutage(error) ? error : new BadRequestHttpError(messageOf(error), { cause: error });
    }
  }
}
