import { ACL, AgentGroupAccessChecker, VCARD } from '@solid/community-server';
import type { AccessCheckerArgs, RepresentationConverter } from '@solid/community-server';
import type { Store, Term } from 'n3';
import type { OutsideDocuments } from './OutsideDocuments';
import { readStatements } from './readStatements';

/** Maximum groups of one list that are examined for a request. */
const maxGroups = 32;
/** Maximum characters of the documents of these groups: about half a second of work. */
const maxLength = 2 * 1024 * 1024;

/** Amounts examined of one list for a request. */
interface Examined {
  groups: number;
  length: number;
}

/** A group document as fetched. */
interface GroupDocument {
  response: Response;
  text: string;
}

/**
 * The server's rule on groups in access control lists, with a guarded fetch of group documents. Rules with too many
 * groups, and groups after too much text, give nobody access, because each is a document to fetch and to parse.
 */
export class GuardedAgentGroupAccessChecker extends AgentGroupAccessChecker {
  /** By list as read for a request. */
  private readonly examined = new WeakMap<Store, Examined>();
  private readonly outside: OutsideDocuments;
  private readonly converter: RepresentationConverter;

  /**
   * @param outside - Fetches group documents.
   * @param converter - Reads them.
   */
  public constructor(outside: OutsideDocuments, converter: RepresentationConverter) {
    super();
    this.outside = outside;
    this.converter = converter;
  }

  public override async handle({ acl, credentials, rule }: AccessCheckerArgs): Promise<boolean> {
    const webId = credentials.agent?.webId;
    const groups = webId === undefined ? [] : acl.getObjects(rule, ACL.terms.agentGroup, null);
    const examined = this.examined.get(acl) ?? { groups: 0, length: 0 };
    this.examined.set(acl, examined);
    examined.groups += groups.length;
    return webId !== undefined && examined.groups <= maxGroups && this.isMember(webId, groups, examined);
  }

  /** Fetches all documents at once, but reads one at a time. */
  private async isMember(webId: string, groups: Term[], examined: Examined): Promise<boolean> {
    const documents = groups.map(async({ value }): Promise<GroupDocument | undefined> =>
      this.fetch(value.split('#', 1)[0]));
    for (const [ at, group ] of groups.entries()) {
      const document = await documents[at];
      examined.length += document?.text.length ?? 0;
      if (examined.length > maxLength) {
        return false;
      }
      if (document && await this.names(document, group, webId)) {
        return true;
      }
    }
    return false;
  }

  private async fetch(url: string): Promise<GroupDocument | undefined> {
    try {
      const response = await this.outside.fetchRdf(url);
      return { response, text: await response.text() };
    } catch {
      // A group that cannot be read has no members.
    }
  }

  private async names({ response, text }: GroupDocument, group: Term, webId: string): Promise<boolean> {
    try {
      const statements = await readStatements(response, this.converter, text);
      return statements.countQuads(group, VCARD.terms.hasMember, webId, null) > 0;
    } catch {
      return false;
    }
  }
}
