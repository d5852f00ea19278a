import { PassThrough } from 'node:stream';
import type { Writable } from 'node:stream';
import { AccessMode, IdentifierMap, NotFoundHttpError, WrappedSetMultiMap } from '@solid/community-server';
import { CheckedStreamHandler } from '../../../../src/server/notifications/CheckedStreamHandler';
import { HeldStreams } from '../../../../src/server/notifications/HeldStreams';
import { OpenContainers } from '../../../../src/server/notifications/OpenContainers';

const route = 'https://pod.example/.notifications/StreamingHTTPChannel2023/';
const topic = 'https://pod.example/bob/diary';

describe('A notification stream', (): void => {
  let streamMap: WrappedSetMultiMap<string, Writable>;
  let isClosed: boolean;
  /** Ends the streams about a pod. */
  let end: (holder: string) => void;
  let handler: CheckedStreamHandler;

  beforeEach((): void => {
    streamMap = new WrappedSetMultiMap();
    isClosed = false;
    const streams = new HeldStreams({
      streamMap: streamMap as never,
      right: { mayRead: async(): Promise<boolean> => true } as never,
      subscriptions: {
        onRemoval(listener: typeof end): void {
          end = listener;
        },
      } as never,
      maxSubscriptionsPerResource: 1,
      maxSubscriptionsPerCaller: 1,
      maxSocketsPerAddress: 1,
      maxSubscriptions: 1,
      subscriptionHours: 1,
    });
    handler = new CheckedStreamHandler({
      streamMap: streamMap as never,
      route: { getPath: (): string => route } as never,
      generator: { handle: async(): Promise<object> => ({}) } as never,
      serializer: { handleSafe: async(): Promise<object> => ({ data: PassThrough.from([ 'first' ]) }) } as never,
      credentialsExtractor: { handleSafe: async(): Promise<object> => ({}) } as never,
      permissionReader: {
        handleSafe: async(): Promise<unknown> => new IdentifierMap([[{ path: topic }, { [AccessMode.read]: true }]]),
      } as never,
      authorizer: { handleSafe: async(): Promise<void> => undefined } as never,
      streams,
      gate: { addressOf: (): string => '203.0.113.7' } as never,
      containers: new OpenContainers({
        async requireOpen(): Promise<void> {
          if (isClosed) {
            throw new NotFoundHttpError('This pod is gone.');
          }
        },
      }),
    });
  });

  async function open(): Promise<unknown> {
    const request = { socket: { setKeepAlive: (): void => undefined }};
    const operation = { preferences: {}, target: { path: `${route}${encodeURIComponent(topic)}` }};
    return handler.handle({ operation, request, response: new PassThrough() } as never);
  }

  it('does not open when another process has ended those about its pod before it is counted.', async():
  Promise<void> => {
    // The pod may still be readable.
    isClosed = true;
    end('https://pod.example/bob/');
    await expect(open()).rejects.toMatchObject({ statusCode: 404 });
    // It is destroyed in the next turn of the event loop.
    await new Promise(setImmediate);
    expect(streamMap.has(topic)).toBe(false);
    // It takes no place.
    isClosed = false;
    await open();
    expect(streamMap.has(topic)).toBe(true);
    end('https://pod.example/bob/');
    expect(streamMap.has(topic)).toBe(false);
  });
});
