import type { Writable } from 'node:stream';
import { createErrorMessage, getLoggerFor, NOTIFY, StaticHandler } from '@solid/community-server';
import type { ActivityEmitter, NotificationHandler, ResourceIdentifier, SetMultiMap } from '@solid/community-server';
import type { HeldStreams } from './HeldStreams';
import { WorkQueue } from './WorkQueue';

/** Options of {@link QueuedStreamActivityHandler}. */
export interface QueuedStreamActivityHandlerArgs {
  /** Emits changes. */
  emitter: ActivityEmitter;
  /** Open streams of this process, by resource. */
  streamMap: SetMultiMap<string, Writable>;
  /** Knows the subscribers of the streams. */
  streams: HeldStreams;
  /** Makes a notification and sends it to all streams about a resource. */
  source: NotificationHandler;
}

const width = 4;
const maxWaiting = 10_000;

/** Notifies open streams of changes, a few at a time, except those whose subscriber may no longer read. */
export class QueuedStreamActivityHandler extends StaticHandler {
  private readonly logger = getLoggerFor(this);
  private readonly args: QueuedStreamActivityHandlerArgs;
  private readonly queue = new WorkQueue(width, maxWaiting);

  public constructor(args: QueuedStreamActivityHandlerArgs) {
    super();
    this.args = args;
    args.emitter.on('changed', (topic, activity, metadata): void => {
      if (args.streamMap.has(topic.path)) {
        this.queue.add(topic.path, async(): Promise<void> => this.notify(topic, { activity, metadata }));
      }
    });
  }

  private async notify(
    topic: ResourceIdentifier,
    change: Pick<Parameters<NotificationHandler['handle']>[0], 'activity' | 'metadata'>,
  ): Promise<void> {
    const { source, streamMap, streams } = this.args;
    try {
      await streams.review(topic.path);
      if (streamMap.has(topic.path)) {
        await source.handleSafe({ channel: channelOf(topic), topic, ...change });
      }
    } catch (error: unknown) {
      this.logger.error(`Error trying to handle notification for ${topic.path}: ${createErrorMessage(error)}`);
    }
  }
}

/** Returns the server's channel for the streams about a resource. */
function channelOf({ path }: ResourceIdentifier): Parameters<NotificationHandler['handle']>[0]['channel'] {
  return { id: `${path}.channel`, type: NOTIFY.StreamingHTTPChannel2023, topic: path, accept: 'text/turtle' };
}
