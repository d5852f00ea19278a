import { mentionsNationalNumber } from '../data-types/containsNationalNumber';
import type { NationalNumber } from '../identity/NationalNumber';
import { hasHalfCharacter } from '../platform/hasHalfCharacter';
import type { SourceRecord } from '../sources/Source';
import type { ValueError } from './valueErrors';

/** A reason why a record is not shared, whatever its content is. */
export interface RecordFlaw {
  error: ValueError;
  /** The member at fault; absent when the source cannot read the record. */
  member?: 'id' | 'version';
}

/**
 * Finds a reason why a record is not shared, whatever its content is. Its id and version are stored, in clear, so they
 * contain no national number, and only text that every database stores as it is.
 */
export function findFlaw(record: SourceRecord, nationalNumber: NationalNumber): RecordFlaw | undefined {
  if (record.problem !== undefined) {
    return { error: 'unreadable' };
  }
  const members = [ 'id', 'version' ] as const;
  const unfit = members.find((member): boolean => record[member].includes('\0') || hasHalfCharacter(record[member]));
  if (unfit) {
    return { error: 'unreadable', member: unfit };
  }
  const telling = members.find((member): boolean => mentionsNationalNumber(record[member], nationalNumber));
  return telling && { error: 'nationalNumber', member: telling };
}
