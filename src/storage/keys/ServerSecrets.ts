import { randomBytes } from 'node:crypto';
import type { Clock, NewId } from '../../platform/clock';
import type { OpenDatabase } from '../database/engine';
import type { Database, ServerSecretTable } from '../schema';
import { ValueSeals } from './ValueSeals';
import type { Vault } from './Vault';

/**
 * Purposes of secrets of Community Solid Server: tokens and cookies of its identity provider, ID tokens of clients that
 * want RS256, its own values, and signatures of pushed events.
 */
export type ServerSecretName = 'cookies' | 'events' | 'signing' | 'signing-rs256' | 'values' | 'webhooks';

/** Names the row of a secret, to which it is sealed. */
export function secretPlace(id: string): string {
  return `server_secrets/${id}`;
}

/** Dependencies of {@link ServerSecrets}. */
export interface ServerSecretsOptions {
  database: OpenDatabase;
  vault: Vault;
  clock: Clock;
  newId: NewId;
}

/** A secret to record. */
export interface NewServerSecret {
  name: ServerSecretName;
  secret: Buffer;
  /** In milliseconds: every process knows the secret at once, and uses it from this moment on. */
  activeFrom: number;
}

/** Records a secret of the server, sealed under the secret `encryption`. */
export async function recordServerSecret(
  trx: Database,
  { clock, newId, vault }: Omit<ServerSecretsOptions, 'database'>,
  { name, secret, activeFrom }: NewServerSecret,
): Promise<void> {
  await vault.lock(trx);
  const id = newId();
  const sealed = vault.encrypt(secretPlace(id), secret);
  await trx.insertInto('serverSecrets')
    .values({ id, name, sealed, recordedAt: clock().getTime(), activeFrom, settledAt: null })
    .execute();
}

/**
 * Secrets of Community Solid Server, in the records and sealed under the secret `encryption`: a copy of records and
 * pods without `--keys` reveals none of them. Every process and node reads the same ones.
 */
export class ServerSecrets {
  private rows?: ServerSecretTable[];
  private readonly opened = new Map<string, Buffer>();
  private seals?: Promise<ValueSeals>;
  private order = '';

  public constructor(private readonly options: ServerSecretsOptions) {}

  /**
   * Returns the secrets of a purpose, the one in use first; when there are none, one is recorded.
   *
   * @param name - Purpose.
   * @param first - Makes the first one. Only one of several processes calls it.
   */
  public async get(name: ServerSecretName, first: () => Promise<Buffer>): Promise<Buffer[]> {
    let rows = await this.known();
    if (!rows.some((row): boolean => row.name === name)) {
      await this.recordFirst(name, first);
      rows = await this.read();
    }
    return Promise.all(this.inOrder(rows, name).map(async(row): Promise<Buffer> => this.open(row)));
  }

  /** Returns the seals of the server's own values. */
  public async valueSeals(): Promise<ValueSeals> {
    this.seals ??= this.get('values', async(): Promise<Buffer> => randomBytes(32))
      .then(([ secret ]): ValueSeals => new ValueSeals(secret));
    return this.seals;
  }

  /**
   * Reloads the secrets from the records.
   *
   * @returns True when there are new ones since the last call, or another one is in use.
   */
  public async refresh(): Promise<boolean> {
    const rows = await this.read();
    const before = this.order;
    this.order = ([ 'cookies', 'signing', 'signing-rs256', 'values' ] satisfies ServerSecretName[])
      .flatMap((name): string[] => this.inOrder(rows, name).map(({ id }): string => id))
      .join(' ');
    return before !== this.order;
  }

  /** Checks whether neither a secret nor anything that it protects is still stored unencrypted. */
  public async isSettled(name: ServerSecretName): Promise<boolean> {
    return (await this.known()).some((row): boolean => row.name === name && row.settledAt !== null);
  }

  /** Records that neither a secret nor anything that it protects is still stored unencrypted. */
  public async settle(name: ServerSecretName): Promise<void> {
    const { clock, database: { db }} = this.options;
    await db.updateTable('serverSecrets').set({ settledAt: clock().getTime() })
      .where('name', '=', name)
      .where('settledAt', 'is', null)
      .execute();
    await this.read();
  }

  private async recordFirst(name: ServerSecretName, first: () => Promise<Buffer>): Promise<void> {
    const { database: { db, engine }} = this.options;
    await db.transaction().execute(async(trx): Promise<void> => {
      await engine.lockStart?.(trx);
      const known = await trx.selectFrom('serverSecrets').select('id').where('name', '=', name).executeTakeFirst();
      if (!known) {
        await recordServerSecret(trx, this.options, { name, secret: await first(), activeFrom: 0 });
      }
    });
  }

  private async known(): Promise<ServerSecretTable[]> {
    return this.rows ?? this.read();
  }

  private async read(): Promise<ServerSecretTable[]> {
    const rows = await this.options.database.db.selectFrom('serverSecrets').selectAll()
      .orderBy('activeFrom', 'desc').orderBy('recordedAt', 'desc').orderBy('id')
      .execute();
    this.rows = rows;
    return rows;
  }

  private inOrder(all: ServerSecretTable[], name: ServerSecretName): ServerSecretTable[] {
    const now = this.options.clock().getTime();
    const rows = all.filter((row): boolean => row.name === name);
    return [
      ...rows.filter(({ activeFrom }): boolean => activeFrom <= now),
      ...rows.filter(({ activeFrom }): boolean => activeFrom > now),
    ];
  }

  private async open({ id, sealed }: ServerSecretTable): Promise<Buffer> {
    let secret = this.opened.get(id);
    if (!secret) {
      const { database: { db }, vault } = this.options;
      secret = await vault.decrypt(db, secretPlace(id), sealed);
      this.opened.set(id, secret);
    }
    return secret;
  }
}
