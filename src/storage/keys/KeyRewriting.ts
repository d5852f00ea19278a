import { openKey, sealKey } from '../audit/AuditKeys';
import type { AuditChain } from '../audit/AuditChain';
import type { OpenDatabase } from '../database/engine';
import type { Database } from '../schema';
import { numberPlace } from '../stores/SqlCitizenStore';
import type { KeyRing } from './KeyRing';
import { isClearIn, openJson, planReference, planRequestPlace, planZonePlace, sealJson } from './planSeals';
import { secretPlace } from './ServerSecrets';
import type { Vault } from './Vault';

/** Rows rewritten in one transaction. */
const batchSize = 200;

/** Dependencies of {@link KeyRewriting}. */
export interface KeyRewritingOptions {
  database: OpenDatabase;
  keys: Pick<KeyRing, 'refresh'>;
  vault: Vault;
  chain: AuditChain;
}

/** Rewrites rows under the current secrets, in batches, while servers run. */
export class KeyRewriting {
  public constructor(private readonly options: KeyRewritingOptions) {}

  /**
   * Rewrites all rows that are still under earlier secrets. Can be stopped at any moment; the next call continues.
   *
   * @returns The number of rows rewritten.
   */
  public async rewrite(): Promise<number> {
    await this.options.keys.refresh();
    const written = await this.rewriteCitizens() + await this.rewriteAuditKeys() + await this.rewriteServerSecrets() +
      await this.rewritePlanRequests() + await this.rewritePlanZones();
    // The MAC of the end of the audit chain uses the blind index key, too.
    await this.options.database.db.transaction().execute(async(trx): Promise<void> =>
      this.options.chain.change(trx, []));
    return written;
  }

  /**
   * Seals plan requests and settings of zones that an earlier version stored unencrypted, which migrations cannot do
   * without keys. Can be stopped at any moment, and run by several processes at once.
   */
  public async sealClear(): Promise<void> {
    await this.rewritePlanRequests(true);
    await this.rewritePlanZones(true);
  }

  private async rewriteCitizens(): Promise<number> {
    return this.inBatches(async(trx, after): Promise<Batch> => {
      const { vault } = this.options;
      const rows = await trx.selectFrom('citizens').selectAll()
        .where('id', '>', after).orderBy('id').limit(batchSize)
        .execute();
      let written = 0;
      for (const { id, numberIndex, numberSealed } of rows) {
        const number = await vault.decrypt(trx, numberPlace(id), numberSealed);
        const index = vault.blindIndex('citizen-number', number.toString());
        if (index !== numberIndex || !vault.isCurrent(numberSealed)) {
          const sealed = vault.encrypt(numberPlace(id), number);
          await trx.updateTable('citizens').set({ numberIndex: index, numberSealed: sealed })
            .where('id', '=', id)
            // Unless another number was linked meanwhile, which is under the current secrets.
            .where('numberSealed', '=', numberSealed)
            .execute();
          written += 1;
        }
      }
      return { last: rows.at(-1)?.id, written };
    });
  }

  private async rewriteAuditKeys(): Promise<number> {
    return this.inBatches(async(trx, after): Promise<Batch> => {
      const { vault } = this.options;
      const rows = await trx.selectFrom('auditKeys')
        .innerJoin('auditSubjects', 'auditSubjects.keyId', 'auditKeys.id')
        .select([ 'auditKeys.id', 'auditKeys.wrapped', 'auditSubjects.citizenId' ])
        .where('auditKeys.id', '>', after).orderBy('auditKeys.id').limit(batchSize)
        .execute();
      let written = 0;
      for (const { id, wrapped, citizenId } of rows) {
        const { secret, isBound } = await openKey(vault, trx, id, wrapped, citizenId);
        if (!isBound || !vault.isCurrent(wrapped)) {
          await trx.updateTable('auditKeys').set({ wrapped: sealKey(vault, id, secret, citizenId) })
            .where('id', '=', id)
            .execute();
          written += 1;
        }
      }
      return { last: rows.at(-1)?.id, written };
    });
  }

  private async rewriteServerSecrets(): Promise<number> {
    return this.inBatches(async(trx, after): Promise<Batch> => {
      const { vault } = this.options;
      const rows = await trx.selectFrom('serverSecrets').selectAll().where('id', '>', after).orderBy('id')
        .limit(batchSize)
        .execute();
      let written = 0;
      for (const { id, sealed } of rows.filter((row): boolean => !vault.isCurrent(row.sealed))) {
        const secret = await vault.decrypt(trx, secretPlace(id), sealed);
        await trx.updateTable('serverSecrets').set({ sealed: vault.encrypt(secretPlace(id), secret) })
          .where('id', '=', id)
          .execute();
        written += 1;
      }
      return { last: rows.at(-1)?.id, written };
    });
  }

  private async rewritePlanRequests(clearOnly = false): Promise<number> {
    return this.inBatches(async(trx, after): Promise<Batch> => {
      const { vault } = this.options;
      const page = trx.selectFrom('planRequests').select([ 'id', 'content', 'reference' ]).where('id', '>', after);
      const rows = await (clearOnly ? page.where(isClearIn('content')) : page).orderBy('id').limit(batchSize).execute();
      let written = 0;
      for (const { content, id, reference } of rows) {
        const opened = await openJson<{ reference: string }>(vault, trx, planRequestPlace(id), content);
        const index = planReference(vault, opened.reference);
        if (index !== reference || !vault.isCurrent(content)) {
          await trx.updateTable('planRequests')
            .set({ content: sealJson(vault, planRequestPlace(id), opened), reference: index })
            .where('id', '=', id)
            .execute();
          await trx.updateTable('planRequestZones').set({ reference: index }).where('requestId', '=', id).execute();
          written += 1;
        }
      }
      return { last: rows.at(-1)?.id, written };
    });
  }

  private async rewritePlanZones(clearOnly = false): Promise<number> {
    return this.inBatches(async(trx, after): Promise<Batch> => {
      const { vault } = this.options;
      const page = trx.selectFrom('planUnaZones').select([ 'id', 'settings' ]).where('id', '>', after);
      const rows = await (clearOnly ? page.where(isClearIn('settings')) : page).orderBy('id').limit(batchSize)
        .execute();
      let written = 0;
      for (const { id, settings } of rows.filter((row): boolean => !vault.isCurrent(row.settings))) {
        const opened = await openJson(vault, trx, planZonePlace(id), settings);
        await trx.updateTable('planUnaZones').set({ settings: sealJson(vault, planZonePlace(id), opened) })
          .where('id', '=', id)
          // Unless the settings were replaced meanwhile, which are under the current secret.
          .where('settings', '=', settings)
          .execute();
        written += 1;
      }
      return { last: rows.at(-1)?.id, written };
    });
  }

  private async inBatches(rewrite: (trx: Database, after: string) => Promise<Batch>): Promise<number> {
    let written = 0;
    let last: string | undefined = '';
    while (last !== undefined) {
      const after: string = last;
      const batch: Batch = await this.options.database.db.transaction().execute(async(trx): Promise<Batch> => {
        await this.options.vault.lock(trx);
        return rewrite(trx, after);
      });
      ({ last } = batch);
      written += batch.written;
    }
    return written;
  }
}

interface Batch {
  /** The last row checked; absent when there was none. */
  last?: string;
  written: number;
}
