import type { AccessDecision, GivenModes } from '../grants/AccessDecision';
import type { AccessGrant } from '../grants/AccessGrant';
import type { GrantStore } from '../grants/GrantStore';
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
   * Returns the challenge for a refused request on a pod resource, with a new ticket.
   *
   * @see [User-Managed Access 2.0 Grant, section 3.2.1](https://docs.kantarainitiative.org/uma/wg/rec-oauth-uma-grant-2.0.html#rs-tickets)
   */
  public challenge(resource: ResourceUri): string {
    const ticket = this.options.signers.tickets.issue(resource);
    return `UMA realm="solid", as_uri="${this.issuer}", ticket="${ticket}"`;
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
   * Returns the modes that a token gives now, by resource.
   *
   * @param rpt - Content of the token.
   * @param resources - Resources on which the request needs modes: the target, which must be the token's resource, and
   *   containers created for it. Undefined for anything but a pod resource.
   */
  public async modes(rpt: Rpt, resources: (ResourceUri | undefined)[]): Promise<Map<ResourceUri, GivenModes>> {
    const modes = new Map<ResourceUri, GivenModes>();
    if (resources[0] === rpt.resource) {
      const grant = rpt.grant === undefined ? undefined : await this.options.records.grants.findById(rpt.grant);
      for (const resource of rpt.grant !== undefined && !grant ? [] : resources) {
        if (resource) {
          modes.set(resource, await this.modesOn(resource, rpt.webId, grant));
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
