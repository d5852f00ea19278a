import { BasicRepresentation, HttpError, NotificationSubscriber } from '@solid/community-server';
import type {
  NotificationChannel,
  NotificationSubscriberArgs,
  Operation,
  OperationHttpHandlerInput,
  ResponseDescription,
} from '@solid/community-server';
import { readWholeNumber } from '../../platform/readWholeNumber';
import { checkPathBounds } from '../../platform/targets';
import { replacePart } from '../replacePart';
import { FirstBytesConverter } from '../conversion/FirstBytesConverter';
import type { ClientGate } from '../sockets/ClientGate';
import { causeOf } from '../../platform/errors';
import type { BoundedChannelStorage } from './BoundedChannelStorage';
import { readSubscription } from './readSubscription';
import { requireFormat } from './requireFormat';
import { requireProfile } from './requireProfile';
import { reuseShape } from './reuseShape';
import { currentSubscriber, subscriberOf } from './Subscriber';
import type { Subscriber } from './Subscriber';
import { ExclusiveTurns } from './ExclusiveTurns';
import { shareOf, WaitingPlaces } from './WaitingPlaces';

/** Options of {@link IdentifyingSubscriber}. */
export interface IdentifyingSubscriberArgs extends NotificationSubscriberArgs {
  /** Bounded storage of subscriptions. */
  subscriptions: BoundedChannelStorage;
  /** Determines the address of a request. */
  gate: ClientGate;
  /** Maximum lifetime of a subscription, in hours. */
  subscriptionHours: number;
}

/** Maximum requests that wait for their check. */
const maxWaiting = 100;

const refusals = new Set([ 429, 503 ]);

/** Scheme and authority of a URL. */
const origin = /^https?:\/\/[^/?#]*/iu;

/**
 * Creates subscriptions as the server does, and passes the subscriber to their storage. Checking a request blocks the
 * process, so requests are checked one at a time.
 */
export class IdentifyingSubscriber extends NotificationSubscriber {
  private readonly extractor: NotificationSubscriberArgs['credentialsExtractor'];
  private readonly formats: FirstBytesConverter;
  private readonly gate: ClientGate;
  private readonly subscriptions: BoundedChannelStorage;
  private readonly turns = new ExclusiveTurns(maxWaiting);
  private readonly places = new WaitingPlaces(maxWaiting);

  public constructor(args: IdentifyingSubscriberArgs) {
    super({ ...args, maxDuration: readWholeNumber('subscriptionHours', args.subscriptionHours) * 60 });
    this.extractor = args.credentialsExtractor;
    this.formats = new FirstBytesConverter(args.converter);
    this.gate = args.gate;
    this.subscriptions = args.subscriptions;
    const { channelType } = args;
    reuseShape(channelType);
    type InitChannel = typeof channelType.initChannel;
    const initChannel = channelType.initChannel.bind(channelType);
    replacePart(channelType, 'initChannel', async(...input: Parameters<InitChannel>): ReturnType<InitChannel> => {
      const subscriber = currentSubscriber.getStore() ?? {};
      return this.turns.take(shareOf(subscriber), async(): ReturnType<InitChannel> => {
        await this.subscriptions.check(subscriber);
        const channel = await initChannel(...input);
        checkPathBounds(channel.topic.replace(origin, ''));
        checkTimes(channel);
        return channel;
      });
    });
  }

  public override async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const arrivedAt = performance.now();
    const credentials = await this.extractor.handleSafe(input.request);
    const subscriber = subscriberOf(credentials, this.gate.addressOf(input.request));
    await requireFormat(this.formats, input.operation);
    if (input.operation.method !== 'POST') {
      return super.handle(input);
    }
    requireProfile(input.operation.body.metadata.contentTypeObject);
    const done = this.subscriptions.begin(subscriber, arrivedAt);
    try {
      return await this.subscribe(subscriber, input);
    } finally {
      done();
    }
  }

  private async subscribe(subscriber: Subscriber, input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    await this.subscriptions.check(subscriber);
    const operation = await received(input.operation);
    const release = this.places.take(subscriber);
    try {
      return await currentSubscriber.run(subscriber, async(): Promise<ResponseDescription> =>
        super.handle({ ...input, operation }));
    } catch (error: unknown) {
      throw refusalIn(error) ?? error;
    } finally {
      release();
    }
  }
}

/** Returns an operation with a body that has arrived: those who send it slowly take no place. */
async function received(operation: Operation): Promise<Operation> {
  const { data, metadata } = operation.body;
  return { ...operation, body: new BasicRepresentation(await readSubscription(data), metadata) };
}

/** Refuses what is not a number: a subscription without an end would never end. */
function checkTimes(channel: NotificationChannel): void {
  for (const name of [ 'startAt', 'endAt', 'rate' ] as const) {
    if (!Number.isFinite(channel[name] ?? 0)) {
      throw new RangeError(`The value of ${name} is out of range.`);
    }
  }
}

/** Finds an error that is the fault of the request. */
function refusalIn(error: unknown): HttpError | undefined {
  const cause = causeOf(error);
  return HttpError.isInstance(cause) && refusals.has(cause.statusCode) ? cause : undefined;
}
