import type { I18nString } from '../data-types/DataType';
import type { RepresentationAnswer } from '../http/Answer';
import { publicDocument } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { PageValues } from './paging';
import { cutPage } from './paging';
import type { Services } from './Services';

/** A data type in the list. */
interface ListedDataType {
  uri: string;
  labels: I18nString[];
  source?: I18nString[];
}

/** Lists the data types that contracts can cover. */
export function listDataTypes(
  call: Call<{ query: PageValues }>,
  { dataTypes, sources }: Services,
): RepresentationAnswer {
  const all = dataTypes.list()
    .map(({ iri, labels }): ListedDataType => ({ uri: iri, labels, source: sources.nameOf(iri) }))
    .sort((one, other): number => one.uri < other.uri ? -1 : 1);
  const { entries, next } = cutPage(all, ({ uri }): string => uri, call);
  return publicDocument(JSON.stringify({ dataTypes: entries, next }), 'application/json', 60);
}
