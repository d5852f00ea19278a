import { BodyInvalid, SourceUnavailable, ValueChanged, ValueInvalid, ValueUnknown } from '../problems';
import type { SourceRecord } from '../sources/Source';
import type { Candidate } from './PersonalDataService';
import type { PersonalDataValue } from './PersonalDataValue';
import { isSameRecord } from './valueId';

/** How many values can be shared in one call. */
export const maxShared = 50;

/** A value that may be shared. */
export interface Shareable {
  value: PersonalDataValue;
  record: SourceRecord;
}

/** @throws BodyInvalid unless these are 1 to 50 ids, each of them once. */
export function assertIds(ids: string[]): void {
  if (ids.length === 0 || ids.length > maxShared) {
    throw new BodyInvalid(`Between 1 and ${maxShared} data values can be shared at once.`);
  }
  if (new Set(ids).size !== ids.length) {
    throw new BodyInvalid('A data value is named twice.');
  }
}

/**
 * The values that were chosen, in the order of their ids.
 *
 * @param candidates - All values of the contract, as the sources have them now.
 *
 * @throws ValueUnknown, ValueChanged, ValueInvalid
 * @throws SourceUnavailable when an id may be of a source that can't be asked now.
 */
export function selectValues(candidates: Candidate[], ids: string[]): Shareable[] {
  return ids.map((id): Shareable => selectValue(candidates, id));
}

function selectValue(candidates: Candidate[], id: string): Shareable {
  const found = candidates.find(({ value }): boolean => value.id === id);
  if (found?.record && !found.value.error) {
    return { value: found.value, record: found.record };
  }
  if (found) {
    throw new ValueInvalid();
  }
  if (candidates.some(({ value }): boolean => isSameRecord(value.id, id))) {
    throw new ValueChanged('List the data values again, and let the citizen choose again.');
  }
  throw candidates.some(({ unavailable }): boolean => unavailable === true) ?
      new SourceUnavailable() :
      new ValueUnknown();
}
