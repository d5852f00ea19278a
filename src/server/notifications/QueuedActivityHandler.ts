import { createErrorMessage, getLoggerFor, StaticHandler } from '@solid/community-server';
import type {
  ActivityEmitter,
  NotificationChannelStorage,
  NotificationHandler,
  NotificationHandlerInput,
  SetMultiMap,
} from '@solid/community-server';
import type { WebSocket } from 'ws';
import type { HeldChannel } from './BoundedChannelStorage';
import type { ReadingRight } from './ReadingRight';
import { WorkQueue } from './WorkQueue';

/** A change of a resource. */
type Change = Required<Pick<NotificationHandlerInput, 'topic' | 'activity' | 'metadata'>> & { isElsewhere: boolean };

/** Options of {@link QueuedActivityHandler}. */
export interface QueuedActivityHandlerArgs {
  /** Subscriptions. */
  storage: NotificationChannelStorage;
  /** Emits changes, with one more argument: true for those made in another process. */
  emitter: ActivityEmitter;
  /** Makes a notification and sends it. */
  handler: NotificationHandler;
  /** Open WebSockets of this process, by subscription. */
  socketMap: SetMultiMap<string, WebSocket>;
  /** Checks whether subscribers may read. */
  right: ReadingRight;
}

const width = 4;
const maxWaiting = 10_000;
/** Maximum bytes that were sent to a WebSocket and not read. */
const maxBufferedBytes = 1_048_576;
const tidyMs = 60_000;
/** RFC 6455: policy violation. */
const policyViolation = 1008;

/**
 * Notifies subscribers of changes: a few changes at a time, one subscriber after the other, without a lock. Subscribers
 * who may no longer read the resource are not notified, and their subscription ends.
 */
export class QueuedActivityHandler extends StaticHandler {
  private readonly logger = getLoggerFor(this);
  private readonly storage: NotificationChannelStorage;
  private readonly handler: NotificationHandler;
  private readonly socketMap: SetMultiMap<string, WebSocket>;
  private readonly right: ReadingRight;
  private readonly queue = new WorkQueue(width, maxWaiting);

  public constructor(args: QueuedActivityHandlerArgs) {
    super();
    this.storage = args.storage;
    this.handler = args.handler;
    this.socketMap = args.socketMap;
    this.right = args.right;
    args.emitter.on('changed', (topic, activity, metadata, ...others: unknown[]): void => {
      const change = { topic, activity, metadata, isElsewhere: others[0] === true };
      this.enqueue(topic.path, async(): Promise<void> => this.notify(change));
    });
    setInterval((): void => this.enqueue('WebSockets', async(): Promise<void> => this.tidy()), tidyMs).unref();
  }

  private enqueue(of: string, work: () => Promise<void>): void {
    const isFull = this.queue.add(of, async(): Promise<void> => {
      try {
        await work();
      } catch (error: unknown) {
        this.logger.error(`Notifications of ${of} failed: ${createErrorMessage(error)}`);
      }
    });
    if (isFull) {
      this.logger.warn('Notifications are dropped: there are too many changes.');
    }
  }

  private async notify(change: Change): Promise<void> {
    for (const id of await this.storage.getAll(change.topic)) {
      // This process notifies those connected to it; one process alone notifies all others.
      if (this.socketMap.has(id) || (!change.isElsewhere && !id.includes('/WebSocketChannel2023/'))) {
        try {
          await this.notifyOne(id, change);
        } catch (error: unknown) {
          this.logger.error(`Error trying to handle notification for ${id}: ${createErrorMessage(error)}`);
        }
      }
    }
  }

  private async notifyOne(id: string, { topic, activity, metadata }: Change): Promise<void> {
    const channel: HeldChannel | undefined = await this.storage.get(id);
    if (!channel) {
      this.close(id);
      return;
    }
    const { lastEmit = 0, rate = 0, startAt = 0, subscriber = {}} = channel;
    const now = Date.now();
    if (now - lastEmit < rate || startAt > now) {
      return;
    }
    if (!await this.right.mayRead(subscriber, topic.path)) {
      await this.storage.delete(id);
      this.close(id);
      return;
    }
    await this.handler.handleSafe({ channel, activity, topic, metadata });
    this.dropClogged(id);
    if (rate > 0) {
      channel.lastEmit = Date.now();
      await this.storage.update(channel);
    }
  }

  /** Closes the WebSockets of subscriptions that have expired or were removed, in any process or with a pod. */
  private async tidy(): Promise<void> {
    for (const id of this.socketMap.keys()) {
      if (!await this.storage.get(id)) {
        this.close(id);
      }
    }
  }

  private close(id: string): void {
    for (const socket of this.socketMap.get(id) ?? []) {
      socket.close(policyViolation, 'The subscription has ended.');
    }
  }

  private dropClogged(id: string): void {
    for (const socket of this.socketMap.get(id) ?? []) {
      if (socket.bufferedAmount > maxBufferedBytes) {
        socket.terminate();
      }
    }
  }
}
