import type { Clock } from '../platform/clock';
import type { Citizen } from '../identity/CitizenStore';
import type { Transactions } from '../platform/Records';
import type { CitizenChanges, CitizenName } from './findCitizen';
import { findCitizen } from './findCitizen';
import { Refused } from './Refused';

/**
 * Marks a citizen for erasure, as `DELETE /v1/webids` does: their tokens are refused at once. A serving process, which
 * checks for marks at start and every few seconds, removes pod and account.
 *
 * @throws Refused when there is no such citizen, or their pod is being created.
 */
export async function markForErasure(
  records: Transactions<CitizenChanges>,
  name: CitizenName,
  by: { operator: string; now: Clock },
): Promise<Citizen> {
  return records.transaction(async({ audit, citizens }): Promise<Citizen> => {
    const citizen = await findCitizen(citizens, name);
    if (citizen.state === 'CREATING') {
      throw new Refused('The pod of the citizen is being made: try again.');
    }
    const at = by.now();
    await citizens.requestErasure(citizen.id, at);
    if (await citizens.setState(citizen.id, 'DELETING')) {
      await audit.append({
        type: citizen.brought ? 'webid.unlinked' : 'webid.deleted',
        at,
        personal: { webId: citizen.webId, operator: by.operator },
        citizenId: citizen.id,
      });
    }
    return citizen;
  });
}
