import { randomBytes } from 'node:crypto';
import type { AuditChain } from '../audit/AuditChain';
import { makePrivateJwk } from '../../platform/makePrivateJwk';
import { Refused } from '../../operations/Refused';
import { makeEventKey } from './EventKeys';
import { publishedSeconds } from './KeyFiles';
import type { NewServerSecret, ServerSecretsOptions } from './ServerSecrets';
import { recordServerSecret } from './ServerSecrets';

/** Seconds for which a replaced key of the identity provider is kept: longer than its tokens are valid. */
const supersededSeconds = 24 * 3600;

/** Kind of the keys of the server's identity provider, which have no file. */
export const providerKind = 'identity-provider';

/** Kind of the keys of pushed events, which have no file. */
export const eventsKind = 'events';

/** Dependencies of {@link ServerSecretRotation}. */
export interface ServerSecretRotationOptions extends ServerSecretsOptions {
  chain: Pick<AuditChain, 'change'>;
}

/** Replaces keys that are in the records and have no file, while servers run. */
export class ServerSecretRotation {
  public constructor(private readonly options: ServerSecretRotationOptions) {}

  /**
   * Replaces the keys by which the server's identity provider signs tokens and cookies. The new ones are published at
   * once, and used as soon as no cached copy of the key document can be older; the earlier ones verify for another day.
   *
   * @throws Refused before a server has started once, which imports or makes the first ones.
   */
  public async rotateProvider(operator: string): Promise<void> {
    await this.replaceServerSecrets(providerKind, [
      { name: 'signing', secret: tokenKey('P-256', 'ES256') },
      { name: 'signing-rs256', secret: tokenKey('RSA', 'RS256') },
      { name: 'cookies', secret: Buffer.from(randomBytes(64).toString('hex')) },
    ], operator);
  }

  /**
   * Replaces the key that signs pushed events. The new one is published and signs at once; the earlier one signs too,
   * until the first rotation more than a day later.
   *
   * @throws Refused before the first event is pushed, which makes the first key.
   */
  public async rotateEvents(operator: string): Promise<void> {
    await this.replaceServerSecrets(eventsKind, [{ name: 'events', secret: makeEventKey() }], operator);
  }

  private async replaceServerSecrets(
    kind: string,
    secrets: readonly Omit<NewServerSecret, 'activeFrom'>[],
    operator: string,
  ): Promise<void> {
    const { chain, clock, database: { db }} = this.options;
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
      const facts = { file: kind };
      await chain.change(trx, [{ append: { type: 'key.rotated', at: clock(), facts, personal: { operator }}}]);
    });
  }
}

/** Makes a key like the server's own first one. */
function tokenKey(kind: Parameters<typeof makePrivateJwk>[0], alg: string): Buffer {
  return Buffer.from(JSON.stringify({ ...makePrivateJwk(kind), alg }));
}
