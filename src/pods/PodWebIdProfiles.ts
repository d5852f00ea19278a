import { FetchFailed } from '../platform/fetchErrors';
import { issuersInDocument, maxProfileBytes } from '../tokens/WebIdProfiles';
import type { WebIdProfiles } from '../tokens/WebIdProfiles';
import type { WebId } from '../platform/webId';
import type { PodGateway } from './PodGateway';
import { findResourceUri } from './resourceUri';

/**
 * Reads the issuers in a WebID profile of this server, without a request to itself. Anybody with access to the pod may
 * have written the document, so it is read as carefully as a remote one.
 */
export class PodWebIdProfiles implements WebIdProfiles {
  public constructor(
    private readonly gateway: Pick<PodGateway, 'exists' | 'findBytes'>,
    private readonly baseUrl: string,
  ) {}

  /**
   * Returns the issuers that may vouch for a WebID according to its profile document. Returns none when the document
   * does not exist, or when the WebID spells its URL differently, so that a document cannot have a WebID for each
   * spelling.
   *
   * @param webId - A WebID under this server's base URL.
   *
   * @throws FetchFailed when the document is not a profile, or too large.
   */
  public async issuers(webId: WebId): Promise<string[]> {
    const url = webId.replace(/#.*$/u, '');
    const uri = findResourceUri(url, this.baseUrl);
    // Check existence first: missing resources are common here, and errors are expensive.
    if (uri !== url || !await this.gateway.exists(uri)) {
      return [];
    }
    const found = await this.gateway.findBytes(uri, maxProfileBytes);
    if (!found) {
      throw new FetchFailed('the profile is gone or too large');
    }
    return issuersInDocument({ url, contentType: found.contentType, body: found.bytes }, webId);
  }
}
