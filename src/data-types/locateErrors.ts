import { isRecord } from '../platform/isRecord';
import { isList } from '../platform/lists';
import type { SummaryField } from './DataType';
import type { NodeShape, PropertyShape } from './Shape';

/** Part of a record, and its location. */
interface RecordPlace {
  json: unknown;
  pointer: string;
}

/**
 * Locates the mistakes of a summary, in the order of the record's errors.
 *
 * Members are found by the local names of properties, or by whole IRIs: if the context of a record uses other names,
 * the pointer still has the local name. Repeated values have no order: the pointer is to all of them.
 *
 * @param shape - Shape of the record.
 * @param details - Details of its summary.
 * @param place - The JSON of the record.
 *
 * @returns JSON Pointers to the values, or to where they should be.
 */
export function locateErrors(shape: NodeShape, details: Record<string, SummaryField>, place: RecordPlace): string[] {
  return shape.properties.flatMap((property): string[] =>
    property.key in details ? locate(property, details[property.key], member(property, place)) : []);
}

function locate({ node }: PropertyShape, field: SummaryField, { json, pointer }: RecordPlace): string[] {
  if (field.format === 'error') {
    return [ pointer ];
  }
  if (field.format !== 'group') {
    return [];
  }
  if (Array.isArray(json) && json.length > 1) {
    return countErrors(field.items).map((): string => pointer);
  }
  const place = isList(json) ? { json: json[0], pointer: `${pointer}/0` } : { json, pointer };
  return node ? locateErrors(node, field.items, place) : [];
}

/** Lists the errors, including those in nested groups. */
function countErrors(fields: Record<string, SummaryField>): SummaryField[] {
  return Object.values(fields).flatMap((field): SummaryField[] =>
    field.format === 'group' ?
        countErrors(field.items) :
        [ field ].filter(({ format }): boolean => format === 'error'));
}

function member({ path }: PropertyShape, { json, pointer }: RecordPlace): RecordPlace {
  const local = path.slice(Math.max(path.lastIndexOf('#'), path.lastIndexOf('/')) + 1);
  const record = isRecord(json) ? json : {};
  const found = Object.keys(record).find((key): boolean =>
    key === local || key === path || key.endsWith(`:${local}`));
  const name = found ?? local;
  return { json: record[name], pointer: `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}
