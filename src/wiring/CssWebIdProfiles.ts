import { INTERNAL_QUADS, readableToQuads } from '@solid/community-server';
import type { ResourceStore } from '@solid/community-server';
import { DataFactory } from 'n3';
import { SOLID } from '../vocabulary';

/** Reads the issuers that a WebID profile of this server lists, without a request to oneself. */
export class CssWebIdProfiles {
  public constructor(private readonly store: ResourceStore) {}

  /**
   * The issuers that may vouch for a WebID, as its profile document says. None when there is no such document.
   *
   * @param webId - A WebID under this server's base URL.
   */
  public async issuers(webId: string): Promise<string[]> {
    const document = { path: webId.replace(/#.*$/u, '') };
    // Asked first: a missing resource is ordinary here, and errors are dear.
    if (!await this.store.hasResource(document)) {
      return [];
    }
    const { data } = await this.store.getRepresentation(document, { type: { [INTERNAL_QUADS]: 1 }});
    const quads = await readableToQuads(data);
    return quads
      .getObjects(DataFactory.namedNode(webId), DataFactory.namedNode(SOLID.oidcIssuer), null)
      .map((term): string => term.value);
  }
}
