import { createHmac, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Keys that a push is signed with. */
export interface WebhookKeys {
  /** Ed25519 private keys: each signs, so that whoever knows one of them can verify. All are published. */
  signing: () => Promise<KeyObject[]>;
  /**
   * The secret that the data user shares with this server, for libraries that know no other signature: 32 bytes.
   *
   * @param subscription - Its id.
   */
  secret: (subscription: string) => Promise<Buffer>;
}

/** The secret as libraries of Standard Webhooks take it. */
export function writeSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/**
 * Headers of a push, with a signature by each key.
 *
 * @param id - Of the event: the same at each attempt.
 * @param body - As it is sent.
 * @param keys - Sign it, each in its way.
 * @param keys.privateKeys - Ed25519, of this server: more than one while the key is replaced.
 * @param keys.secret - Shared with the data user.
 * @param now - Moment of this attempt.
 *
 * @see [Standard Webhooks](https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme)
 */
export function webhookHeaders(
  id: string,
  body: string,
  keys: { privateKeys: readonly KeyObject[]; secret: Buffer },
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  const shared = createHmac('sha256', keys.secret).update(signed).digest('base64');
  const asymmetric = keys.privateKeys.map((key): string => `v1a,${sign(null, signed, key).toString('base64')}`);
  return {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [ `v1,${shared}`, ...asymmetric ].join(' '),
  };
}
