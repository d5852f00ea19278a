import type { DatasetCore, Quad, Term } from '@rdfjs/types';

type Wanted = Term | null | undefined;

/**
 * A small in-memory set of quads for the SHACL validator, which reads the quads of a subject or an object hundreds of
 * times for a record. Each index is built at its first use.
 *
 * @see [RDF/JS: Dataset specification 1.0](https://rdf.js.org/dataset-spec/#datasetcore-interface)
 */
export class IndexedDataset implements DatasetCore {
  private readonly quads: Quad[];
  private bySubject?: Map<string, Quad[]>;
  private byObject?: Map<string, Quad[]>;

  /** @param quads - Without duplicates, unless `add` is to find them. */
  public constructor(quads: Iterable<Quad> = []) {
    this.quads = [ ...quads ];
  }

  public get size(): number {
    return this.quads.length;
  }

  public [Symbol.iterator](): Iterator<Quad> {
    return this.quads[Symbol.iterator]();
  }

  public has(quad: Quad): boolean {
    return this.candidates(quad.subject, null).some((other): boolean => other.equals(quad));
  }

  /** Adds a quad unless it is already in the set. */
  public add(quad: Quad): this {
    if (!this.has(quad)) {
      this.quads.push(quad);
      note(this.bySubject, quad.subject, quad);
      note(this.byObject, quad.object, quad);
    }
    return this;
  }

  public delete(quad: Quad): this {
    const place = this.quads.findIndex((other): boolean => other.equals(quad));
    if (place >= 0) {
      this.quads.splice(place, 1);
      this.bySubject = undefined;
      this.byObject = undefined;
    }
    return this;
  }

  public match(subject?: Wanted, predicate?: Wanted, object?: Wanted, graph?: Wanted): IndexedDataset {
    return new IndexedDataset(this.candidates(subject, object).filter((quad): boolean =>
      is(quad.predicate, predicate) && is(quad.subject, subject) && is(quad.object, object) && is(quad.graph, graph)));
  }

  /** Returns a superset of the matching quads. */
  private candidates(subject: Wanted, object: Wanted): Quad[] {
    if (subject) {
      this.bySubject ??= indexOf(this.quads, 'subject');
      return this.bySubject.get(subject.value) ?? [];
    }
    if (object) {
      this.byObject ??= indexOf(this.quads, 'object');
      return this.byObject.get(object.value) ?? [];
    }
    return this.quads;
  }
}

function is(term: Term, wanted: Wanted): boolean {
  return !wanted || (term.value === wanted.value && term.equals(wanted));
}

function indexOf(quads: Quad[], member: 'subject' | 'object'): Map<string, Quad[]> {
  const index = new Map<string, Quad[]>();
  for (const quad of quads) {
    note(index, quad[member], quad);
  }
  return index;
}

function note(index: Map<string, Quad[]> | undefined, { value }: Term, quad: Quad): void {
  const known = index?.get(value);
  if (known) {
    known.push(quad);
  } else {
    index?.set(value, [ quad ]);
  }
}
