import { EventEmitter } from 'node:events';
import {
  AS,
  IdentifierMap,
  NotificationHandler,
  PermissionReader,
  RepresentationMetadata,
} from '@solid/community-server';
import type { NotificationChannelStorage, NotificationHandlerInput, PermissionMap } from '@solid/community-server';
import type { HeldChannel } from '../../../../src/server/notifications/BoundedChannelStorage';
import { QueuedActivityHandler } from '../../../../src/server/notifications/QueuedActivityHandler';
import { ReadingRight } from '../../../../src/server/notifications/ReadingRight';
import { ProcessWebSocketMap } from '../../../../src/server/nodes/ProcessWebSocketMap';

const topic = { path: 'http://localhost/alice/profile/card' };

/** Records whom it notifies, and how many at once. */
class Teller extends NotificationHandler {
  public readonly told: string[] = [];
  public most = 0;
  private now = 0;

  public async handle({ channel }: NotificationHandlerInput): Promise<void> {
    this.now += 1;
    this.most = Math.max(this.most, this.now);
    await new Promise((resolve): void => {
      setImmediate(resolve);
    });
    this.now -= 1;
    this.told.push(channel.id);
  }
}

/** Lets everybody read whose WebID is not `gone`. */
class Reader extends PermissionReader {
  public asked = 0;

  public async handle({ credentials }: Parameters<PermissionReader['handle']>[0]): Promise<PermissionMap> {
    this.asked += 1;
    return new IdentifierMap([[ topic, { read: credentials.agent?.webId !== 'gone' }]]);
  }
}

describe('A QueuedActivityHandler', (): void => {
  it('notifies 1,100 in sequence, and ends subscriptions without the right to read.', async(): Promise<void> => {
    const channels = new Map<string, HeldChannel>();
    const socketMap = new ProcessWebSocketMap();
    const closed: string[] = [];
    for (let index = 0; index < 1100; index += 1) {
      const id = `http://localhost/.notifications/WebSocketChannel2023/${index}`;
      const subscriber = index % 100 === 0 ? { webId: 'gone' } : {};
      channels.set(id, { id, type: 'type', topic: topic.path, subscriber });
      socketMap.add(id, { readyState: 1, close: (): unknown => closed.push(id) });
    }
    const storage = {
      get: async(id: string): Promise<HeldChannel | undefined> => channels.get(id),
      getAll: async(): Promise<string[]> => [ ...channels.keys() ],
      delete: async(id: string): Promise<boolean> => channels.delete(id),
    } as unknown as NotificationChannelStorage;
    const emitter = new EventEmitter();
    const handler = new Teller();
    const reader = new Reader();
    const right = new ReadingRight(reader);
    const args = { storage, emitter, handler, socketMap, right };
    const told = new QueuedActivityHandler(args as unknown as ConstructorParameters<typeof QueuedActivityHandler>[0]);
    await told.handle();
    emitter.emit('changed', topic, AS.terms.Update, new RepresentationMetadata(topic));
    while (handler.told.length + closed.length < 1100) {
      await new Promise((resolve): void => {
        setImmediate(resolve);
      });
    }
    expect(handler.most).toBe(1);
    expect(closed).toHaveLength(11);
    expect(channels.size).toBe(1089);
    expect(reader.asked).toBeLessThan(20);
  });
});
