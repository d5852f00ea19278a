import { UnionCredentialsExtractor } from '@solid/community-server';
import type { Credentials, CredentialsExtractor, HttpRequest } from '@solid/community-server';
import { firmResults } from './firmResults';

/**
 * Unites the credentials of several extractors, and fails when one of them is unavailable now. A wrong token leaves the
 * request without credentials, as in the server's own union; a token that cannot be checked does not.
 */
export class FirmCredentialsExtractor extends UnionCredentialsExtractor {
  /**
   * @param extractors - The last one wins when several return the same credentials.
   */
  public constructor(extractors: CredentialsExtractor[]) {
    super(extractors);
  }

  public override async handle(input: HttpRequest): Promise<Credentials> {
    return this.combine(await firmResults(this.handlers, input));
  }
}
