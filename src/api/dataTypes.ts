import type { RepresentationAnswer } from '../http/Answer';
import { publicDocument } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { PageValues } from './paging';
import { cutPage } from './paging';
import type { Services } from './Services';

/** The data types that contracts can be about. */
export function listDataTypes(call: Call<{ query: PageValues }>, { dataTypes }: Services): RepresentationAnswer {
  const all = dataTypes.list().map(({ iri, labels }): { uri: string; labels: object[] } => ({ uri: iri, labels }))
    .sort((one, other): number => one.uri < other.uri ? -1 : 1);
  const { entries, next } = cutPage(all, ({ uri }): string => uri, call);
  return publicDocument(JSON.stringify({ dataTypes: entries, next }), 'application/json', 60);
}
