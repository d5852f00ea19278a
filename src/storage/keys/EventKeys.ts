import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { deriveKey } from '../../platform/deriveKey';
import type { WebhookKeys } from '../../events/webhook';
import type { ServerSecrets } from './ServerSecrets';

/** Makes a private key that signs pushed events, in its stored form. */
export function makeEventKey(): Buffer {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' });
}

/** Keys that sign pushed events: secrets in the records, the same for every node. */
export class EventKeys implements WebhookKeys {
  /** Keys already parsed: parsing takes as long as signing. */
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
    return deriveKey(secret, 'webhook secret', subscription);
  }
}
