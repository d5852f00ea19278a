import { BodyParser, guardedStreamFrom } from '@solid/community-server';
import type { BodyParserArgs, HttpRequest, Representation } from '@solid/community-server';
import { limitNesting } from '../nesting/limitNesting';
import { readBounded } from '../outside/readBounded';

/** Of triples that one means to change, this is a lot. */
const maxBytes = 1024 * 1024;

/**
 * Bounds bodies that the server holds in memory as a whole and takes apart at once, before it knows who sends them: how
 * long they are, and how deeply nested.
 */
export class BoundedBodyParser extends BodyParser {
  private readonly source: BodyParser;

  /**
   * @param source - Parser of bodies. It is given their bytes, and no headers.
   */
  public constructor(source: BodyParser) {
    super();
    this.source = source;
  }

  public override async canHandle(input: BodyParserArgs): Promise<void> {
    await this.source.canHandle(input);
  }

  public async handle({ request, metadata }: BodyParserArgs): Promise<Representation> {
    const text = await readBounded(request, maxBytes, 'The body of a patch');
    const body = await limitNesting(guardedStreamFrom(text), metadata.contentType ?? '');
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- parsers do nothing but read it
    return this.source.handle({ request: body as HttpRequest, metadata });
  }
}
