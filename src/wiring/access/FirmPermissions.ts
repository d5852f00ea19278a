import { Initializer, UnionHandler } from '@solid/community-server';
import type { AsyncHandler, CredentialsExtractor, PermissionReader } from '@solid/community-server';
import { isOutage } from '../../http/outage';
import { replacePart } from '../../server/replacePart';

/** The parts of the server's handlers that have others inside. */
interface Nested {
  source?: object;
  reader?: object;
  handlers?: AsyncHandler<unknown, unknown>[];
  /** Of the reader that unites rules and grants. */
  args?: { ownReader?: object; grantReader?: object };
}

/**
 * Lets a failure through where the server unites what several of its parts say about permissions and credentials. The
 * server's own unions leave out what failed: an owner whose access control document, or whose token, can't be checked
 * now would be told that the pod is not theirs.
 */
export class FirmPermissions extends Initializer {
  /**
   * @param reader - Unions in it, however deep, are changed in place: the server has no setting for this.
   * @param extractors - The same for who makes a request.
   */
  public constructor(reader: PermissionReader, extractors: CredentialsExtractor[]) {
    super();
    for (const each of [ reader, ...extractors ]) {
      makeFirm(each);
    }
  }

  /** The unions are changed as soon as the server's objects are made. */
  public async handle(): Promise<void> {
    // Nothing is left to do.
  }
}

function makeFirm(handler: object): void {
  const { source, reader, handlers = [], args } = handler as Nested;
  for (const each of [ source, reader, args?.ownReader, args?.grantReader, ...handlers ]) {
    if (each) {
      makeFirm(each);
    }
  }
  if (handler instanceof UnionHandler) {
    const { combine } = handler as unknown as { combine: (results: unknown[]) => Promise<unknown> };
    replacePart(handler, 'handle', async(input: unknown): Promise<unknown> =>
      combine.call(handler, await resultsOf(handlers, input)));
  }
}

/** What each part says, but for those that can't handle the input or find a mistake in it: they say nothing. */
async function resultsOf(handlers: AsyncHandler<unknown, unknown>[], input: unknown): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(
    handlers.map(async(each): Promise<unknown> => each.handleSafe(input)),
  );
  const outage = outcomes.find((outcome): boolean => outcome.status === 'rejected' && isOutage(outcome.reason));
  if (outage?.status === 'rejected') {
    throw outage.reason;
  }
  return outcomes.flatMap((outcome): unknown[] => outcome.status === 'fulfilled' ? [ outcome.value ] : []);
}
