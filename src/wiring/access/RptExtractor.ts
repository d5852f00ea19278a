import { BadRequestHttpError, CredentialsExtractor, NotImplementedHttpError } from '@solid/community-server';
import type { Credentials, HttpRequest } from '@solid/community-server';
import type { DataSharing } from '../DataSharing';
import { noteRefusedRpt } from './refusedTokens';
import type { RptCredentials } from './rpt';

/**
 * Credentials of pod requests with a requesting party token. All other tokens are left to the next extractor.
 */
export class RptExtractor extends CredentialsExtractor {
  private readonly dataSharing: DataSharing;

  /**
   * @param dataSharing - The service that issued the tokens.
   */
  public constructor(dataSharing: DataSharing) {
    super();
    this.dataSharing = dataSharing;
  }

  public async canHandle({ headers }: HttpRequest): Promise<void> {
    const token = bearerToken(headers.authorization);
    if (token === undefined || !(await this.dataSharing.get()).uma.recognises(token)) {
      throw new NotImplementedHttpError('No requesting party token.');
    }
  }

  public async handle(request: HttpRequest): Promise<Credentials> {
    const { uma } = await this.dataSharing.get();
    const token = bearerToken(request.headers.authorization);
    const rpt = token === undefined ? undefined : uma.verify(token);
    if (!rpt) {
      noteRefusedRpt(request);
      throw new BadRequestHttpError('The requesting party token is not valid.');
    }
    return { rpt } satisfies RptCredentials;
  }
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/iu.exec(authorization ?? '')?.[1];
}
