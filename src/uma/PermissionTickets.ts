import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock, NewId } from '../platform/clock';
import type { ResourceUri } from '../pods/resourceUri';
import { findResourceUri } from '../pods/resourceUri';
import { parseOwn } from '../platform/ownJson';

/** Content of a permission ticket. */
export interface PermissionTicket {
  id: string;
  /** The requested resource. */
  resource: ResourceUri;
  expiresAt: Date;
}

/** Lifetime of a ticket in seconds. */
const ticketLifetimeSeconds = 300;

const form = /^([\w-]{1,4096})\.([\w-]{43})$/u;

/**
 * Self-contained permission tickets under a MAC: every refused request gets one, so nothing is stored.
 *
 * A ticket names no modes. Clients of access grants obtain it by an anonymous GET whatever they intend, and the
 * required modes would reveal to strangers whether the resource exists.
 *
 * @see [User-Managed Access 2.0 Grant, section 3.2](https://docs.kantarainitiative.org/uma/wg/rec-oauth-uma-grant-2.0.html#permission-ticket)
 */
export class PermissionTickets {
  public constructor(
    private readonly key: Buffer,
    private readonly baseUrl: string,
    private readonly now: Clock,
    private readonly newId: NewId,
  ) {}

  /** Issues a new ticket. */
  public issue(resource: ResourceUri): string {
    const expires = Math.floor(this.now().getTime() / 1000) + ticketLifetimeSeconds;
    const content = Buffer.from(JSON.stringify([ this.newId(), expires, resource ])).toString('base64url');
    return `${content}.${this.mac(content).toString('base64url')}`;
  }

  /** Reads a ticket; returns `undefined` when it was not made here, was altered, or has expired. */
  public open(ticket: string): PermissionTicket | undefined {
    const [ , content, mac ] = form.exec(ticket) ?? [];
    if (content === undefined || !timingSafeEqual(this.mac(content), Buffer.from(mac, 'base64url'))) {
      return;
    }
    const [ id, expires, uri ] = parseOwn<unknown[]>(Buffer.from(content, 'base64url').toString());
    const resource = findResourceUri(String(uri), this.baseUrl);
    const expiresAt = new Date(Number(expires) * 1000);
    return resource && expiresAt > this.now() ? { id: String(id), resource, expiresAt } : undefined;
  }

  private mac(content: string): Buffer {
    return createHmac('sha256', this.key).update(content).digest();
  }
}
