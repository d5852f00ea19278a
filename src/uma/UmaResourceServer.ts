import type { AccessDecision, GivenModes } from '../grants/AccessDecision';
import type { AccessGrant } from '../grants/AccessGrant';
import type { GrantStore } from '../grants/GrantStore';
import { findResourceUri } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import type { WebId } from '../platform/webId';
import type { Rpt } from './RequestingPartyTokens';
import { umaConfiguration } from './umaConfiguration';
import type { UmaSigners } from './UmaSigners';

/** Dependencies and settings of {@link UmaResourceServer}. */
export interface UmaResourceServerOptions {
  records: { grants: Pick<GrantStore, 'findById'> };
  decision: Pick<AccessDecision, 'modes' | 'modesOf'>;
  signers: UmaSigners;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
}

/**
 * The resource server, for this server's pods: tells refused clients where to get a token, and accepts those tokens.
 *
 * @see [User-Managed Access 2.0 Grant](https://docs.kantarainitiative.org/uma/wg/rec-oauth-uma-grant-2.0.html)
 */
export class UmaResourceServer {
  private readonly options: UmaResourceServerOptions;
  private readonly issuer: string;

  public constructor(options: UmaResourceServerOptions) {
    this.options = options;
    this.issuer = umaConfiguration(options.baseUrl).issuer;
  }

  /**
   * Returns the challenge for a refused request on a resource, with a new ticket; `undefined` for anything but a pod
   * resource.
   *
   * @see [User-Managed Access 2.0 Grant, section 3.2.1](https://docs.kantarainitiative.org/uma/wg/rec-oauth-uma-grant-2.0.html#rs-tickets)
   */
  public challenge(resource: string): string | undefined {
    const { baseUrl, signers } = this.options;
    const uri = findResourceUri(resource, baseUrl);
    return uri && `UMA realm="solid", as_uri="${this.issuer}", ticket="${signers.tickets.issue(uri)}"`;
  }

  /** Returns a challenge without a ticket, for public resources: for clients that know only this server's address. */
  public announcement(): string {
    return `UMA realm="solid", as_uri="${this.issuer}"`;
  }

  /** Checks whether a bearer token looks like one of this service, valid or not. */
  public recognises(token: string): boolean {
    return this.options.signers.tokens.recognises(token);
  }

  /** Reads a requesting party token; returns `undefined` when it is not valid or has expired. */
  public verify(token: string): Rpt | undefined {
    return this.options.signers.tokens.verify(token);
  }

  /**
   * Returns the modes that a token gives now, by resource; none except on resources of this server.
   *
   * @param rpt - Content of the token.
   * @param target - URI of the request: must be the token's resource.
   * @param resources - Resources on which the request needs modes: the target, and containers created for it.
   */
  public async modes(rpt: Rpt, target: string, resources: string[]): Promise<Map<string, GivenModes>> {
    const modes = new Map<string, GivenModes>();
    const { baseUrl, records: { grants }} = this.options;
    const targetUri = findResourceUri(target, baseUrl);
    if (targetUri === rpt.resource) {
      const grant = rpt.grant === undefined ? undefined : await grants.findById(rpt.grant);
      for (const resource of rpt.grant !== undefined && !grant ? [] : resources) {
        const uri = resource === target ? targetUri : findResourceUri(resource, baseUrl);
        if (uri) {
          modes.set(resource, await this.modesOn(uri, rpt.webId, grant));
        }
      }
    }
    return modes;
  }

  private async modesOn(resource: ResourceUri, webId: WebId, grant: AccessGrant | undefined): Promise<GivenModes> {
    const { decision } = this.options;
    return grant ? decision.modesOf(grant, webId, resource) : decision.modes(webId, resource);
  }
}
