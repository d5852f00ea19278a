import { FetchFailed } from '../platform/fetchErrors';
import { issuersInDocument, maxProfileBytes } from '../tokens/WebIdProfiles';
import type { WebIdProfiles } from '../tokens/WebIdProfiles';
import type { WebId } from '../platform/webId';
import type { PodGateway } from './PodGateway';
import { findResourceUri } from './resourceUri';

/**
 * Reads the issuers in a WebID profile of this server, without a request to itself. The document may be anything that
 * somebody has put in a pod, so it is read as carefully as a remote one.
 */
export class PodWebIdProfiles implements WebIdProfiles {
  public constructor(
    private readonly gateway: Pick<PodGateway, 'exists' | 'findBytes'>,
    private readonly baseUrl: string,
  ) {}

  /**
   * The issuers that may vouch for a WebID, as its profile document says. None when there is no such document, or when
   * the WebID names it by another spelling, so that a document cannot give a WebID for each.
   *
   * @param webId - A WebID under this server's base URL.
   *
   * @throws FetchFailed when it is no profile, or too large for one.
   */
  public async issuers(webId: WebId): Promise<string[]> {
    const url = webId.replace(/#.*$/u, '');
    const uri = findResourceUri(url, this.baseUrl);
    // Asked first: a missing resource is ordinary here, and errors are dear.
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
