import type { I18nString } from '../data-types/DataType';
import type { Problem, ProblemClass } from '../problems';
import { BodyInvalid, SourceUnavailable, ValueChanged, ValueInvalid, ValueUnknown } from '../problems';
import type { SourceRecord } from '../sources/Source';
import type { Candidate } from './Candidates';
import type { PersonalDataValue } from './PersonalDataValue';
import { isSameRecord, isValueId } from './valueId';

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

/** A value that cannot be shared, as the problem document names it. */
interface RefusedValue {
  /** Place in the request, from 0. */
  index: number;
  /** Absent when what was sent is no id of a value: it is not repeated. */
  id?: string;
  problem: string;
  error?: I18nString[];
}

const afterChange =
  'changed since the values were listed: list the data values again, and let the citizen choose again';
const whileAway = 'be looked up while a source is away';

/** Problems by precedence, each with what to do about it: of one value, and of several. */
const refusals: [ProblemClass, string, string][] = [
  [ ValueUnknown, 'is not known here', 'are not known here' ],
  [ ValueChanged, `has ${afterChange}`, `have ${afterChange}` ],
  [ ValueInvalid, 'has errors', 'have errors' ],
  [ SourceUnavailable, `cannot ${whileAway}`, `cannot ${whileAway}` ],
];

/**
 * The values that were chosen, in the order of their ids.
 *
 * @param candidates - All values of the contract, as the sources have them now.
 *
 * @throws ValueUnknown, ValueChanged, ValueInvalid
 * @throws SourceUnavailable when an id may be of a source that can't be asked now.
 * All name the values that they are about, in `detail` and the member `dataValues`.
 */
export function selectValues(candidates: Candidate[], ids: string[]): Shareable[] {
  const found = ids.map((id): Shareable | RefusedValue => selectValue(candidates, id));
  const refused = found.flatMap((value, index): RefusedValue[] => 'problem' in value ? [{ ...value, index }] : []);
  if (refused.length > 0) {
    throw refusal(refused);
  }
  return found as Shareable[];
}

function selectValue(candidates: Candidate[], id: string): Shareable | RefusedValue {
  const found = candidates.find(({ value }): boolean => value.id === id);
  if (found?.record && !found.value.error) {
    return { value: found.value, record: found.record };
  }
  const named = { index: 0, ...isValueId(id) && { id }};
  if (found) {
    return { ...named, problem: ValueInvalid.type, error: found.value.error };
  }
  if (candidates.some(({ value }): boolean => isSameRecord(value.id, id))) {
    return { ...named, problem: ValueChanged.type };
  }
  const isAway = candidates.some(({ value }): boolean => value.unavailable === true);
  return { ...named, problem: isAway ? SourceUnavailable.type : ValueUnknown.type };
}

function refusal(refused: RefusedValue[]): Problem {
  const reasons = refusals.flatMap(([{ type }, ofOne, ofSeveral ]): string[] => {
    const those = refused.filter(({ problem }): boolean => problem === type);
    const names = those.map(({ id, index }): string => id ?? `dataValues[${index}]`);
    return those.length > 0 ? [ `${names.join(', ')} ${those.length === 1 ? ofOne : ofSeveral}` ] : [];
  });
  const [ first ] = refusals.find(([{ type }]): boolean => refused.some(({ problem }): boolean => problem === type))!;
  // eslint-disable-next-line new-cap -- a class out of the list above
  return new first(`${reasons.join('; ')}.`, { members: { dataValues: refused }});
}
