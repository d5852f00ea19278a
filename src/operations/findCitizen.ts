import type { AuditLog } from '../audit/AuditLog';
import { canonicalWebId } from '../identity/canonicalWebId';
import type { Citizen, CitizenStore } from '../identity/CitizenStore';
import { Refused } from './Refused';

/** Stores that change with what the operator does to a citizen. */
export interface CitizenChanges {
  audit: AuditLog;
  citizens: CitizenStore;
}

/** How the operator names a citizen: by one of them. */
export interface CitizenName {
  podId?: string;
  /** In any spelling. */
  webId?: string;
  /** In its normal form. */
  nationalNumber?: string;
}

type Finder = Pick<CitizenStore, 'findById' | 'findByWebId' | 'findByNationalNumber'>;

/**
 * The citizen of that name.
 *
 * @throws Refused when there is none.
 */
export async function findCitizen(
  citizens: Finder,
  name: CitizenName,
): Promise<Citizen> {
  const found = await find(citizens, name);
  if (!found) {
    throw new Refused('There is no such citizen.');
  }
  return found;
}

async function find(citizens: Finder, { podId, webId, nationalNumber }: CitizenName): Promise<Citizen | undefined> {
  if (podId !== undefined) {
    return citizens.findById(podId.trim());
  }
  if (webId !== undefined) {
    return citizens.findByWebId(canonicalWebId(webId) ?? webId);
  }
  return nationalNumber === undefined ? undefined : citizens.findByNationalNumber(nationalNumber);
}
