import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { AuditEventType, AuditLog } from '../../audit/AuditLog';
import type { Clock, NewId } from '../../platform/clock';
import type { SecretName } from '../../credentials/KeyStore';
import { Refused } from '../../operations/Refused';
import { openKey, sealKey } from '../audit/AuditKeys';
import type { AuditChain } from '../audit/AuditChain';
import type { OpenDatabase } from '../database/engine';
import type { Database } from '../schema';
import { numberPlace } from '../stores/SqlCitizenStore';
import { codeOf } from '../../platform/errors';
import type { KeyKind, SecretFileName } from './FileKeyStore';
import { FileKeyStore, isSecretKind, kindOf, makeKeyFile } from './FileKeyStore';
import type { KeyRing } from './KeyRing';
import { makeEventKey } from './EventKeys';
import { isClearIn, openJson, planReference, planRequestPlace, planZonePlace, sealJson } from './planSeals';
import type { NewServerSecret, ServerSecretName } from './ServerSecrets';
import { recordServerSecret, secretPlace } from './ServerSecrets';
import type { Vault } from './Vault';

/** Seconds for which a new signing key is published before it signs: longer than key documents may be kept. */
const publishedSeconds = 120;

/** Seconds for which a key of the identity provider is kept when another one is in use: longer than tokens are good. */
const supersededSeconds = 24 * 3600;

/** Name of the keys of the server's identity provider, which have no file. */
export const providerKind = 'identity-provider';

/** Name of the keys of pushed events, which have no file. */
export const eventsKind = 'events';

/** Seconds for which wrong business keys count: as long their blind index must be readable. */
const guessSeconds = 24 * 3600;

/** Rows that are written again in one transaction. */
const batchSize = 200;

/** How long is waited for those who write under the secrets in use. */
const lockPauseMs = 20;
const maxLockAttempts = 500;

/** A key, without anything secret. */
export interface KeyState {
  file: string;
  kind: KeyKind;
  /** Present uses: secrets may only be read with, and signing keys verify in any case. */
  inUse: string[];
  addedAt: Date;
  /** For a signing key that is only published as yet. */
  signsFrom?: Date;
}

/** Parts and settings of {@link KeyRotation}. */
export interface KeyRotationOptions {
  database: OpenDatabase;
  keys: KeyRing;
  vault: Vault;
  chain: AuditChain;
  audit: Pick<AuditLog, 'append'>;
  folder: string;
  clock: Clock;
  newId: NewId;
}

/**
 * Replaces keys while servers serve.
 *
 * A secret goes through: added (every process can read with it), put to use (what is written is written under it; waits
 * for transactions that write under the one before), and all rows written again under it, in batches. Each step can be
 * repeated, and a crash between two rows loses nothing: rows under both secrets are found and read for as long as the
 * earlier one is not retired.
 *
 * A signing key is published at once, and signs as soon as nobody can have an older copy of the key document.
 */
export class KeyRotation {
  public constructor(private readonly options: KeyRotationOptions) {}

  /** Makes a key file and nothing more: to be copied to the other machines before it is put to use. */
  public async make(kind: KeyKind): Promise<string> {
    return makeKeyFile(kind, this.options);
  }

  /**
   * Puts a key to use.
   *
   * @param kind - What for.
   * @param file - Name of its file in the folder; one is made when it is absent.
   * @param operator - Who does it.
   *
   * @throws Refused when there is no such file, or it was used before.
   */
  public async rotate(kind: KeyKind, file: string | undefined, operator: string): Promise<string> {
    const name = file ?? await this.make(kind);
    await this.add(kind, name);
    await this.options.keys.refresh();
    if (isSecretKind(kind)) {
      await this.use([ kind ], name);
    }
    await this.record('key.rotated', name, operator);
    return name;
  }

  /**
   * Replaces the keys that the server's identity provider signs tokens and cookies with. They are published at once and
   * in use as soon as nobody can have an older copy of the key document; the ones before verify for a day.
   *
   * @throws Refused before the first start of a server, which takes over or makes the first ones.
   */
  public async rotateProvider(operator: string): Promise<void> {
    await this.replaceServerSecrets(providerKind, {
      signing: Buffer.from(JSON.stringify(makeTokenKey())),
      cookies: Buffer.from(randomBytes(64).toString('hex')),
    }, operator);
  }

  /**
   * Replaces the key that pushed events are signed with. The new one is published and signs at once; the one before
   * signs too, until the next time that is a day later.
   *
   * @throws Refused before the first event is pushed, which makes the first one.
   */
  public async rotateEvents(operator: string): Promise<void> {
    await this.replaceServerSecrets(eventsKind, { events: makeEventKey() }, operator);
  }

  private async replaceServerSecrets(
    kind: string,
    secrets: Partial<Record<ServerSecretName, Buffer>>,
    operator: string,
  ): Promise<void> {
    const { clock, database: { db }} = this.options;
    const now = clock().getTime();
    const activeFrom = now + (publishedSeconds * 1000);
    const made = Object.entries(secrets).map(([ name, secret ]): NewServerSecret =>
      ({ name: name as ServerSecretName, secret, activeFrom }));
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
    await this.record('key.rotated', kind, operator);
  }

  /**
   * Writes again, under the secrets in use, what is still under earlier ones. May be stopped at any moment, and goes on
   * where it was when it is called again.
   *
   * @returns How many rows it wrote.
   */
  public async rewrite(): Promise<number> {
    await this.options.keys.refresh();
    const written = await this.rewriteCitizens() + await this.rewriteAuditKeys() + await this.rewriteServerSecrets() +
      await this.rewritePlanRequests() + await this.rewritePlanZones();
    // The note of the end of the audit chain is under the blind index, too.
    await this.options.database.db.transaction().execute(async(trx): Promise<void> =>
      this.options.chain.change(trx, []));
    return written;
  }

  /**
   * Seals plan requests and settings of zones that an earlier version wrote in clear: migrations have no keys. May be
   * stopped at any moment, and run by several processes at once.
   */
  public async sealClear(): Promise<void> {
    await this.rewritePlanRequests(true);
    await this.rewritePlanZones(true);
  }

  /**
   * Forgets an earlier secret: nothing can be read with it any more. Short-lived tokens that were derived from it are
   * void as soon as a server has noticed.
   *
   * @throws Refused while it is in use, or anything is under it.
   */
  public async retire(file: string, operator: string): Promise<void> {
    const key = (await this.list()).find((one): boolean => one.file === file);
    if (!key) {
      throw new Refused('There is no such key.');
    }
    const { kind, inUse } = key;
    if (!isSecretKind(kind)) {
      throw new Refused('A signing key stays: what it signed is verified with it.');
    }
    if (inUse.includes(kind)) {
      throw new Refused(`${file} is in use: rotate ${kind} first.`);
    }
    await this.rewrite();
    await this.requireNoGuesses(kind);
    if (inUse.includes('tokens')) {
      await this.use([ 'tokens' ], this.options.keys.fileOf('encryption'));
    }
    await this.options.database.db.deleteFrom('keyFingerprints').where('file', '=', file).execute();
    await this.record('key.retired', file, operator);
  }

  /** All keys. */
  public async list(): Promise<KeyState[]> {
    const { db } = this.options.database;
    const current = await db.selectFrom('currentKeys').selectAll().execute();
    const rows = await db.selectFrom('keyFingerprints').selectAll().orderBy('recordedAt').orderBy('file').execute();
    await this.options.keys.refresh();
    const now = this.options.clock().getTime();
    return rows.map(({ file, recordedAt, signsFrom }): KeyState => {
      const kind = kindOf(file)!;
      const isSigning = (kind === 'grants' || kind === 'credentials') &&
        `${kind}-${this.options.keys.getSigningKeys(kind)[0]?.id}.jwk` === file;
      return {
        file,
        kind,
        inUse: isSigning ?
            [ kind ] :
            current.filter((row): boolean => row.file === file).map(({ name }): string => name),
        addedAt: new Date(recordedAt),
        ...signsFrom > now && { signsFrom: new Date(signsFrom) },
      };
    });
  }

  private async add(kind: KeyKind, file: string): Promise<void> {
    const { database: { db, engine }, folder, clock, newId } = this.options;
    if (kindOf(file) !== kind) {
      throw new Refused(`${file} is no name of a key file for ${kind}.`);
    }
    await db.transaction().execute(async(trx): Promise<void> => {
      await engine.lockStart?.(trx);
      const rows = await trx.selectFrom('keyFingerprints').select([ 'file', 'fingerprint' ]).execute();
      const known = new Map(rows.map((row): [string, string] => [ row.file, row.fingerprint ]));
      const fingerprint = (await FileKeyStore.open({ folder, known, clock, newId })).fingerprints().get(file);
      if (fingerprint === undefined) {
        throw new Refused(`There is no file ${file} in the folder of keys.`);
      }
      if (known.has(file)) {
        return;
      }
      const now = clock().getTime();
      const signsFrom = isSecretKind(kind) ? 0 : now + (publishedSeconds * 1000);
      await trx.insertInto('keyFingerprints').values({ file, fingerprint, recordedAt: now, signsFrom }).execute();
    });
  }

  /**
   * Waits by trying: to wait in the database for those who write would make others wait for this, and each of them
   * could wait for another.
   */
  private async use(names: SecretName[], file: string): Promise<void> {
    const { database: { db, engine }, clock } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await db.transaction().execute(async(trx): Promise<void> => {
          if (engine.rowLocks) {
            await trx.selectFrom('currentKeys').select('file').forUpdate().noWait().execute();
          }
          await trx.updateTable('currentKeys').set({ file, since: clock().getTime() })
            .where('name', 'in', names)
            .where('file', '<>', file)
            .execute();
        });
        await this.options.keys.refresh();
        return;
      } catch (error: unknown) {
        if (attempt === maxLockAttempts || codeOf(error) !== '55P03') {
          throw error;
        }
        await setTimeout(lockPauseMs);
      }
    }
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
            // Not when it was linked to another number meanwhile, which is under the secrets in use.
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
        const opened = await openJson(vault, trx, planRequestPlace(id), content) as { reference: string };
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
          // Not when they were replaced meanwhile: those are under the secret in use.
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

  /** The subject of a guess is known by its index only: it cannot be written again. */
  private async requireNoGuesses(secret: SecretFileName): Promise<void> {
    const { database: { db }, clock } = this.options;
    const { since } = await db.selectFrom('currentKeys').select('since').where('name', '=', secret)
      .executeTakeFirstOrThrow();
    const until = since + (guessSeconds * 1000);
    if (secret === 'blind-index' && clock().getTime() < until) {
      throw new Refused(`Wrong business keys are counted under it: it can be retired from ${
        new Date(until).toISOString()} on.`);
    }
  }

  private async record(type: AuditEventType, file: string, operator: string): Promise<void> {
    await this.options.audit.append({ type, at: this.options.clock(), facts: { file }, personal: { operator }});
  }
}

/** As the server makes its first one. */
function makeTokenKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256' };
}

interface Batch {
  /** The last row that was looked at; absent when there was none. */
  last?: string;
  written: number;
}
