import { randomBytes } from 'node:crypto';
import type { NewId } from '../../platform/clock';
import type { Database } from '../schema';
import { Statement } from '../database/Statement';
import type { Vault } from '../keys/Vault';

/** A key of personal facts. */
export interface AuditKey {
  /** Random: reveals nothing about the citizen once the row that links them is changed. */
  id: string;
  secret: Buffer;
  /** Absent for the service's own key. */
  citizenId?: string;
}

/** Takes the place of a citizen's id: the key for facts that are about no citizen. */
const service = '';

/** Citizens per query. */
const loadSize = 100;

// eslint-disable-next-line @typescript-eslint/explicit-function-return-type -- a query builder
function subjectsOf(db: Database, ...citizenIds: string[]) {
  return db.selectFrom('auditSubjects')
    .leftJoin('auditKeys', 'auditKeys.id', 'auditSubjects.keyId')
    .select([ 'auditSubjects.citizenId', 'auditSubjects.keyId', 'auditKeys.wrapped' ])
    .where('auditSubjects.citizenId', 'in', citizenIds);
}
const oneSubject = new Statement(subjectsOf);
const manySubjects = new Statement(subjectsOf);

/**
 * Keys of personal facts: one per citizen, made when first needed. They are stored wrapped under the encryption key;
 * the plain keys stay in memory for one transaction only.
 */
export class AuditKeys {
  private readonly bySubject = new Map<string, AuditKey | undefined>();
  private readonly byId = new Map<string, AuditKey | undefined>();

  public constructor(
    private readonly trx: Database,
    private readonly vault: Vault,
    private readonly newId: NewId,
  ) {}

  /** Loads the keys of many citizens with few queries. */
  public async loadAll(citizenIds: Iterable<string | undefined>): Promise<void> {
    const ids = [ ...new Set(citizenIds) ].map((id): string => id ?? service);
    for (let start = 0; start < ids.length; start += loadSize) {
      await this.load(ids.slice(start, start + loadSize));
    }
  }

  /** Returns the key for facts about a citizen, or about none; `undefined` when the citizen was forgotten. */
  public async forWriting(citizenId = service): Promise<AuditKey | undefined> {
    if (!this.bySubject.has(citizenId)) {
      this.bySubject.set(citizenId, await this.findOrMake(citizenId));
    }
    return this.bySubject.get(citizenId);
  }

  /** Finds the key for facts about a citizen; none once it is destroyed. */
  public async findFor(citizenId: string): Promise<AuditKey | undefined> {
    await this.load([ citizenId ]);
    return this.bySubject.get(citizenId);
  }

  /** Finds a key by id; none once it is destroyed. */
  public async forReading(id: string): Promise<AuditKey | undefined> {
    if (!this.byId.has(id)) {
      this.byId.set(id, await this.find(id));
    }
    return this.byId.get(id);
  }

  /** Destroys a citizen's key and its link to the citizen, for whom no key is ever made again. */
  public async destroy(citizenId: string): Promise<void> {
    const subject = await this.trx.selectFrom('auditSubjects').select('keyId').where('citizenId', '=', citizenId)
      .executeTakeFirst();
    if (subject?.keyId) {
      await this.trx.deleteFrom('auditKeys').where('id', '=', subject.keyId).execute();
      await this.trx.deleteFrom('activity').where('keyId', '=', subject.keyId).execute();
    }
    await this.trx.insertInto('auditSubjects').values({ citizenId, keyId: null })
      .onConflict(conflict => conflict.column('citizenId').doUpdateSet({ keyId: null }))
      .execute();
    this.bySubject.set(citizenId, undefined);
  }

  private async findOrMake(citizenId: string): Promise<AuditKey | undefined> {
    await this.load([ citizenId ]);
    return this.bySubject.has(citizenId) ? this.bySubject.get(citizenId) : this.make(citizenId);
  }

  /** Caches the keys on record for at most `loadSize` citizens. */
  private async load(citizenIds: string[]): Promise<void> {
    // Padded, so that the text of the query is always the same.
    const subjects = citizenIds.length === 1 ?
        await oneSubject.run(this.trx, citizenIds[0]) :
        await manySubjects.run(this.trx, ...citizenIds, ...repeated(citizenIds[0], loadSize - citizenIds.length));
    for (const { citizenId, keyId, wrapped } of subjects) {
      const isForgotten = keyId === null || wrapped === null;
      this.bySubject.set(citizenId, isForgotten ? undefined : await this.unwrap(keyId, wrapped, citizenId));
    }
  }

  private async make(citizenId: string): Promise<AuditKey> {
    const key = { id: this.newId(), secret: randomBytes(32), citizenId };
    const wrapped = sealKey(this.vault, key.id, key.secret, citizenId);
    await this.trx.insertInto('auditKeys').values({ id: key.id, wrapped }).execute();
    await this.trx.insertInto('auditSubjects').values({ citizenId, keyId: key.id }).execute();
    return key;
  }

  private async find(id: string): Promise<AuditKey | undefined> {
    const row = await this.trx.selectFrom('auditKeys')
      .innerJoin('auditSubjects', 'auditSubjects.keyId', 'auditKeys.id')
      .select([ 'auditKeys.wrapped', 'auditSubjects.citizenId' ])
      .where('auditKeys.id', '=', id)
      .executeTakeFirst();
    return row && await this.unwrap(id, row.wrapped, row.citizenId);
  }

  private async unwrap(id: string, wrapped: string, citizenId: string): Promise<AuditKey> {
    return {
      id,
      secret: (await openKey(this.vault, this.trx, id, wrapped, citizenId)).secret,
      citizenId: citizenId === service ? undefined : citizenId,
    };
  }
}

function repeated(text: string, times: number): string[] {
  return Array.from<string>({ length: times }).fill(text);
}

/** Wraps a key for one citizen: it does not open under the id of another. */
export function sealKey(vault: Vault, id: string, secret: Buffer, citizenId: string): string {
  return vault.encrypt(`${keyPlace(id)}/${citizenId}`, secret);
}

/**
 * Opens the key of a citizen. Keys wrapped by earlier versions are bound only to their own id, until `keys rewrite`
 * wraps them again.
 *
 * @throws Error when the key belongs to another citizen.
 */
export async function openKey(
  vault: Vault,
  db: Database,
  id: string,
  wrapped: string,
  citizenId: string,
): Promise<{ secret: Buffer; isBound: boolean }> {
  try {
    return { secret: await vault.decrypt(db, `${keyPlace(id)}/${citizenId}`, wrapped), isBound: true };
  } catch {
    return { secret: await vault.decrypt(db, keyPlace(id), wrapped), isBound: false };
  }
}

function keyPlace(id: string): string {
  return `audit_keys/${id}`;
}
