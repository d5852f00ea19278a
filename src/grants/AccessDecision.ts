import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import { GrantExpired, GrantNotCovering, GrantNotUsable, GrantRevoked, GrantSuspended } from '../problems';
import { findResourceUri, placesOf } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import { ownIris } from '../vocabulary';
import type { AccessMode, GrantTerms } from './AccessGrant';
import {
  accessModes,
  covers,
  grantIdOf,
  grantStatus,
  isInForce,
  isParty,
  isProtected,
  isWriteProtected,
} from './AccessGrant';
import type { UsableGrants } from './GrantStore';
import type { ResourceControl } from './ResourceControl';

/** Dependencies and settings of {@link AccessDecision}. */
export interface AccessDecisionOptions {
  grants: UsableGrants;
  control: ResourceControl;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** Granted modes, each with the grant that gives it. */
export type GivenModes = ReadonlyMap<AccessMode, GrantTerms>;

/** Checks who controls a resource, only once however many grants depend on it. */
type Controls = (webId: WebId, resource: ResourceUri) => Promise<boolean>;

/**
 * Maximum number of subjects checked for one resource in one decision. Each check costs as much as a request on an
 * access control document, and anybody may state grants: subjects who controlled the resource when they stated a grant
 * come first.
 */
const maxSubjects = 20;

/**
 * The one rule that decides what an access grant allows, wherever it is used.
 *
 * A grant is effective for a caller, a resource and a mode when it was issued here, has begun, is not revoked, expired,
 * invalid or suspended (nor its recipient or contract), was given to that caller, covers resource and mode, and its
 * subject controls the resource now. No grant covers access control documents or descriptions; grants of Write and
 * Append do not cover WebID documents. No grant covers resources of other servers.
 */
export class AccessDecision {
  private readonly options: AccessDecisionOptions;

  public constructor(options: AccessDecisionOptions) {
    this.options = options;
  }

  /** Returns a grant that gives the caller this mode on this resource now. */
  public async usable(caller: WebId, resource: ResourceUri, mode: AccessMode): Promise<GrantTerms | undefined> {
    const { grants, now } = this.options;
    const controls = this.rememberingControl();
    return grants.findUsable(caller, placesOf(resource), now(), async(grant): Promise<boolean> =>
      this.isGood(grant, caller, resource, mode, controls));
  }

  /**
   * Returns, for each of many resources, a grant that gives the caller this mode now. Resources without one are left
   * out.
   */
  public async listUsable(
    caller: WebId,
    resources: ResourceUri[],
    mode: AccessMode,
  ): Promise<Map<ResourceUri, GrantTerms>> {
    const grants = await this.listCandidates(caller, resources);
    const controls = this.rememberingControl();
    const usable = new Map<ResourceUri, GrantTerms>();
    for (const resource of new Set(resources)) {
      const grant = await this.firstEffective(grants, caller, resource, mode, controls);
      if (grant) {
        usable.set(resource, grant);
      }
    }
    return usable;
  }

  /** Returns all modes that the caller has on this resource now, with the grant that gives each. */
  public async modes(caller: WebId, resource: ResourceUri): Promise<GivenModes> {
    return this.modesAmong(await this.listCandidates(caller, [ resource ]), caller, resource);
  }

  /** Returns all modes that one stored grant gives the caller on this resource now. */
  public async modesOf(grant: GrantTerms, caller: WebId, resource: ResourceUri): Promise<GivenModes> {
    return this.modesAmong([ grant ], caller, resource);
  }

  /**
   * Returns the modes that a presented grant gives the caller on this resource now: at least one.
   *
   * @throws GrantNotUsable, GrantRevoked, GrantExpired, GrantSuspended, GrantNotCovering as {@link check} does.
   */
  public async checkModes(grant: GrantTerms, caller: WebId, resource: ResourceUri): Promise<GivenModes> {
    this.assertUsableBy(grant, caller);
    const modes = await this.modesOf(grant, caller, resource);
    if (modes.size === 0) {
      throw new GrantNotCovering();
    }
    return modes;
  }

  /**
   * Returns the grant that a caller presents, when it is effective for this request.
   *
   * Only its parties learn why it is not. The subject, who gave it, is a party but cannot use it: it gives access to
   * its recipient.
   *
   * @param grantUri - Grant URI as the caller sent it.
   *
   * @throws AccessGrantInvalid when it is not a URI.
   * @throws GrantNotUsable when the grant is unknown, not a grant, not yet in force, invalid, or was not given to the
   *   caller: the same for strangers, and for the subject of a grant in force.
   * @throws GrantRevoked, GrantExpired, GrantSuspended, GrantNotCovering to its parties.
   */
  public async check(
    grantUri: string,
    caller: WebId,
    resource: ResourceUri,
    mode: AccessMode,
  ): Promise<GrantTerms> {
    const id = grantIdOf(grantUri, ownIris(this.options.baseUrl).accessIssuer);
    const presented = id === undefined ?
      undefined :
        await this.options.grants.findPresented(id, placesOf(resource));
    const grant = presented?.terms;
    this.assertUsableBy(grant, caller);
    const controls = presented?.isOfOwner ? async(): Promise<boolean> => true : this.rememberingControl();
    if (!await this.isGood(grant, caller, resource, mode, controls)) {
      throw new GrantNotCovering();
    }
    return grant;
  }

  /** Checks whether the caller can use this grant now, in any of its modes on any of its resources. */
  public async isEffective(grant: GrantTerms, caller: WebId): Promise<boolean> {
    const controls = this.rememberingControl();
    for (const resource of grant.resources) {
      const uri = findResourceUri(resource, this.options.baseUrl);
      if (uri && await this.isGoodForAny(grant, caller, uri, controls)) {
        return true;
      }
    }
    return false;
  }

  private async isGoodForAny(
    grant: GrantTerms,
    caller: WebId,
    uri: ResourceUri,
    controls: Controls,
  ): Promise<boolean> {
    for (const mode of grant.modes) {
      if (await this.isGood(grant, caller, uri, mode, controls)) {
        return true;
      }
    }
    return false;
  }

  private assertUsableBy(grant: GrantTerms | undefined, caller: WebId): asserts grant is GrantTerms {
    if (grant?.kind !== 'grant' || !isParty(grant, caller)) {
      throw new GrantNotUsable();
    }
    const now = this.options.now();
    if (isInForce(grant, now)) {
      assertRecipient(grant, caller);
      return;
    }
    if (grant.revokedAt) {
      throw new GrantRevoked();
    }
    if (grantStatus(grant, now) === 'EXPIRED') {
      throw new GrantExpired();
    }
    throw grant.suspendedAt && !grant.invalidAt ? new GrantSuspended() : new GrantNotUsable();
  }

  private async modesAmong(grants: GrantTerms[], caller: WebId, uri: ResourceUri): Promise<GivenModes> {
    const modes = new Map<AccessMode, GrantTerms>();
    const controls = this.rememberingControl();
    for (const mode of grants.length > 0 ? accessModes : []) {
      const grant = await this.firstEffective(grants, caller, uri, mode, controls);
      if (grant) {
        modes.set(mode, grant);
      }
    }
    return modes;
  }

  private async firstEffective(
    grants: GrantTerms[],
    caller: WebId,
    uri: ResourceUri,
    mode: AccessMode,
    controls: Controls,
  ): Promise<GrantTerms | undefined> {
    for (const grant of grants) {
      if (await this.isGood(grant, caller, uri, mode, controls)) {
        return grant;
      }
    }
    return undefined;
  }

  /** Applies the rule to a stored grant. */
  private async isGood(
    grant: GrantTerms,
    caller: WebId,
    uri: ResourceUri,
    mode: AccessMode,
    controls: Controls,
  ): Promise<boolean> {
    const isForbidden = mode === 'Read' ? isProtected(uri) : isWriteProtected(uri, grant.subject);
    return grant.recipient === caller && isInForce(grant, this.options.now()) && !isForbidden &&
      covers(grant, uri, mode) && await controls(grant.subject, uri) &&
      (mode === 'Read' || !await this.isOfAnOwner(uri));
  }

  /**
   * Checks whether a resource is write-protected for an owner of its pod: in a pod with several owners, a grant by one
   * must not give the rights of another.
   */
  private async isOfAnOwner(uri: ResourceUri): Promise<boolean> {
    const owners = await this.options.control.ownersOf(uri);
    return owners.some((webId): boolean => isWriteProtected(uri, webId));
  }

  private async listCandidates(caller: WebId, uris: ResourceUri[]): Promise<GrantTerms[]> {
    const named = new Set(uris.flatMap(placesOf));
    return named.size === 0 ? [] : this.options.grants.listUsable(caller, [ ...named ], this.options.now());
  }

  private rememberingControl(): Controls {
    const answers = new Map<string, Map<string, Promise<boolean>>>();
    return async(webId, resource): Promise<boolean> => {
      const known = answers.get(resource) ?? new Map<string, Promise<boolean>>();
      answers.set(resource, known);
      if (!known.has(webId) && known.size < maxSubjects) {
        known.set(webId, this.options.control.controls(webId, resource));
      }
      return known.get(webId) ?? false;
    };
  }
}

/** The subject is a party and learns of revocation and expiry, but cannot use the grant. */
function assertRecipient({ recipient }: GrantTerms, caller: WebId): void {
  if (recipient !== caller) {
    throw new GrantNotUsable('It gives access to somebody else.');
  }
}
