import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { AuditLog } from '../../audit/AuditLog';
import { Refused } from '../../operations/Refused';
import { makeEventKey } from './EventKeys';
import { publishedSeconds } from './KeyFiles';
import type { NewServerSecret, ServerSecretsOptions } from './ServerSecrets';
import { recordServerSecret } from './ServerSecrets';

/** Seconds for which a key of the identity provider is kept when another one is in use: longer than tokens are good. */
const supersededSeconds = 24 * 3600;

/** Name of the keys of the server's identity provider, which have no file. */
export const providerKind = 'identity-provider';

/** Name of the keys of pushed events, which have no file. */
export const eventsKind = 'events';

/** Dependencies of {@link ServerSecretRotation}. */
export interface ServerSecretRotationOptions extends ServerSecretsOptions {
  audit: Pick<AuditLog, 'append'>;
}

/** Replaces keys that are in the records and have no file, while servers serve. */
export class ServerSecretRotation {
  public constructor(private readonly options: ServerSecretRotationOptions) {}

  /**
   * Replaces the keys that the server's identity provider signs tokens and cookies with. They are published at once and
   * in use as soon as nobody can have an older copy of the key document; the ones before verify for a day.
   *
   * @throws Refused before the first start of a server, which takes over or makes the first ones.
   */
  public async rotateProvider(operator: string): Promise<void> {
    await this.replaceServerSecrets(providerKind, [
      { name: 'signing', secret: Buffer.from(JSON.stringify(makeTokenKey())) },
      { name: 'cookies', secret: Buffer.from(randomBytes(64).toString('hex')) },
    ], operator);
  }

  /**
   * Replaces the key that pushed events are signed with. The new one is published and signs at once; the one before
   * signs too, until the next time that is a day later.
   *
   * @throws Refused before the first event is pushed, which makes the first one.
   */
  public async rotateEvents(operator: string): Promise<void> {
    await this.replaceServerSecrets(eventsKind, [{ name: 'events', secret: makeEventKey() }], operator);
  }

  private async replaceServerSecrets(
    kind: string,
    secrets: readonly Omit<NewServerSecret, 'activeFrom'>[],
    operator: string,
  ): Promise<void> {
    const { audit, clock, database: { db }} = this.options;
    const now = clock().getTime();
    const activeFrom = now + (publishedSeconds * 1000);
    const made = secrets.map((secret): NewServerSecret => ({ ...secret, activeFrom }));
    await db.transaction().execute(async(trx): Promise<void> => {
      for (const secret of made) {
        const last = await trx.selectFrom('serverSecrets').selectAll()
          .where('name', '=', secret.name).where('activeFrom', '<=', now)
          .orderBy('activeFrom', 'desc')
          .executeTakeFirst();
        if (!last) {
          throw new Refused(`There are no keys of ${kind} yet: start the server once.`);
        }
        if (last.activeFrom < now - (supersededSeconds * 1000)) {
          await trx.deleteFrom('serverSecrets')
            .where('name', '=', secret.name).where('activeFrom', '<', last.activeFrom)
            .execute();
        }
        await recordServerSecret(trx, this.options, secret);
      }
    });
    const facts = { file: kind };
    await audit.append({ type: 'key.rotated', at: clock(), facts, personal: { operator }});
  }
}

/** As the server makes its first one. */
function makeTokenKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256' };
}
