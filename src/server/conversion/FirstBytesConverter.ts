import { Readable } from 'node:stream';
import {
  BasicRepresentation,
  guardedStreamFrom,
  guardStream,
  HttpError,
  InternalServerError,
  NotImplementedHttpError,
  RepresentationConverter,
} from '@solid/community-server';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';
import { withRest } from '../withRest';

/** Bytes to hold back: most documents show any mistake before anything is sent. */
const maxHeldBytes = 64 * 1024;

/**
 * Converts with another converter, but resolves only with the first bytes: a failed conversion then gets a status
 * instead of a connection that is cut after a 200. An error after more than 64 KiB of converted document still cuts the
 * connection.
 */
export class FirstBytesConverter extends RepresentationConverter {
  private readonly source: RepresentationConverter;

  /**
   * @param source - Converts.
   */
  public constructor(source: RepresentationConverter) {
    super();
    this.source = source;
  }

  public override async handle(args: RepresentationConverterArgs): Promise<Representation> {
    const { preferences, representation: { data }} = args;
    if (Object.keys(preferences.type ?? {}).some((type): boolean => type.startsWith('internal/'))) {
      // Internal conversions, which are not sent to anybody.
      return this.source.handleSafe(args);
    }
    let failure: unknown;
    data.once('error', (error: unknown): void => {
      failure = error;
    });
    try {
      const converted = await this.source.handleSafe(args);
      return converted.data === data ? converted : await awaitFirstBytes(converted);
    } catch (error: unknown) {
      data.destroy();
      throw refusalOf(failure ?? error, failure !== undefined);
    }
  }
}

/** Returns the same representation once its first bytes are available. */
async function awaitFirstBytes(converted: Representation): Promise<Representation> {
  const chunks: Buffer[] = [];
  let size = 0;
  const pieces: AsyncIterable<Buffer | string> = converted.data;
  const iterator = pieces[Symbol.asyncIterator]();
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    const chunk = Buffer.from(next.value);
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxHeldBytes) {
      const rest = Readable.from(withRest(chunks, iterator), { objectMode: false });
      return new BasicRepresentation(guardStream(rest), converted.metadata);
    }
  }
  return new BasicRepresentation(guardedStreamFrom(chunks, { objectMode: false }), converted.metadata);
}

/**
 * Turns a failed conversion into a response. A stored document is not a bad request: it is not available in this form.
 *
 * @param error - Cause of the failure.
 * @param isOfStorage - True when the stored document could not be read.
 */
function refusalOf(error: unknown, isOfStorage: boolean): HttpError {
  if (HttpError.isInstance(error) && error.statusCode >= 500 && !NotImplementedHttpError.isInstance(error)) {
    return error;
  }
  return isOfStorage ?
      new InternalServerError('This resource could not be read.', { cause: error }) :
      new HttpError(406, 'NotAcceptableHttpError', 'This resource is not available in this format.', { cause: error });
}
