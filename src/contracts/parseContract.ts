import type { DataTypeCatalogue } from '../data-types/DataType';
import { didYouMean } from '../platform/nearest';
import type { WebId } from '../platform/webId';
import { isWebId } from '../platform/webId';
import { ownIris } from '../vocabulary';
import { isRecord } from '../platform/isRecord';
import type { Contract } from './Contract';
import { agreementDigest, isDate, isDuration } from './contractRules';

/** A contract document is not valid. The message names the member and the reason. */
export class ContractDocumentError extends Error {
  public constructor(public readonly member: string, public readonly reason: string) {
    super(member === '' ? reason : `/${member} ${reason}`);
  }
}

/** Callers cannot name purposes and WebIDs that are longer. */
const maxIriLength = 2048;

const members = [
  '@context',
  '@type',
  'startDate',
  'endDate',
  'accessMode',
  'accessDuration',
  'forDataUser',
  'forDataType',
  'forPurpose',
];

/**
 * Reads a contract document. IRIs in it may be relative to the base URL, and are made absolute.
 *
 * @throws ContractDocumentError
 */
export function parseContract(id: string, document: unknown, base: string, dataTypes: DataTypeCatalogue): Contract {
  const values = documentMembers(document);
  const iris = ownIris(base);
  const context = fixedIri('@context', values, iris.contractContext, base);
  const type = fixedIri('@type', values, `${iris.core}Contract`, base);
  const agreement = {
    forDataUser: webId(absoluteIri('forDataUser', values.forDataUser, base)),
    forPurpose: absoluteIri('forPurpose', values.forPurpose, base),
    forDataType: knownTypes(values.forDataType, base, dataTypes),
    accessMode: accessMode(values.accessMode),
    accessDuration: isDuration(values.accessDuration) ?
      values.accessDuration :
        refuse('accessDuration', 'must be an ISO 8601 duration of more than nothing and at most a thousand years'),
  };
  const dates = period(values.startDate, values.endDate);
  const uri = `${base}v1/contracts/${id}`;
  return {
    id,
    uri,
    ...agreement,
    ...dates,
    digest: agreementDigest(agreement),
    document: inOrder(values, new Map<string, unknown>([
      ...Object.entries(agreement),
      [ '@context', context ],
      [ '@id', uri ],
      [ '@type', type ],
    ])),
  };
}

/** Returns the document as served: the given members, in the order of the interface. */
function inOrder(given: Record<string, unknown>, known: Map<string, unknown>): Record<string, unknown> {
  const order = [ '@context', '@id', ...members.slice(1) ];
  const present = order.filter((member): boolean => member === '@id' || given[member] !== undefined);
  return Object.fromEntries(present.map((member): [string, unknown] => [ member, known.get(member) ?? given[member] ]));
}

function documentMembers(document: unknown): Record<string, unknown> {
  if (!isRecord(document)) {
    return refuse('', 'the document must be one JSON object');
  }
  const unknown = Object.keys(document).find((key): boolean => !members.includes(key));
  return unknown === undefined ?
    document :
      refuse(unknown, `is not a member of a contract${didYouMean(unknown, members, '/')}`);
}

function accessMode(value: unknown): Contract['accessMode'] {
  if (value !== undefined && value !== 'READ' && value !== 'WRITE') {
    return refuse('accessMode', 'must be READ or WRITE');
  }
  return value ?? 'READ';
}

function period(start: unknown, end: unknown): Pick<Contract, 'startDate' | 'endDate'> {
  const startDate = date('startDate', start);
  const endDate = date('endDate', end ?? undefined);
  if (startDate && endDate && endDate < startDate) {
    refuse('endDate', 'must not be before startDate');
  }
  return { ...startDate && { startDate }, ...endDate && { endDate }};
}

function date(member: string, value: unknown): string | undefined {
  return value === undefined || isDate(value) ? value : refuse(member, 'must be a date such as 2024-10-08');
}

function knownTypes(value: unknown, base: string, dataTypes: DataTypeCatalogue): string[] {
  if (!Array.isArray(value) || value.length === 0) {
    return refuse('forDataType', 'must be a list of one or more IRIs');
  }
  const types = value.map((type: unknown): string => absoluteIri('forDataType', type, base));
  const known = new Set(dataTypes.list().map(({ iri }): string => iri));
  const unknown = types.find((type): boolean => !known.has(type));
  if (unknown) {
    refuse(`forDataType/${types.indexOf(unknown)}`, `names ${unknown}, which is not a data type of this server${
      didYouMean(unknown, known)}`);
  }
  return new Set(types).size === types.length ? types : refuse('forDataType', 'names a data type twice');
}

function fixedIri(member: string, values: Record<string, unknown>, expected: string, base: string): string {
  return absoluteIri(member, values[member], base) === expected ? expected : refuse(member, `must be ${expected}`);
}

function webId(iri: string): WebId {
  return /^https?:/u.test(iri) && isWebId(iri) ? iri : refuse('forDataUser', 'must be an http or https IRI');
}

function absoluteIri(member: string, value: unknown, base: string): string {
  if (typeof value !== 'string' || /[\s<>"{}|\\^`]/u.test(value)) {
    return refuse(member, 'must be an IRI');
  }
  const iri = /^\/(?!\/)/u.test(value) ? new URL(value, base).href : value;
  if (!URL.canParse(iri)) {
    return refuse(member, 'must be an absolute IRI, or a path that begins with /');
  }
  return iri.length > maxIriLength ? refuse(member, `must have at most ${maxIriLength} characters`) : iri;
}

function refuse(member: string, reason: string): never {
  throw new ContractDocumentError(member, reason);
}
