import { AgentGroupAccessChecker, readableToQuads } from '@solid/community-server';
import type { RepresentationConverter } from '@solid/community-server';
import type { Store } from 'n3';
import { replacePart } from '../replacePart';
import type { OutsideDocuments } from './OutsideDocuments';

/** The server's rule on groups in access control lists, which fetches group documents within the guard. */
export class GuardedAgentGroupAccessChecker extends AgentGroupAccessChecker {
  /**
   * @param outside - Fetches group documents.
   * @param converter - Reads them.
   */
  public constructor(outside: OutsideDocuments, converter: RepresentationConverter) {
    super();
    replacePart(this, 'fetchQuads', async(url: string): Promise<Store> =>
      readableToQuads((await outside.fetchDataset(url, converter)).data));
  }
}
