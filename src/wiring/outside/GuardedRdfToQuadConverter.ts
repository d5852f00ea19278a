import { BasicRepresentation, ContextDocumentLoader, RdfToQuadConverter } from '@solid/community-server';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';
import { FreshCache } from '../../tokens/FreshCache';
import { limitNesting } from '../nesting/limitNesting';
import type { OutsideDocuments } from './OutsideDocuments';
import { replacePart } from './replacePart';

const contextTypes = 'application/ld+json, application/json;q=0.9';
const lifeMs = 30 * 60 * 1000;
const maxContexts = 50;

type Context = Awaited<ReturnType<ContextDocumentLoader['load']>>;

/** JSON-LD may stand in them, out of reach of any limit. */
const pages = new Set([ 'text/html', 'application/xhtml+xml' ]);

/**
 * Reads RDF as the server does, but for JSON-LD: its remote contexts come by the guarded fetch, it is not looked for
 * in HTML; and neither it nor XML may be nested without end.
 */
export class GuardedRdfToQuadConverter extends RdfToQuadConverter {
  /**
   * @param outside - Fetches remote contexts.
   * @param contexts - Files of contexts that are not fetched, by URL.
   */
  public constructor(outside: OutsideDocuments, contexts: Record<string, string> = {}) {
    super(contexts);
    replacePart(this, 'documentLoader', new GuardedContexts(outside, contexts));
    this.inputTypes = this.inputTypes.then((types): typeof types =>
      Object.fromEntries(Object.entries(types).filter(([ type ]): boolean => !pages.has(type))));
  }

  public override async handle(args: RepresentationConverterArgs): Promise<Representation> {
    const { data, metadata } = args.representation;
    const limited = await limitNesting(data, metadata.contentType ?? '');
    return super.handle({ ...args, representation: new BasicRepresentation(limited, metadata) });
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
