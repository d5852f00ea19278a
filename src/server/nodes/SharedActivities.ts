import { EventEmitter } from 'node:events';
import { AS, RepresentationMetadata, SOLID_AS, toNamedTerm } from '@solid/community-server';
import type { ResourceIdentifier, ResourceStore } from '@solid/community-server';
import { opened } from '../../platform/opened';
import { parseOwn } from '../../platform/ownJson';
import type { MessageRelay } from './MessageRelay';

/** A change of a resource, as sent to other processes. */
interface Message {
  path: string;
  activity: string;
  /** The member added to or removed from a container. */
  object?: string;
}

/**
 * Changes of resources by any process that serves the same pods, because a subscriber is connected to one of them only.
 * Best effort, like notifications: a lost message is not sent again.
 */
export class SharedActivities extends EventEmitter {
  private readonly relay: MessageRelay;

  /**
   * @param source - The server's resources, whose changes are sent.
   * @param relay - Relays to the other processes.
   */
  public constructor(source: ResourceStore, relay: MessageRelay) {
    super();
    this.setMaxListeners(0);
    this.relay = relay;
    // The server's resource store emits its changes, but its interface does not say so.
    opened<Partial<NodeJS.EventEmitter>>(source).on?.('changed', this.share.bind(this));
    relay.subscribe((text): void => this.receive(parseOwn(text)));
  }

  private share({ path }: ResourceIdentifier, activity: { value: string }, metadata: RepresentationMetadata): void {
    this.emit('changed', { path }, activity, metadata);
    const message: Message = { path, activity: activity.value, object: metadata.get(AS.terms.object)?.value };
    this.relay.publish(JSON.stringify(message));
  }

  /** Emits a change of another process, with one more argument to mark it as such. Ignores other texts. */
  private receive({ path, activity, object }: Partial<Message>): void {
    if (path === undefined || activity === undefined) {
      return;
    }
    const term = toNamedTerm(activity);
    const metadata = new RepresentationMetadata({ path }, { [SOLID_AS.activity]: term });
    if (object !== undefined) {
      metadata.add(AS.terms.object, toNamedTerm(object));
    }
    this.emit('changed', { path }, term, metadata, true);
  }
}
