import { APPLICATION_SPARQL_UPDATE, BadRequestHttpError, BodyParser, guardedStreamFrom } from '@solid/community-server';
import type { BodyParserArgs, HttpRequest, Representation } from '@solid/community-server';
import { requireShallow } from '../nesting/limitNesting';
import { N3Nesting } from '../nesting/N3Nesting';
import { readBounded } from '../readBounded';
import { compareQuickly } from './compareQuickly';
import { limitPatched } from './limitPatched';
import { requireFew } from './patching';
import { readUpdatesQuickly } from './readUpdatesQuickly';
import { tidyUpdate } from './tidyUpdate';

/** Maximum bytes; far more than ordinary patches have. */
const maxBytes = 1024 * 1024;
/** Maximum characters of all IRIs of a patch, written out. */
const maxCharacters = 32 * 1024 * 1024;
/** Maximum symbols of an N3 patch: about a fifth of a second of work. */
const maxSymbols = 30_000;

/**
 * Bounds bodies that the server parses at once, before it knows their sender: their length, their length with all IRIs
 * written out, the number of symbols, and the nesting.
 */
export class BoundedBodyParser extends BodyParser {
  private readonly source: BodyParser;

  /**
   * @param source - Parser of bodies. It receives the bytes without headers.
   */
  public constructor(source: BodyParser) {
    super();
    readUpdatesQuickly();
    compareQuickly();
    limitPatched();
    this.source = source;
  }

  public override async canHandle(input: BodyParserArgs): Promise<void> {
    await this.source.canHandle(input);
  }

  public async handle({ request, metadata }: BodyParserArgs): Promise<Representation> {
    const text = await readBounded(request, maxBytes, 'The body of a patch');
    if (isFarLonger(text, metadata.identifier.value.length)) {
      throw new BadRequestHttpError('The patch is far longer than it looks.');
    }
    const body = guardedStreamFrom(metadata.contentType === APPLICATION_SPARQL_UPDATE ? tidyUpdate(text) : small(text));
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- parsers do nothing but read it
    return this.source.handle({ request: body as HttpRequest, metadata });
  }
}

/**
 * Returns an N3 patch unchanged if it is within the limits.
 *
 * @throws BadRequestHttpError when it is nested too deeply.
 * @throws HttpError 413 when it has too many symbols.
 */
function small(patch: string): string {
  const scanner = new N3Nesting();
  for (const character of `${patch}\n`) {
    scanner.take(character);
    requireShallow(scanner.depth);
    requireFew(scanner.symbols, maxSymbols);
  }
  return patch;
}

/**
 * Checks whether a text may become far longer when prefixed names and relative IRIs are written out: each may be as
 * long as the longest IRI in it, and each base may add to that.
 */
function isFarLonger(text: string, baseLength: number): boolean {
  let longest = baseLength;
  for (const [ iri ] of text.matchAll(/<[^\s<>"{}|^`]*/gu)) {
    longest = Math.max(longest, iri.length);
  }
  const bases = text.match(/\bbase\b/giu)?.length ?? 0;
  const uses = text.match(/[:<]/gu)?.length ?? 0;
  return longest * (1 + bases) * uses > maxCharacters;
}
