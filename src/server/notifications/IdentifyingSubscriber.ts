import { NotificationSubscriber } from '@solid/community-server';
import type {
  NotificationSubscriberArgs,
  OperationHttpHandlerInput,
  ResponseDescription,
} from '@solid/community-server';
import { readWholeNumber } from '../../platform/wholeNumber';
import type { ClientGate } from '../sockets/ClientGate';
import type { BoundedChannelStorage } from './BoundedChannelStorage';
import { currentSubscriber, subscriberOf } from './Subscriber';

/** Options of {@link IdentifyingSubscriber}. */
export interface IdentifyingSubscriberArgs extends NotificationSubscriberArgs {
  /** Subscriptions within bounds. */
  subscriptions: BoundedChannelStorage;
  /** Tells from where requests come. */
  gate: ClientGate;
  /** After how many hours subscriptions end at the latest. */
  subscriptionHours: number;
}

/** Takes subscriptions as the server does, and lets its storage know who makes them. */
export class IdentifyingSubscriber extends NotificationSubscriber {
  private readonly extractor: NotificationSubscriberArgs['credentialsExtractor'];
  private readonly gate: ClientGate;
  private readonly subscriptions: BoundedChannelStorage;

  public constructor(args: IdentifyingSubscriberArgs) {
    super({ ...args, maxDuration: readWholeNumber('subscriptionHours', args.subscriptionHours) * 60 });
    this.extractor = args.credentialsExtractor;
    this.gate = args.gate;
    this.subscriptions = args.subscriptions;
  }

  public override async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const credentials = await this.extractor.handleSafe(input.request);
    const subscriber = subscriberOf(credentials, this.gate.addressOf(input.request));
    if (input.operation.method === 'POST') {
      await this.subscriptions.check(subscriber);
    }
    return currentSubscriber.run(subscriber, async(): Promise<ResponseDescription> => super.handle(input));
  }
}
