import type { Writable } from 'node:stream';
import {
  BadRequestHttpError,
  HttpError,
  matchesMediaPreferences,
  StreamingHttpRequestHandler,
  TEXT_TURTLE,
} from '@solid/community-server';
import type {
  Authorizer,
  CredentialsExtractor,
  InteractionRoute,
  NotificationGenerator,
  NotificationSerializer,
  OperationHttpHandlerInput,
  PermissionReader,
  ResponseDescription,
  StreamingHttpMap,
} from '@solid/community-server';
import type { ClientGate } from '../sockets/ClientGate';
import { opened } from '../../platform/opened';
import type { HeldStreams } from './HeldStreams';
import type { OpenContainers } from './OpenContainers';
import { subscriberOf } from './Subscriber';

/** Options of {@link CheckedStreamHandler}. */
export interface CheckedStreamHandlerArgs {
  /** Open streams of this process, by resource. */
  streamMap: StreamingHttpMap;
  /** Path of the streams. */
  route: InteractionRoute;
  /** Makes the first notification. */
  generator: NotificationGenerator;
  /** Writes it. */
  serializer: NotificationSerializer;
  /** Reads the credentials of the caller. */
  credentialsExtractor: CredentialsExtractor;
  /** The server's own rule on permissions. */
  permissionReader: PermissionReader;
  /** Refuses callers without the permissions. */
  authorizer: Authorizer;
  /** Counts streams, and ends them. */
  streams: HeldStreams;
  /** Determines the address of a request. */
  gate: ClientGate;
  /** Containers whose resources can have streams. */
  containers: OpenContainers;
}

/** Interval of keep-alive data. A connection that is not even acknowledged is closed some ten seconds later. */
const keepAliveMs = 60_000;

/** Opens notification streams as the server does, within bounds, in Turtle only. */
export class CheckedStreamHandler extends StreamingHttpRequestHandler {
  private readonly args: CheckedStreamHandlerArgs;

  public constructor(args: CheckedStreamHandlerArgs) {
    super(
      args.streamMap,
      args.route,
      args.generator,
      args.serializer,
      args.credentialsExtractor,
      args.permissionReader,
      args.authorizer,
    );
    this.args = args;
  }

  public override async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const { containers, credentialsExtractor, gate, route, streams } = this.args;
    const { operation, request, response } = input;
    const arrivedAt = performance.now();
    if (!matchesMediaPreferences(TEXT_TURTLE, operation.preferences.type)) {
      throw new HttpError(406, 'NotAcceptableHttpError', 'Notification streams are in Turtle.');
    }
    // The server would convert the stream to a preferred format, and send nothing before the stream ends.
    operation.preferences = {};
    const topic = decode(operation.target.path.replace(route.getPath(), ''));
    const credentials = await credentialsExtractor.handleSafe(request);
    const subscriber = subscriberOf(credentials, gate.addressOf(request));
    const release = streams.admit(topic, subscriber, arrivedAt);
    try {
      const description = await super.handle(input);
      // The library responds with the stream that it writes to, although nothing is read from it.
      const stream = opened<{ data: Writable }>(description).data;
      streams.hold(stream, subscriber);
      stream.once('close', release);
      await containers.requireOpen(topic, (): unknown => stream.destroy());
      request.socket.setKeepAlive(true, keepAliveMs);
      response.once('close', (): unknown => stream.destroy());
      if (response.destroyed) {
        // The client has left meanwhile.
        stream.destroy();
      }
      return description;
    } catch (error: unknown) {
      release();
      throw error;
    }
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause: unknown) {
    throw new BadRequestHttpError('The path does not name a resource.', { cause });
  }
}
