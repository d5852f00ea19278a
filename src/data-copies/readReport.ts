import { clockSkewSeconds, isDay, isWritable } from '../platform/clock';
import type { GrantTerms } from '../grants/AccessGrant';
import { BodyInvalid, PurposeRequired } from '../problems';
import type { DataCopy } from './DataCopyStore';

/** A report that a copy is stored. */
export interface CopyReport {
  resource: string;
  /** URI of the access grant under which it was read. */
  accessGrant: string;
  /** One of the grant's purposes; defaults to its only one. */
  purpose?: string;
  /** ISO 8601 moment with a time zone; defaults to now. */
  storedAt?: string;
  /** Place of the copy in the data user's words: at most 200 characters. */
  system?: string;
}

/** Reported facts about a copy. */
export type ReportedFacts = Pick<DataCopy, 'purpose' | 'storedAt' | 'system'>;

/** Counts characters as JSON Schema does, not UTF-16 code units. */
const systemPattern = /^[^\0]{0,200}$/u;
/** @see [RFC 3339, section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6) */
const momentPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/iu;

/**
 * Reads a report, and checks it against the grant with which the resource was read.
 *
 * @throws PurposeRequired when the grant has several purposes and the report none.
 * @throws BodyInvalid when the purpose is not the grant's, or the moment is invalid or in the future.
 */
export function readReport(
  { purpose, storedAt, system }: CopyReport,
  grant: Pick<GrantTerms, 'purposes'>,
  now: Date,
): ReportedFacts {
  if (system !== undefined && !systemPattern.test(system)) {
    throw new BodyInvalid('system has at most 200 characters, and not U+0000.');
  }
  return { purpose: readPurpose(purpose, grant), storedAt: readMoment(storedAt, now), system };
}

function readPurpose(purpose: string | undefined, { purposes }: Pick<GrantTerms, 'purposes'>): string {
  if (purpose === undefined) {
    if (purposes.length !== 1) {
      throw new PurposeRequired(purposes.length === 0 ?
        'The access grant names no purpose.' :
        'The access grant names several purposes.');
    }
    return purposes[0];
  }
  if (purposes.length > 0 && !purposes.includes(purpose)) {
    throw new BodyInvalid('purpose is not one of the access grant.');
  }
  return purpose;
}

function readMoment(text: string | undefined, now: Date): Date {
  if (text === undefined) {
    return now;
  }
  const isMoment = momentPattern.test(text) && isDay(text.slice(0, 'YYYY-MM-DD'.length));
  const moment = new Date(isMoment ? text : Number.NaN);
  if (!isWritable(moment)) {
    throw new BodyInvalid('storedAt must be an ISO 8601 date and time with a time zone.');
  }
  if (moment.getTime() > now.getTime() + clockSkewSeconds * 1000) {
    throw new BodyInvalid('storedAt is in the future.');
  }
  return moment;
}
