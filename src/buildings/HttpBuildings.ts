import { BuildingGone, BuildingNotFound, OriginUnavailable } from '../problems';
import { boundedFetch, isJsonType, mediaTypeOf, TooLarge, TransientFailure } from '../sources/http/boundedFetch';
import type { Building, Buildings } from './Buildings';
import { maxBuildingBytes } from './Buildings';

const maxPathLength = 1024;

/**
 * A building register behind HTTP. Only paths on the operator's list are passed on, and nothing else of a request: no
 * header, no query. Redirects are not followed.
 */
export class HttpBuildings implements Buildings {
  /**
   * @param endpoint - URL of the register, without a trailing slash.
   * @param paths - Patterns, of which one must match the whole path.
   * @param timeoutMs - Timeout of a request to the register.
   */
  public constructor(
    private readonly endpoint: string,
    private readonly paths: readonly RegExp[],
    private readonly timeoutMs = 5000,
  ) {}

  public async find(path: string): Promise<Building> {
    if (!this.isAllowed(path)) {
      throw new BuildingNotFound();
    }
    const response = await this.fetch(path);
    if (response.status === 404) {
      throw new BuildingNotFound();
    }
    if (response.status === 410) {
      throw new BuildingGone();
    }
    const contentType = mediaTypeOf(response);
    if (response.status !== 200 || !isJsonType(contentType)) {
      throw new OriginUnavailable('The register did not return a JSON document.');
    }
    return { bytes: Buffer.from(await response.arrayBuffer()), contentType };
  }

  private isAllowed(path: string): boolean {
    const segments = path === '' ? [] : path.split('/');
    return path.length <= maxPathLength &&
      !segments.some((segment): boolean => [ '', '.', '..' ].includes(segment) || segment.includes('\\')) &&
      this.paths.some((pattern): boolean => pattern.test(path));
  }

  private async fetch(path: string): Promise<Response> {
    const suffix = path === '' ? '' : `/${path.split('/').map(encodeURIComponent).join('/')}`;
    try {
      return await boundedFetch(
        `${this.endpoint}${suffix}`,
        { headers: { accept: 'application/json, application/ld+json;q=0.9, application/*;q=0.1' }},
        { timeoutMs: this.timeoutMs, maxBytes: maxBuildingBytes },
      );
    } catch (error: unknown) {
      if (error instanceof TransientFailure || error instanceof TooLarge) {
        throw new OriginUnavailable('The register cannot be reached now.', { cause: error });
      }
      throw error;
    }
  }
}
