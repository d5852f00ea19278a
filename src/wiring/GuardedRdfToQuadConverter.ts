import { ContextDocumentLoader, RdfToQuadConverter } from '@solid/community-server';
import { FreshCache } from '../tokens/FreshCache';
import type { OutsideDocuments } from './OutsideDocuments';
import { replacePart } from './replacePart';

const contextTypes = 'application/ld+json, application/json;q=0.9';
const lifeMs = 30 * 60 * 1000;
const maxContexts = 50;

type Context = Awaited<ReturnType<ContextDocumentLoader['load']>>;

/** Reads RDF as the server does, but for remote contexts of JSON-LD, which come by the guarded fetch. */
export class GuardedRdfToQuadConverter extends RdfToQuadConverter {
  /**
   * @param outside - Fetches remote contexts.
   * @param contexts - Files of contexts that are not fetched, by URL.
   */
  public constructor(outside: OutsideDocuments, contexts: Record<string, string> = {}) {
    super(contexts);
    replacePart(this, 'documentLoader', new GuardedContexts(outside, contexts));
  }
}

/** Contexts by URL, kept for half an hour as the server keeps them, but only so many. */
class GuardedContexts extends ContextDocumentLoader {
  private readonly fetched = new FreshCache<Context>({ lifeMs, maxEntries: maxContexts, now: (): Date => new Date() });

  public constructor(outside: OutsideDocuments, contexts: Record<string, string>) {
    super(contexts, 0);
    replacePart(this, 'fetcher', async(url: string): Promise<Response> => outside.fetchResponse(url, contextTypes));
  }

  public override async load(url: string): Promise<Context> {
    return this.fetched.get(url, async(): Promise<Context> => super.load(url));
  }
}
