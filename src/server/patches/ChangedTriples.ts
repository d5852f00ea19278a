import type { BlankNode, Quad } from '@rdfjs/types';
import { Store, termToId } from 'n3';
import type { OTerm, Term } from 'n3';
import { giveWay, isOverdue } from '../../platform/giveWay';
import type { Searched } from './solvePatterns';

/**
 * Triples of a document while a patch changes them. To remove one, N3's own store looks for others with the same terms,
 * which takes as long as there are: minutes for some thousands of one subject. Here, removed triples are only noted
 * until all changes are made.
 */
export class ChangedTriples implements Searched {
  private readonly data: Store;
  private readonly removed = new Set<string>();

  /**
   * @param data - Triples of the document; more are added to it.
   */
  public constructor(data: Store) {
    this.data = data;
  }

  /** Counts triples, with those that were removed. */
  public countQuads(subject: OTerm, predicate: OTerm, object: OTerm, graph: OTerm): number {
    return this.data.countQuads(subject, predicate, object, graph);
  }

  public* readQuads(subject: OTerm, predicate: OTerm, object: OTerm, graph: OTerm): Iterable<Quad> {
    for (const quad of this.data.readQuads(subject, predicate, object, graph)) {
      if (!this.isRemoved(quad)) {
        yield quad;
      }
    }
  }

  /** Returns a blank node that is in none of the triples. */
  public createBlankNode(): BlankNode {
    return this.data.createBlankNode();
  }

  public remove(quads: readonly Quad[]): void {
    for (const quad of quads) {
      this.removed.add(keyOf(quad));
    }
  }

  public add(quads: readonly Quad[]): void {
    for (const quad of quads) {
      if (this.removed.size > 0) {
        this.removed.delete(keyOf(quad));
      }
      this.data.addQuad(quad);
    }
  }

  /** Returns the changed triples. Other work of the process runs in between. */
  public async finish(): Promise<Store> {
    if (this.removed.size === 0) {
      return this.data;
    }
    const left = new Store();
    for (const quad of this.readQuads(null, null, null, null)) {
      left.addQuad(quad);
      if (isOverdue()) {
        await giveWay();
      }
    }
    return left;
  }

  private isRemoved(quad: Quad): boolean {
    return this.removed.size > 0 && this.removed.has(keyOf(quad));
  }
}

function keyOf({ subject, predicate, object, graph }: Quad): string {
  // N3's types of terms are narrower than those of RDF/JS, but equivalent.
  return JSON.stringify([ subject, predicate, object, graph ].map((term): string => termToId(term as Term)));
}
