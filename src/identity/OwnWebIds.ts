import { AccessForbidden, IdentityAmbiguous, IdentityMismatch } from '../problems';
import { podUrlOf } from '../platform/podUrl';
import { canonicalWebId } from '../platform/webId';
import type { WebId } from '../platform/webId';
import type { Citizen, CitizenStore, NewCitizen } from './CitizenStore';
import type { PodHost, WebIdWithPod } from './PodHost';
import { podUrlMadeHere } from './podMadeHere';
import type { PodOwnerStore } from './PodOwnerStore';
import { sharesContainer } from './sharesContainer';

/** Dependencies of {@link OwnWebIds}. */
export interface OwnWebIdsOptions {
  citizens: Pick<CitizenStore, 'isTombstone'>;
  podOwners: Pick<PodOwnerStore, 'ownersOfAny' | 'podsOf'>;
  pods: Pick<PodHost, 'findAccount' | 'seclude'>;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  /** False when every citizen gets a WebID made here. */
  enabled: boolean;
}

/** A WebID to link, and the pod for the citizen's data. */
export type Linkable = Pick<NewCitizen, 'brought' | 'podUrl' | 'webId'>;

/** Decides which of a citizen's own WebIDs may be linked, and which of their pods receives data. */
export class OwnWebIds {
  public constructor(private readonly options: OwnWebIdsOptions) {}

  /**
   * Finds the pod of a WebID that is linked to nobody: the pod it owns here or, of several, the one that holds its
   * document. Without one, a pod is to be made.
   *
   * @param webId - Vouched for by a national issuer that its profile lists.
   * @param podName - Name for a new pod.
   *
   * @throws IdentityMismatch when WebIDs are not linked here, or this one is not in its normal form.
   * @throws IdentityAmbiguous when it owns several pods, or is not the only owner of its pod.
   */
  public async find(webId: WebId, podName: string): Promise<Linkable> {
    await this.requireLinkable(webId);
    const pods = (await this.options.podOwners.podsOf(webId)).filter((podUrl): boolean => this.isPodHere(podUrl));
    if (pods.length === 0) {
      return { webId, podUrl: podUrlMadeHere(podName, this.options.baseUrl), brought: 'WEBID' };
    }
    const pod = { webId, podUrl: choosePod(pods, webId) };
    if (!await this.isSoleOwner(pod)) {
      throw new IdentityAmbiguous('The pod of the WebID has other owners, too.');
    }
    if (await this.options.pods.findAccount(pod) === undefined) {
      throw new IdentityAmbiguous('The account of the pod does not have the WebID: link it to that account first.');
    }
    return { ...pod, brought: 'POD' };
  }

  /**
   * Prepares the pod of a citizen for data. A pod that the citizen brought must still be the citizen's alone, and gets
   * a container on which nobody else has rights. Does nothing for a pod made here.
   *
   * @throws AccessForbidden when the pod now has other owners, or none.
   */
  public async prepare(citizen: Pick<Citizen, 'brought' | 'id' | 'podUrl' | 'webId'>): Promise<void> {
    if (citizen.brought !== 'POD') {
      return;
    }
    if (!await this.isSoleOwner(citizen)) {
      throw new AccessForbidden('The pod no longer belongs to the WebID of the citizen alone.');
    }
    await this.options.pods.seclude({ container: sharesContainer(citizen), webId: citizen.webId });
  }

  private async requireLinkable(webId: WebId): Promise<void> {
    const { baseUrl, citizens, enabled } = this.options;
    if (!enabled) {
      throw new IdentityMismatch('The WebID in the token is not on record, and this service links none.');
    }
    if (canonicalWebId(webId) !== webId) {
      throw new IdentityMismatch('The WebID in the token is not in its normal form.');
    }
    if (webId.startsWith(baseUrl) && await citizens.isTombstone(podUrlOf(new URL(webId)))) {
      throw new IdentityMismatch('The WebID in the token no longer exists.');
    }
  }

  /** Pods are directly below the root: others have no id on this interface. */
  private isPodHere(podUrl: string): boolean {
    const { baseUrl } = this.options;
    return podUrl.startsWith(baseUrl) && /^[^/]+\/$/u.test(podUrl.slice(baseUrl.length));
  }

  private async isSoleOwner({ podUrl, webId }: WebIdWithPod): Promise<boolean> {
    const owners = await this.options.podOwners.ownersOfAny([ podUrl ]);
    return owners.length === 1 && owners[0] === webId;
  }
}

function choosePod(pods: string[], webId: WebId): string {
  const chosen = pods.length === 1 ? pods[0] : pods.find((podUrl): boolean => webId.startsWith(podUrl));
  if (chosen === undefined) {
    throw new IdentityAmbiguous('The WebID owns several pods here, and none of them holds its document.');
  }
  return chosen;
}
