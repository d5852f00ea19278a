import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import type { Credentials } from '@solid/community-server';

/** A subscriber, whose right to read is checked and whose subscriptions are counted. */
export interface Subscriber {
  webId?: string;
  clientId?: string;
  issuer?: string;
  /** Digest of the address; absent when the address is unknown. */
  address?: string;
}

/** The caller of the current request. */
export const currentSubscriber = new AsyncLocalStorage<Subscriber>();

/** The part of credentials that outlives a request. */
export function subscriberOf({ agent, client, issuer }: Credentials, address?: string): Subscriber {
  return {
    webId: agent?.webId,
    clientId: client?.clientId,
    issuer: issuer?.url,
    address: address === undefined ? undefined : hash('sha256', address, 'base64url'),
  };
}

/** Returns the credentials of a subscriber, as in its request. */
export function credentialsOf({ webId, clientId, issuer }: Subscriber): Credentials {
  return {
    ...webId === undefined ? {} : { agent: { webId }},
    ...clientId === undefined ? {} : { client: { clientId }},
    ...issuer === undefined ? {} : { issuer: { url: issuer }},
  };
}
