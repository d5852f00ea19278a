import { createPrivateKey, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { WebhookKeys } from '../../events/webhook';
import type { ServerSecrets } from './ServerSecrets';

/** A new private key that pushes are signed with, as it is recorded. */
export function makeEventKey(): Buffer {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' });
}

/** Keys of pushed events, among the secrets in the records: every node has the same ones. */
export class EventKeys implements WebhookKeys {
  /** Reading a key takes as long as signing with it. */
  private readonly read = new WeakMap<Buffer, KeyObject>();

  public constructor(private readonly secrets: Pick<ServerSecrets, 'get'>) {}

  public async signing(): Promise<KeyObject[]> {
    const keys = await this.secrets.get('events', async(): Promise<Buffer> => makeEventKey());
    return keys.map((key): KeyObject => {
      const read = this.read.get(key) ?? createPrivateKey({ key, type: 'pkcs8', format: 'der' });
      this.read.set(key, read);
      return read;
    });
  }

  public async secret(subscription: string): Promise<Buffer> {
    const [ secret ] = await this.secrets.get('webhooks', async(): Promise<Buffer> => randomBytes(32));
    return Buffer.from(hkdfSync('sha256', secret, subscription, 'webhook secret', 32));
  }
}
