import { GCONSENT } from '../vocabulary';
import { isRecord } from '../platform/isRecord';

const shortStatus = /^(?:gc:)?(ConsentStatus[A-Za-z]+)$/u;

/**
 * Checks whether a presented credential is the issued one, proof included.
 *
 * Clients may have written a list of one without brackets, members in another order, and a consent status by its short
 * term. Nothing else may differ, so neither signature nor RDF is needed.
 */
export function isSameCredential(presented: unknown, issued: unknown): boolean {
  return isSame(presented, issued, '');
}

function isSame(one: unknown, other: unknown, member: string): boolean {
  if (Array.isArray(one) || Array.isArray(other)) {
    const [ ones, others ] = [ one, other ].map((value): unknown[] => Array.isArray(value) ? value : [ value ]);
    return ones.length === others.length &&
      ones.every((item, index): boolean => isSameItem(item, others[index], member));
  }
  if (isRecord(one) && isRecord(other)) {
    const members = Object.keys(one);
    return members.length === Object.keys(other).length &&
      members.every((name): boolean => Object.hasOwn(other, name) && isSame(one[name], other[name], name));
  }
  return member === 'hasStatus' ? wholeStatus(one) === wholeStatus(other) : one === other;
}

/** Only a member's own value may omit the brackets of a list of one, not a list within a list. */
function isSameItem(one: unknown, other: unknown, member: string): boolean {
  return !Array.isArray(one) && !Array.isArray(other) && isSame(one, other, member);
}

/** Returns a consent status as a full IRI, whichever way it is written; anything else unchanged. */
export function wholeStatus(status: unknown): unknown {
  return typeof status === 'string' ? status.replace(shortStatus, `${GCONSENT.prefix}$1`) : status;
}
