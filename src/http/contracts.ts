import type { RepresentationAnswer } from './Answer';
import { publicDocument } from './Answer';
import type { Call } from './Operation';
import type { Services } from './Services';

/** A contract as its JSON-LD document. */
export function getContract({ params }: Call, { contracts }: Services): RepresentationAnswer {
  const { document } = contracts.get(params.contractId);
  return publicDocument(JSON.stringify(document), 'application/ld+json', 60);
}
