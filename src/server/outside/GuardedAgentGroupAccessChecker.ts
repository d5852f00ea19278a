import { ACL, AgentGroupAccessChecker, readableToQuads } from '@solid/community-server';
import type { AccessCheckerArgs, RepresentationConverter } from '@solid/community-server';
import type { Store } from 'n3';
import { replacePart } from '../replacePart';
import type { OutsideDocuments } from './OutsideDocuments';

/** Maximum groups of one list that are examined for a request. */
const maxGroups = 32;

/**
 * The server's rule on groups in access control lists, with a guarded fetch of group documents. Rules with too many
 * groups give nobody access by their groups, because each is a document to fetch and to parse.
 */
export class GuardedAgentGroupAccessChecker extends AgentGroupAccessChecker {
  /** Number of groups examined, by list as read for a request. */
  private readonly looked = new WeakMap<Store, number>();

  /**
   * @param outside - Fetches group documents.
   * @param converter - Reads them.
   */
  public constructor(outside: OutsideDocuments, converter: RepresentationConverter) {
    super();
    replacePart(this, 'fetchQuads', async(url: string): Promise<Store> =>
      readableToQuads((await outside.fetchDataset(url, converter)).data));
  }

  public override async handle(input: AccessCheckerArgs): Promise<boolean> {
    const { acl, credentials, rule } = input;
    const count = credentials.agent?.webId === undefined ? 0 : acl.countQuads(rule, ACL.terms.agentGroup, null, null);
    const looked = (this.looked.get(acl) ?? 0) + count;
    this.looked.set(acl, looked);
    return count > 0 && looked <= maxGroups && super.handle(input);
  }
}
