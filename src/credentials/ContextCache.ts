import { BoundedMap } from '../platform/BoundedMap';
import { isRecord } from '../platform/isRecord';
import { isList } from '../platform/lists';
import type { DocumentLoader } from './documentLoader';

/**
 * The active context at a place in a document, made by jsonld. It never changes once another context was derived from
 * it.
 */
interface ActiveContext {
  mappings: Map<string, unknown>;
  protected: Record<string, unknown>;
  previousContext?: ActiveContext;
  clone: () => ActiveContext;
  revertToPreviousContext: () => ActiveContext;
}

/** An active context, with the warnings that jsonld repeats on each use. */
interface Processed {
  context: ActiveContext;
  events: unknown[];
}

/**
 * Limits on cached contexts of documents: length of their text in characters, number of entries, and entries for each.
 */
const limits = { length: 16 * 1024, entries: 100, nested: 10 } as const;

/**
 * One context as jsonld uses it, with its processed forms by the active context to which it was added. A processed form
 * is cached no longer than that active context.
 */
class ResolvedContext {
  private readonly added = new WeakMap<ActiveContext, Processed>();
  private readonly addedForOneNode = new WeakMap<ActiveContext, Processed>();

  public constructor(public readonly document: object | null) {}

  public getProcessed(active: ActiveContext): Processed | undefined {
    const original = originalForOneNode(active);
    return original ? this.addedForOneNode.get(original) : this.added.get(active);
  }

  public setProcessed(active: ActiveContext, processed: Processed): void {
    makeCheapToCopy(processed.context);
    const original = originalForOneNode(active);
    if (original) {
      this.addedForOneNode.set(original, processed);
    } else {
      this.added.set(active, processed);
    }
  }
}

/** The original of each copy of an active context. They differ only in the context to return to. */
const copiedFrom = new WeakMap<ActiveContext, ActiveContext>();
const returnedTo = new WeakMap<ActiveContext, ActiveContext>();

/**
 * Finds the original of the copy that jsonld makes of a context for a single node: a new one each time, with the same
 * content.
 */
function originalForOneNode(active: ActiveContext): ActiveContext | undefined {
  return copiedFrom.get(active) === active.previousContext ? active.previousContext : undefined;
}

/**
 * Makes copies of an active context cheap. jsonld copies it with all terms for each node of a type with a context, and
 * again on the way back, which is most of the cost of expanding. Terms never change once they are defined, so a copy
 * only needs a map of its own, made when it is first read.
 */
function makeCheapToCopy(active: ActiveContext): void {
  const { clone } = active;
  active.clone = function copy(this: ActiveContext): ActiveContext {
    // The library's own method copies everything else.
    const copied = clone.call({ ...this, mappings: new Map(), protected: {}, previousContext: undefined });
    if (this.previousContext) {
      copied.previousContext = this.previousContext;
    }
    copyWhenRead(copied, 'mappings', (): object => new Map(this.mappings));
    copyWhenRead(copied, 'protected', (): object => ({ ...this.protected }));
    copiedFrom.set(copied, this);
    return copied;
  };
  active.revertToPreviousContext = function wayBack(this: ActiveContext): ActiveContext {
    const previous = this.previousContext;
    if (!previous) {
      return this;
    }
    const known = returnedTo.get(previous) ?? previous.clone();
    returnedTo.set(previous, known);
    return known;
  };
}

function copyWhenRead(copied: ActiveContext, member: 'mappings' | 'protected', copy: () => object): void {
  Object.defineProperty(copied, member, {
    configurable: true,
    get(): object {
      const value = copy();
      Object.defineProperty(copied, member, { value, writable: true });
      return value;
    },
  });
}

/**
 * Resolves contexts for jsonld in place of its own resolver, and caches their processed forms: shipped contexts
 * permanently, short contexts of documents by their text.
 *
 * Use one cache for each set of options: the processed form depends on the base.
 */
export class ContextCache {
  private readonly shipped = new Map<string, ResolvedContext[]>();
  private readonly own = new BoundedMap<string, ResolvedContext>(limits.entries);
  /**
   * Contexts of single terms and types, which have rules of their own. They are keyed by object, so that a context with
   * the same text elsewhere is not mistaken for one. Those of documents are processed each time.
   */
  private readonly scoped = new WeakMap<object, () => ResolvedContext>();

  public constructor(private readonly load: DocumentLoader) {}

  /**
   * Called by jsonld.
   *
   * @throws ContextUnknown (the loader)
   */
  public async resolve({ context }: { context: unknown }): Promise<ResolvedContext[]> {
    return this.find(isRecord(context) && context['@context'] ? context['@context'] : context, 0);
  }

  private async find(context: unknown, depth: number): Promise<ResolvedContext[]> {
    const found: ResolvedContext[] = [];
    for (const part of partsOf(context)) {
      if (typeof part === 'string') {
        found.push(...this.shipped.get(part) ?? await this.findRemote(part, depth));
      } else {
        found.push(this.findInline(part));
      }
    }
    return found;
  }

  private async findRemote(url: string, depth: number): Promise<ResolvedContext[]> {
    if (depth > limits.nested) {
      throw new Error('Contexts refer to each other in a cycle');
    }
    const { document, tag } = await this.load(url);
    const context: unknown = '@context' in document ? document['@context'] : {};
    if (!isRecord(context)) {
      return this.find(context, depth + 1);
    }
    const resolved = [ new ResolvedContext(context) ];
    if (tag === 'static') {
      this.noteScoped(context, (part): () => ResolvedContext => {
        const one = new ResolvedContext(part);
        return (): ResolvedContext => one;
      });
      this.shipped.set(url, resolved);
    }
    return resolved;
  }

  private findInline(context: unknown): ResolvedContext {
    if (context === null) {
      return new ResolvedContext(null);
    }
    if (!isRecord(context)) {
      throw new Error('A context is neither an object nor a URL');
    }
    return this.scoped.get(context)?.() ?? this.findOwn(context);
  }

  private findOwn(context: object): ResolvedContext {
    const text = JSON.stringify(context);
    const resolved = this.own.get(text) ?? this.readOwn(context);
    if (text.length <= limits.length) {
      this.own.set(text, resolved);
    }
    return resolved;
  }

  private readOwn(context: object): ResolvedContext {
    this.noteScoped(context, (part): () => ResolvedContext => (): ResolvedContext => new ResolvedContext(part));
    return new ResolvedContext(context);
  }

  private noteScoped(context: object, resolve: (part: object) => () => ResolvedContext): void {
    for (const [ member, value ] of Object.entries(context)) {
      for (const part of partsOf(value)) {
        if (typeof part === 'object' && part !== null) {
          if (member === '@context') {
            this.scoped.set(part, resolve(part));
          }
          this.noteScoped(part, resolve);
        }
      }
    }
  }
}

/** Splits a context into its parts; `null`, which resets the active context, is one. */
function partsOf(context: unknown): unknown[] {
  return isList(context) ? context : [ context ];
}
