import type { RepresentationAnswer } from '../http/Answer';
import { publicDocument } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { Services } from './Services';

/** A contract as its JSON-LD document. */
export function getContract({ params }: Call<{ params: 'contractId' }>, { contracts }: Services): RepresentationAnswer {
  const { document } = contracts.get(params.contractId);
  return publicDocument(JSON.stringify(document), 'application/ld+json', 60);
}
