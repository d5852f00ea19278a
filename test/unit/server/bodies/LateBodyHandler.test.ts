import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import {
  BasicRepresentation,
  ForbiddenHttpError,
  guardStream,
  IdentifierSetMultiMap,
  OperationHttpHandler,
  readableToString,
  ResponseDescription,
} from '@solid/community-server';
import type { OperationHttpHandlerInput } from '@solid/community-server';
import { LateBodyHandler } from '../../../../src/server/bodies/LateBodyHandler';
import type { LateBodyHandlerArgs } from '../../../../src/server/bodies/LateBodyHandler';

describe('A request whose body arrives late', (): void => {
  const events: string[] = [];
  let sent: PassThrough;
  let isAllowed: boolean;

  /** Handles a request whose headers have been allowed, by work on its body. */
  async function handle(isComplete: boolean, work: (input: OperationHttpHandlerInput) => Promise<void>): Promise<void> {
    const source = new class extends OperationHttpHandler {
      public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
        await work(input);
        return new ResponseDescription(205);
      }
    }();
    const part = { handleSafe: async(): Promise<unknown> => new IdentifierSetMultiMap() };
    const args = {
      source,
      credentialsExtractor: part,
      modesExtractor: part,
      permissionReader: part,
      authorizer: {
        handleSafe: async(): Promise<void> => {
          events.push('decided');
          if (!isAllowed) {
            throw new ForbiddenHttpError();
          }
        },
      },
    } as unknown as LateBodyHandlerArgs;
    const operation = {
      method: 'PUT',
      target: { path: 'http://localhost/a' },
      preferences: {},
      body: new BasicRepresentation(guardStream(sent), 'text/plain'),
    };
    const request = guardStream(new IncomingMessage(new Socket()));
    request.complete = isComplete;
    const response = new ServerResponse(request);
    await new LateBodyHandler(args).handleSafe({ operation, request, response });
  }

  async function read({ operation }: OperationHttpHandlerInput): Promise<void> {
    events.push(await readableToString(operation.body.data));
  }

  beforeEach((): void => {
    events.length = 0;
    sent = new PassThrough();
    isAllowed = true;
    sent.write('begin');
  });

  it('is decided again at its end, and then read.', async(): Promise<void> => {
    const handled = handle(false, read);
    sent.end(', end');
    await handled;
    expect(events).toEqual([ 'decided', 'begin, end' ]);
  });

  it('is refused when what allowed it has ended.', async(): Promise<void> => {
    const handled = handle(false, read);
    isAllowed = false;
    sent.end(', end');
    await expect(handled).rejects.toThrow(ForbiddenHttpError);
    expect(events).toEqual([ 'decided' ]);
  });

  it('is decided once if it was there.', async(): Promise<void> => {
    sent.end(', end');
    await handle(true, read);
    expect(events).toEqual([ 'begin, end' ]);
  });

  it('passes unread when it is not read on.', async(): Promise<void> => {
    await handle(false, async({ operation }): Promise<void> => {
      const chunk: unknown = await operation.body.data.iterator({ destroyOnReturn: false }).next();
      events.push(String((chunk as IteratorResult<Buffer>).value));
    });
    sent.end(Buffer.alloc(1_000_000));
    await once(sent, 'end');
    expect(events).toEqual([ 'begin' ]);
  });

  it('is left to the connection when nobody reads it.', async(): Promise<void> => {
    await handle(false, async(): Promise<void> => undefined);
    expect(sent.destroyed).toBe(false);
    sent.end(', end');
    await expect(readableToString(guardStream(sent))).resolves.toBe('begin, end');
  });
});
