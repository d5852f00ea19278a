import {
  BasicRepresentation,
  HttpError,
  InternalServerError,
  NotImplementedHttpError,
  RepresentationConverter,
} from '@solid/community-server';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';
import { readBeginning } from '../readBeginning';
import { rememberPaths } from './rememberPaths';

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
    rememberPaths();
  }

  public override async handle(args: RepresentationConverterArgs): Promise<Representation> {
    const { preferences, representation: { data }} = args;
    // Internal conversions are not sent to anybody.
    const isSent = !Object.keys(preferences.type ?? {}).some((type): boolean => type.startsWith('internal/'));
    let failure: unknown;
    data.once('error', (error: unknown): void => {
      failure = error;
    });
    try {
      const converted = await this.source.handleSafe(args);
      if (converted.data === data) {
        return converted;
      }
      const begun = isSent ? await awaitFirstBytes(converted) : converted;
      // Parsers and writers do not end what they read: a file, when nobody reads on, as for HEAD.
      begun.data.once('close', (): unknown => data.destroy());
      return begun;
    } catch (error: unknown) {
      data.destroy();
      throw isSent ? refusalOf(failure ?? error, failure !== undefined) : error;
    }
  }
}

/** Returns the same representation once its first bytes are available. */
async function awaitFirstBytes({ data, metadata }: Representation): Promise<Representation> {
  return new BasicRepresentation((await readBeginning(data, maxHeldBytes)).data, metadata);
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
