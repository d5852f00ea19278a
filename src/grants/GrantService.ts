import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import { isOwnUuid } from '../platform/uuid';
import { contractFacts } from '../contracts/contractFacts';
import { AccessForbidden, GrantNotFound } from '../problems';
import type { Records } from '../platform/Records';
import type { WebId } from '../platform/webId';
import { findPodResourceUri, findPodUrl, podPlace } from '../pods/resourceUri';
import type { OwnIris } from '../vocabulary';
import type { AccessGrant } from './AccessGrant';
import { findGrantId, isParty } from './AccessGrant';
import { accessEvents } from './accessEvents';
import { citizenIdOf, grantEvent } from './grantEvents';
import type { GrantRecord } from './grantRecord';
import { grantRecord } from './grantRecord';
import type { GrantStores } from './GrantStores';

/** Dependencies of {@link GrantService}. */
export interface GrantServiceOptions {
  records: Records<GrantStores>;
  iris: Pick<OwnIris, 'accessIssuer'>;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** A grant on a resource of `/v1/pods/{podId}/resources/{resourceId}`, as named in the path. */
export interface GrantOnResource {
  podId: string;
  resourceId: string;
  /** Last segment of the grant's URI, or the whole URI. */
  grantId: string;
}

/** Returns grants to their parties, and revokes them. */
export class GrantService {
  private readonly options: GrantServiceOptions;

  public constructor(options: GrantServiceOptions) {
    this.options = options;
  }

  /**
   * Returns the signed credential of a request, grant or denial to its parties; of a request template that names
   * nobody, to everybody with a WebID.
   *
   * @param id - Last segment of its URI.
   *
   * @throws GrantNotFound when it does not exist, or the caller is not a party to it.
   */
  public async getDocument(id: string, caller: WebId, context: CallContext): Promise<string> {
    const grant = await this.getReadable(id, caller);
    const { now, records: { audit, citizens }} = this.options;
    audit.enqueue({
      type: 'grant.read',
      at: now(),
      ...ofCall(context),
      personal: { webId: caller, grant: grant.uri },
      citizenId: await citizenIdOf(grant, citizens),
    });
    return grant.document;
  }

  /**
   * Revokes a grant on a resource of a pod, shared data or not: sets its bit in the status list, with effect from the
   * next request on. A repeated call changes nothing.
   *
   * @param caller - WebID of the subject of the grant.
   *
   * @throws GrantNotFound when there is none on that resource, or the caller is not a party to it.
   * @throws AccessForbidden when the caller is its recipient.
   */
  public async revoke(place: GrantOnResource, caller: WebId, context: CallContext): Promise<GrantRecord> {
    const id = findGrantId(place.grantId, this.options.iris.accessIssuer) ?? place.grantId;
    const grant = await this.getForParty(id, caller);
    const { baseUrl, records } = this.options;
    const podUrl = findPodUrl(place.podId, baseUrl);
    const citizen = podUrl === undefined ? undefined : await records.citizens.findByPodUrl(podUrl);
    const resource = podUrl === undefined ?
      undefined :
        findPodResourceUri(podPlace(citizen ?? { id: place.podId, podUrl }), place.resourceId);
    if (resource === undefined || grant.kind !== 'grant' || !grant.resources.includes(resource)) {
      throw new GrantNotFound();
    }
    return grantRecord(await this.end(grant, caller, context), this.options.now(), resource);
  }

  /**
   * Revokes a request, grant or denial of any kind on any resource, like {@link revoke}.
   *
   * @param id - Last segment of its URI.
   *
   * @throws GrantNotFound when it does not exist, or the caller is not a party to it.
   * @throws AccessForbidden when the caller did not make it.
   */
  public async revokeById(id: string, caller: WebId, context: CallContext): Promise<AccessGrant> {
    return this.end(await this.getForParty(id, caller), caller, context);
  }

  private async end(grant: AccessGrant, caller: WebId, context: CallContext): Promise<AccessGrant> {
    if (grant.subject !== caller) {
      throw new AccessForbidden('Only the giver of an access grant can revoke it.');
    }
    if (grant.revokedAt) {
      return grant;
    }
    const { now, records } = this.options;
    const citizenId = await citizenIdOf(grant, records.citizens);
    return records.transaction(async({ grants, statusLists, audit, dataCopies, events }): Promise<AccessGrant> => {
      const at = now();
      if (await grants.revoke(grant.id, at)) {
        await statusLists.revoke(grant.status, at);
        await events.raise(accessEvents('AccessRevoked', grant, at));
        await dataCopies.checkSoon({ grants: [ grant.id ]}, at);
        const facts = { kind: grant.kind, ...grant.contract && contractFacts(grant.contract) };
        await audit.append(grantEvent(grant, { type: 'grant.revoked', at, context, citizenId, facts }));
      }
      return await grants.findById(grant.id) ?? grant;
    });
  }

  private async getReadable(id: string, caller: WebId): Promise<AccessGrant> {
    const grant = await this.findById(id);
    return grant?.recipient === '' ? grant : this.getForParty(id, caller);
  }

  private async getForParty(id: string, caller: WebId): Promise<AccessGrant> {
    const grant = await this.findById(id);
    if (!grant || !isParty(grant, caller)) {
      throw new GrantNotFound();
    }
    return grant;
  }

  private async findById(id: string): Promise<AccessGrant | undefined> {
    return isOwnUuid(id) ? this.options.records.grants.findById(id) : undefined;
  }
}
