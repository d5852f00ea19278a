import type { Readable, TransformCallback } from 'node:stream';
import type { Quad, Term } from '@rdfjs/types';
import {
  BadRequestHttpError,
  BasicRepresentation,
  ContextDocumentLoader,
  RdfToQuadConverter,
} from '@solid/community-server';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';
import { systemClock } from '../../platform/clock';
import { ContextWork } from '../../platform/ContextWork';
import { contextFiles } from '../../platform/contextFiles';
import { FreshCache } from '../../platform/FreshCache';
import { isOverdue } from '../../platform/giveWay';
import { catchFailures } from '../nesting/catchFailures';
import { limitBases } from '../nesting/limitBases';
import { limitNesting } from '../nesting/limitNesting';
import { pauseInJsonLd } from '../nesting/pauseInJsonLd';
import { readNumbersQuickly } from '../nesting/readNumbersQuickly';
import { rereadRarely } from '../nesting/rereadRarely';
import { shortenSyntaxErrors } from '../nesting/shortenSyntaxErrors';
import { readSubscription } from '../notifications/readSubscription';
import { replacePart } from '../replacePart';
import { ContextTime } from './ContextTime';
import type { OutsideDocuments } from './OutsideDocuments';

const contextTypes = 'application/ld+json, application/json;q=0.9';
const lifeMs = 30 * 60 * 1000;
const maxContexts = 50;
/** Characters of a large context that is in use. */
const usualLength = 64 * 1024;
/** Maximum time for which one document waits for its contexts, in milliseconds. */
const maxWaitMs = 10_000;
/** Longer strings count towards the maximum of their characters in one document. */
const longText = 2048;
const maxLongTexts = 16 * 1024 * 1024;

type Context = Awaited<ReturnType<ContextDocumentLoader['load']>>;

/**
 * Types that are not read, because no limit would cover the work. HTML may contain JSON-LD. RDFa, in any XML, has lists
 * of names that apply to each other: of 16 KB, a million statements. For SHACL in its compact syntax, 50 bytes can take
 * days.
 */
const unread = new Set([
  'application/xhtml+xml',
  'application/xml',
  'image/svg+xml',
  'text/html',
  'text/shaclc',
  'text/shaclc-ext',
  'text/xml',
]);

/**
 * Reads RDF as the server does, but within bounds. Remote contexts of JSON-LD are fetched through the guard. HTML, RDFa
 * and compact SHACL are not read. The nesting of JSON-LD and XML, the cost of contexts, and the growth of a document by
 * prefixes and entities are bounded. Requests for notifications must be short.
 */
export class GuardedRdfToQuadConverter extends RdfToQuadConverter {
  private readonly contexts: GuardedContexts;

  /**
   * @param outside - Fetches remote contexts.
   * @param contexts - Files of contexts that are not fetched, by URL, in addition to those of the package.
   */
  public constructor(outside: OutsideDocuments, contexts: Record<string, string> = {}) {
    const known = { ...contextFiles, ...contexts };
    super(known);
    catchFailures();
    limitBases();
    readNumbersQuickly();
    rereadRarely();
    shortenSyntaxErrors();
    this.contexts = new GuardedContexts(outside, known);
    replacePart(this, 'documentLoader', this.contexts);
    this.inputTypes = this.inputTypes.then((types): typeof types =>
      Object.fromEntries(Object.entries(types).filter(([ type ]): boolean => !unread.has(type))));
  }

  public override async handle(args: RepresentationConverterArgs): Promise<Representation> {
    const { identifier, representation: { data, metadata }} = args;
    const type = metadata.contentType ?? '';
    if (type.includes('json')) {
      // At the first use, as it loads the parser.
      pauseInJsonLd();
    }
    const watched = watch(data);
    const work = new ContextWork();
    const time = new ContextTime(maxWaitMs);
    const body = new URL(identifier.path).pathname.startsWith('/.notifications/') ? await readSubscription(data) : data;
    const representation = new BasicRepresentation(await limitNesting(body, type, work), metadata);
    // As in the server, with the contexts of this document: a converter like this one but for its loader.
    const documentLoader = { value: {
      load: async(url: string): Promise<Context> =>
        time.wait(async(): Promise<Context> => this.contexts.loadFor(work, url)),
    }};
    const converter = Object.create(this, { documentLoader }) as this;
    const quads = await super.handle.call(converter, { ...args, representation });
    nameCause(watched, quads.data);
    limitGrowth(quads.data, type.includes('xml'));
    return quads;
  }
}

/** Cache of contexts by URL, for half an hour like the server's own, but with a maximum number and size. */
class GuardedContexts extends ContextDocumentLoader {
  private readonly fetched = new FreshCache<Context>({
    lifeMs,
    maxEntries: maxContexts,
    weigh: (context): number => JSON.stringify(context).length / usualLength,
    now: systemClock,
  });

  public constructor(outside: OutsideDocuments, contexts: Record<string, string>) {
    super(contexts, 0);
    replacePart(this, 'fetcher', async(url: string): Promise<Response> => outside.fetchResponse(url, contextTypes));
  }

  public override async load(url: string): Promise<Context> {
    return this.fetched.get(url, async(): Promise<Context> => super.load(url));
  }

  /** Loads a context for one document, counting its cost. */
  public async loadFor(work: ContextWork, url: string): Promise<Context> {
    const context = await this.load(url);
    work.addFetched(context);
    return context;
  }
}

/** A stream with its error, once it has failed. */
interface Watched {
  failure?: Error;
}

function watch(source: Readable): Watched {
  const watched: Watched = {};
  source.prependListener('error', (error): void => {
    watched.failure = error;
  });
  return watched;
}

/** Adds the cause when the server reports that a document cannot be read. */
function nameCause(watched: Watched, quads: Readable): void {
  quads.prependListener('error', (error): void => {
    error.cause ??= watched.failure;
  });
}

/**
 * Ends a stream of quads that grows out of proportion: a prefix or an entity may be long, and is repeated at each use.
 * Other work of the process runs between the quads.
 *
 * @param fromXml - True when literals may grow too.
 */
function limitGrowth(quads: Readable, fromXml: boolean): void {
  let length = 0;
  function lengthOf(term: Term): number {
    return term.value.length > longText && (fromXml || term.termType !== 'Literal') ? term.value.length : 0;
  }
  // Replaced in place: another stream would slow down every request that reads access rules.
  replacePart(quads, '_transform', (...[ quad, , done ]: [ Quad, string, TransformCallback ]): void => {
    const { subject, predicate, object } = quad;
    length += lengthOf(subject) + lengthOf(predicate) + lengthOf(object) +
      (object.termType === 'Literal' ? lengthOf(object.datatype) : 0);
    const error = length > maxLongTexts ? new BadRequestHttpError('The document is far longer than it looks.') : null;
    if (isOverdue()) {
      // Yields between quads: streams continue synchronously as long as there is data.
      setImmediate((): void => done(error, quad));
    } else {
      done(error, quad);
    }
  });
}
