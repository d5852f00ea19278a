import type { AuditLog } from '../audit/AuditLog';
import { canonicalWebId, isWebId } from '../platform/webId';
import type { Citizen, CitizenStore } from '../identity/CitizenStore';
import type { NationalNumber } from '../identity/NationalNumber';
import { findPodUrl } from '../pods/resourceUri';
import { Refused } from './Refused';

/** Stores that an operator's change to a citizen affects. */
export interface CitizenChanges {
  audit: AuditLog;
  citizens: CitizenStore;
}

/** Name of a citizen for the operator: one of the members. */
export interface CitizenName {
  /** Id in `/v1/pods/{podId}`, or the citizen's id in the audit record. */
  podId?: string;
  /** WebID in any spelling. */
  webId?: string;
}

/** A name, or a parsed national number. */
type NameOrNumber = CitizenName & { nationalNumber?: NationalNumber };

type Finder =
  Pick<CitizenStore, 'findById' | 'findByNationalNumber' | 'findByPodUrl' | 'findByWebId' | 'listPage'>;

/**
 * Finds the citizen with a name.
 *
 * @throws Refused when there is none.
 */
export async function findCitizen(
  citizens: Finder,
  name: NameOrNumber,
): Promise<Citizen> {
  const found = await find(citizens, name);
  if (!found) {
    throw new Refused('There is no such citizen.');
  }
  return found;
}

async function find(citizens: Finder, { podId, webId, nationalNumber }: NameOrNumber): Promise<Citizen | undefined> {
  if (podId !== undefined) {
    return findByPod(citizens, podId.trim());
  }
  if (webId !== undefined) {
    const spelled = canonicalWebId(webId) ?? webId;
    return isWebId(spelled) ? citizens.findByWebId(spelled) : undefined;
  }
  return nationalNumber === undefined ? undefined : citizens.findByNationalNumber(nationalNumber);
}

/**
 * Finds a citizen by pod. Commands do not know the base URL of the server, so it is taken from another citizen's pod.
 */
async function findByPod(citizens: Finder, podId: string): Promise<Citizen | undefined> {
  const [ any ] = await citizens.listPage('', 1);
  const podUrl = any && findPodUrl(podId, new URL('/', any.podUrl).href);
  return (podUrl ? await citizens.findByPodUrl(podUrl) : undefined) ?? citizens.findById(podId);
}
