import { createHash } from 'node:crypto';
import { DateTime, Duration } from 'luxon';
import { findDuration } from '../platform/duration';
import type { Contract } from './Contract';

/** The members of a contract that must not change after first use. */
export type Agreement = Pick<Contract, 'forDataUser' | 'forPurpose' | 'forDataType' | 'accessMode' | 'accessDuration'>;

/** Names of the members of an {@link Agreement}. */
export const agreementMembers = [ 'forDataUser', 'forPurpose', 'forDataType', 'accessMode', 'accessDuration' ] as const;

/** Returns the SHA-256, in hex, of an agreement; the order of its data types does not matter. */
export function agreementDigest(agreement: Agreement): string {
  const members = agreementMembers.map((member): unknown => comparable(agreement, member));
  return createHash('sha256').update(JSON.stringify(members)).digest('hex');
}

/** Lists the members in which two agreements differ. */
export function changedMembers(before: Agreement, after: Agreement): string[] {
  return agreementMembers.filter((member): boolean =>
    JSON.stringify(comparable(before, member)) !== JSON.stringify(comparable(after, member)));
}

function comparable(agreement: Agreement, member: keyof Agreement): unknown {
  return member === 'forDataType' ? [ ...agreement.forDataType ].sort() : agreement[member];
}

/** Returns the contracts that can be consumed at a moment: both of their dates are inclusive, in the time zone. */
export function consumable<T extends Pick<Contract, 'startDate' | 'endDate'>>(
  contracts: T[],
  now: Date,
  timeZone: string,
): T[] {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).toFormat('yyyy-MM-dd');
  // ISO 8601 calendar dates sort as text.
  return contracts.filter(({ startDate, endDate }): boolean =>
    (!startDate || startDate <= today) && (!endDate || today <= endDate));
}

/** Returns the earlier of `accessDuration` from now, in calendar terms of the time zone, and the end of `endDate`. */
export function grantExpiry({ accessDuration, endDate }: Contract, now: Date, timeZone: string): Date {
  const expiry = DateTime.fromJSDate(now, { zone: timeZone }).plus(Duration.fromISO(accessDuration)).toJSDate();
  const end = endDate ? endOf(endDate, timeZone) : expiry;
  return end < expiry ? end : expiry;
}

/** Returns the first moment after a date. */
function endOf(date: string, zone: string): Date {
  return DateTime.fromISO(date, { zone }).plus({ days: 1 }).startOf('day').toJSDate();
}

/** Checks whether a text is a valid ISO 8601 calendar date. */
export function isDate(text: unknown): text is string {
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/u.test(text) && DateTime.fromISO(text).isValid;
}

/** Checks whether a text is a positive ISO 8601 duration of at most a thousand years. */
export function isDuration(text: unknown): text is string {
  const years = typeof text === 'string' ? findDuration(text)?.as('years') : undefined;
  return years !== undefined && years > 0 && years <= 1000;
}
