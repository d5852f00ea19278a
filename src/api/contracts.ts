import type { RepresentationAnswer } from '../http/Answer';
import { publicDocument } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { PageValues } from './paging';
import { cutPage } from './paging';
import type { Services } from './Services';

/** Lists the contracts under which citizens can share now. */
export async function listContracts(
  call: Call<{ query: PageValues }>,
  { contractListing }: Services,
): Promise<RepresentationAnswer> {
  const { entries, next } = cutPage(await contractListing.list(), ({ id }): string => id, call);
  return publicDocument(JSON.stringify({ contracts: entries, next }), 'application/json', 60);
}

/** Returns a contract as a JSON-LD document. */
export function getContract({ params }: Call<{ params: 'contractId' }>, { contracts }: Services): RepresentationAnswer {
  const { document } = contracts.get(params.contractId);
  return publicDocument(JSON.stringify(document), 'application/ld+json', 60);
}
