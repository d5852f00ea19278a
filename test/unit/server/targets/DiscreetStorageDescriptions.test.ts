import {
  ForbiddenHttpError,
  guardedStreamFrom,
  MethodNotAllowedHttpError,
  NotFoundHttpError,
  NotImplementedHttpError,
  OkResponseDescription,
  OperationHttpHandler,
  readableToString,
  RepresentationMetadata,
} from '@solid/community-server';
import type { HttpError, OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import { DiscreetStorageDescriptions } from '../../../../src/server/targets/DiscreetStorageDescriptions';

/** Describes a storage to GET, or fails with an error. */
class Descriptions extends OperationHttpHandler {
  public error?: Error;
  public data = guardedStreamFrom('<> a <Storage>.');

  public override async canHandle({ operation: { method }}: OperationHttpHandlerInput): Promise<void> {
    if (method !== 'GET') {
      throw new MethodNotAllowedHttpError([ method ]);
    }
    if (this.error) {
      throw this.error;
    }
  }

  public async handle(): Promise<ResponseDescription> {
    return new OkResponseDescription(new RepresentationMetadata('text/turtle'), this.data);
  }
}

function describeError({ message, statusCode }: HttpError): unknown {
  return [ statusCode, message ];
}

describe('The description of a storage', (): void => {
  let source: Descriptions;

  async function ask(method: string): Promise<ResponseDescription> {
    const input = { operation: { method, target: { path: 'http://localhost/pod/.well-known/solid' }}};
    return new DiscreetStorageDescriptions(source).handleSafe(input as never);
  }

  beforeEach((): void => {
    source = new Descriptions();
  });

  it('is what the server describes.', async(): Promise<void> => {
    const { data, statusCode } = await ask('GET');
    expect(statusCode).toBe(200);
    await expect(readableToString(data!)).resolves.toBe('<> a <Storage>.');
  });

  it('has the same head for HEAD, and nothing stays open.', async(): Promise<void> => {
    const { data, metadata, statusCode } = await ask('HEAD');
    expect([ statusCode, metadata?.contentType, data ]).toEqual([ 200, 'text/turtle', undefined ]);
    expect(source.data.destroyed).toBe(true);
  });

  it('is absent where nothing exists, and in the same way where a container is no storage.', async(): Promise<void> => {
    const refusals = [ new NotFoundHttpError('Absent'), new NotImplementedHttpError('No storage') ];
    for (const method of [ 'GET', 'HEAD' ]) {
      const told = await Promise.all(refusals.map(async(error): Promise<unknown> => {
        source.error = error;
        return ask(method).catch((refusal: unknown): unknown => describeError(refusal as HttpError));
      }));
      expect(told).toEqual([[ 404, '' ], [ 404, '' ]]);
    }
  });

  it('fails as the server does otherwise, and cannot be written.', async(): Promise<void> => {
    source.error = new ForbiddenHttpError();
    await expect(ask('GET')).rejects.toThrow(source.error);
    await expect(ask('PUT')).rejects.toThrow(MethodNotAllowedHttpError);
  });
});
