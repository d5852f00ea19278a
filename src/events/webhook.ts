import { createHmac, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Keys for signing a push. */
export interface WebhookKeys {
  /**
   * Ed25519 private keys. Each signs, so that knowing one of the public keys is enough to verify. All are published.
   */
  signing: () => Promise<KeyObject[]>;
  /**
   * Returns the 32-byte secret shared with the data user, for libraries that support no other signature.
   *
   * @param subscription - Id of the subscription.
   */
  secret: (subscription: string) => Promise<Buffer>;
}

/** Returns the secret in the format of Standard Webhooks libraries. */
export function writeSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/**
 * Returns the headers of a push, with a signature by each key.
 *
 * @param id - Id of the event: the same at each attempt.
 * @param body - Body as sent.
 * @param keys - Signing keys.
 * @param keys.privateKeys - Ed25519 keys of this server: more than one while the key is being replaced.
 * @param keys.secret - Secret shared with the data user.
 * @param now - Time of this attempt.
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
