import type { Clock } from '../platform/clock';
import type { Citizen } from '../identity/CitizenStore';
import { NationalNumber } from '../identity/NationalNumber';
import type { NationalNumbers } from '../identity/NationalNumbers';
import type { Transactions } from '../platform/Records';
import { podIdOf } from '../pods/resourceUri';
import type { CitizenChanges, CitizenName } from './findCitizen';
import { findCitizen } from './findCitizen';
import { Refused } from './Refused';

/**
 * Replaces the national number of a citizen, such as a BIS number by one of the national register. WebID, pod, grants
 * and copies stay. The old number then identifies nobody.
 *
 * Index, ciphertext and a row in the audit record change in one transaction. Numbers are as typed by the operator.
 *
 * @throws Refused when there is no such citizen, or a number is invalid, or another citizen's.
 */
export async function relinkCitizen(
  records: Transactions<CitizenChanges>,
  name: CitizenName & { nationalNumber?: string },
  newNumber: string,
  by: { operator: string; now: Clock; numbers: Pick<NationalNumbers, 'parse'> },
): Promise<Citizen> {
  const nationalNumber = parse(newNumber, by.numbers, 'new');
  const { nationalNumber: current, ...others } = name;
  const named = current === undefined ? others : { nationalNumber: parse(current, by.numbers, 'current') };
  return records.transaction(async({ audit, citizens }): Promise<Citizen> => {
    const citizen = await findCitizen(citizens, named);
    if (citizen.state !== 'ACTIVE') {
      throw new Refused(`The citizen is in state ${citizen.state}.`);
    }
    // Found once more under the lock: somebody else may have given them another number, or erased them.
    if (!await citizens.lockForChange(citizen.id) || (await findCitizen(citizens, named)).id !== citizen.id) {
      throw new Refused('The citizen was changed or erased meanwhile: try again.');
    }
    const other = await citizens.findByNationalNumber(nationalNumber);
    if (other) {
      throw new Refused(other.id === citizen.id ?
        'The citizen has this number already.' :
        `The new number belongs to another citizen, with the pod ${podIdOf(other.podUrl)}: ` +
        'first erase the one that is to go.');
    }
    await citizens.setNationalNumber(citizen.id, nationalNumber);
    await audit.append({
      type: 'citizen.relinked',
      at: by.now(),
      personal: { webId: citizen.webId, operator: by.operator },
      citizenId: citizen.id,
    });
    return citizen;
  });
}

function parse(text: string, numbers: Pick<NationalNumbers, 'parse'>, which: string): NationalNumber {
  const number = NationalNumber.read(text, numbers);
  if (number === undefined) {
    throw new Refused(`The ${which} number is not a national number.`);
  }
  return number;
}
