import { readFileSync } from 'node:fs';
import {
  BadRequestHttpError,
  BaseLogger,
  createErrorMessage,
  ErrorHandler,
  ForbiddenHttpError,
  HttpError,
  InternalServerError,
  MethodNotAllowedHttpError,
  NotImplementedHttpError,
  ResponseDescription,
  SOLID_ERROR,
} from '@solid/community-server';
import type { ErrorHandlerArgs } from '@solid/community-server';
import { DataFactory } from 'n3';
import { retryAfter } from '../../../../src/server/tooBusy';
import { DiscreetErrorHandler } from '../../../../src/server/targets/DiscreetErrorHandler';

/** Records the error that it is given. */
class RememberingHandler extends ErrorHandler {
  public told?: HttpError;

  public async handle({ error }: ErrorHandlerArgs): Promise<ResponseDescription> {
    this.told = error;
    return new ResponseDescription(error.statusCode);
  }
}

function systemError(): unknown {
  try {
    return readFileSync(`/${'a'.repeat(300)}`);
  } catch (error: unknown) {
    return error;
  }
}

async function toldOf(error: HttpError, method = 'GET'): Promise<HttpError> {
  const source = new RememberingHandler();
  await new DiscreetErrorHandler(source).handleSafe({ error, request: { method } as never });
  return source.told!;
}

describe('An error of the server', (): void => {
  const cause = systemError();

  it.each([
    [ 'one of the operating system', new InternalServerError(createErrorMessage(cause), { cause }) ],
    [ 'one that repeats its words', new BadRequestHttpError(`Pod creation failed: ${createErrorMessage(cause)}`) ],
    [ 'one that it caused', new ForbiddenHttpError('No.', { cause: new Error('because', { cause }) }) ],
    [ 'any that is not expected', new InternalServerError('Received \'/srv/pods\'') ],
  ])('reveals nothing if it is %s.', async(_name, error): Promise<void> => {
    const told = await toldOf(error);
    expect(told.message).toBe('The server could not do this.');
    expect([ told.statusCode, told.errorCode ]).toEqual([ error.statusCode, error.errorCode ]);
    expect(told.metadata).toBe(error.metadata);
  });

  it.each<[string, unknown, string]>([
    [ 'a disk', Object.assign(new Error('EROFS: read-only, open \'/x\''), { code: 'EROFS' }), 'EROFS: read-only' ],
    [ 'a connection', Object.assign(new AggregateError([], 'All failed'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED' ],
    [ 'a lock', new Error('Too many requests wait for the same resource'), 'Too many requests wait' ],
  ])('is logged with its causes if it is an outage, such as of %s.', async(_name, reason, logged): Promise<void> => {
    const log = jest.spyOn(BaseLogger.prototype, 'error').mockReturnThis();
    const error = new HttpError(503, 'ServiceUnavailableHttpError', 'The server cannot answer now.', {
      cause: new Error('while writing', { cause: reason }),
    });
    await toldOf(error);
    expect(log.mock.calls).toEqual([
      [ expect.stringContaining(`503: The server cannot answer now. Cause: while writing. Cause: ${logged}`) ],
    ]);
    log.mockRestore();
  });

  it.each<[string, Error]>([
    [ 'the database', Object.assign(new Error('terminating connection'), { code: '57P01' }) ],
    [ 'the locks', new Error('Connection is closed.') ],
    [ 'a disk', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }) ],
  ])('is 503, and says when to try again, if it is an outage of %s.', async(_name, reason): Promise<void> => {
    const told = await toldOf(new InternalServerError('Received unexpected non-HttpError', { cause: reason }));
    expect([ told.statusCode, told.message ]).toEqual([ 503, 'The server cannot answer now.' ]);
    expect(told.metadata.get(DataFactory.namedNode(retryAfter))?.value).toBe('5');
  });

  it('is a warning in the log if too many requests wait.', async(): Promise<void> => {
    const [ warned, failed ] = ([ 'warn', 'error' ] as const).map((level): jest.SpyInstance =>
      jest.spyOn(BaseLogger.prototype, level).mockReturnThis());
    await toldOf(new HttpError(503, 'ServiceUnavailableHttpError', 'Too many requests wait.'));
    expect([ warned.mock.calls, failed.mock.calls ])
      .toEqual([[[ 'Answered with 503: Too many requests wait.' ]], []]);
    jest.restoreAllMocks();
  });

  it('is recognised at once, however long it is.', async(): Promise<void> => {
    const begun = performance.now();
    const long = 'AAAA:  '.repeat(60_000);
    await expect(toldOf(new BadRequestHttpError(long))).resolves.toHaveProperty('message', long);
    await expect(toldOf(new BadRequestHttpError(`${long}'/srv'`))).resolves
      .toHaveProperty('message', 'The server could not do this.');
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it.each([
    [ 'the shared error object', new MethodNotAllowedHttpError() ],
    [ 'the sum of several errors', new HttpError(405, 'MethodNotAllowedHttpError', 'Several errors: no., no.') ],
  ])('names the unsupported method, and does not change %s.', async(_, error): Promise<void> => {
    const told = await toldOf(error, 'MOVE');
    expect([ told.statusCode, told.message ]).toEqual([ 405, 'MOVE is not allowed.' ]);
    expect([ told, error ].map(({ metadata }): string | undefined =>
      metadata.get(SOLID_ERROR.terms.disallowedMethod)?.value)).toEqual([ 'MOVE', undefined ]);
  });

  it.each([
    new MethodNotAllowedHttpError([ 'PUT' ], 'Use PATCH instead.'),
    new BadRequestHttpError('Slugs should not contain slashes'),
    new NotImplementedHttpError('Identifiers cannot contain a dollar sign before their extension'),
    new HttpError(503, 'ServiceUnavailableHttpError', 'The server cannot answer now.'),
  ])('is shown unchanged if it is meant for callers: %s.', async(error): Promise<void> => {
    await expect(toldOf(error)).resolves.toBe(error);
  });
});
