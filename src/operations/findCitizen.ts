import type { AuditLog } from '../audit/AuditLog';
import { canonicalWebId, isWebId } from '../platform/webId';
import type { Citizen, CitizenStore } from '../identity/CitizenStore';
import type { NationalNumber } from '../identity/NationalNumber';
import { findPodUrl } from '../pods/resourceUri';
import { Refused } from './Refused';

/** Stores that change with what the operator does to a citizen. */
export interface CitizenChanges {
  audit: AuditLog;
  citizens: CitizenStore;
}

/** How the operator names a citizen: by one of them. */
export interface CitizenName {
  /** As in `/v1/pods/{podId}`; the citizen's id, as the audit record has it, is taken too. */
  podId?: string;
  /** In any spelling. */
  webId?: string;
}

/** The same, or the number that was read. */
type NameOrNumber = CitizenName & { nationalNumber?: NationalNumber };

type Finder =
  Pick<CitizenStore, 'findById' | 'findByNationalNumber' | 'findByPodUrl' | 'findByWebId' | 'listPage'>;

/**
 * The citizen of that name.
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

/** The pods of all citizens have the base URL of the server, which a command is not told. */
async function findByPod(citizens: Finder, podId: string): Promise<Citizen | undefined> {
  const [ any ] = await citizens.listPage('', 1);
  const podUrl = any && findPodUrl(podId, new URL('/', any.podUrl).href);
  return (podUrl ? await citizens.findByPodUrl(podUrl) : undefined) ?? citizens.findById(podId);
}
