import type { AuditFinding } from '../../audit/chain';
import type { Vault } from '../keys/Vault';
import type { Database } from '../schema';
import { numberPlace } from '../stores/SqlCitizenStore';
import { openKey } from './AuditKeys';

/** Rows read at a time. */
const pageSize = 500;

/**
 * Finds rows that link a citizen to something of another citizen: the key of personal facts, which ties audit rows to a
 * citizen, or the index of a national number, which ties tokens to a citizen. Each is sealed together with the
 * citizen's id, which reveals a swap.
 *
 * @param most - Maximum findings.
 */
export async function checkBindings(db: Database, vault: Vault, most: number): Promise<AuditFinding[]> {
  const findings = await inPages(most, async(after): Promise<Page> => checkKeys(db, vault, after));
  return findings.length >= most ?
    findings :
      [ ...findings, ...await inPages(most, async(after): Promise<Page> => checkNumbers(db, vault, after)) ];
}

interface Page {
  /** The last row checked; absent when there was none. */
  last?: string;
  findings: AuditFinding[];
}

async function inPages(most: number, check: (after?: string) => Promise<Page>): Promise<AuditFinding[]> {
  const findings: AuditFinding[] = [];
  let page: Page = await check();
  findings.push(...page.findings);
  while (page.last !== undefined && findings.length < most) {
    page = await check(page.last);
    findings.push(...page.findings);
  }
  return findings;
}

async function checkKeys(db: Database, vault: Vault, after: string | undefined): Promise<Page> {
  let query = db.selectFrom('auditSubjects')
    .leftJoin('auditKeys', 'auditKeys.id', 'auditSubjects.keyId')
    .select([ 'auditSubjects.citizenId', 'auditSubjects.keyId', 'auditKeys.wrapped' ])
    .orderBy('auditSubjects.citizenId').limit(pageSize);
  if (after !== undefined) {
    query = query.where('auditSubjects.citizenId', '>', after);
  }
  const rows = await query.execute();
  const findings: AuditFinding[] = [];
  for (const { citizenId, keyId, wrapped } of rows) {
    // Erased citizens have no key.
    if (keyId !== null && !(wrapped !== null && await succeeds(openKey(vault, db, keyId, wrapped, citizenId)))) {
      const sequence = await firstRowUnder(db, keyId);
      findings.push({ sequence, problem: 'the key of the row belongs to somebody else' });
    }
  }
  return { last: rows.at(-1)?.citizenId, findings };
}

async function checkNumbers(db: Database, vault: Vault, after = ''): Promise<Page> {
  const rows = await db.selectFrom('citizens').select([ 'id', 'numberIndex', 'numberSealed' ])
    .where('id', '>', after).orderBy('id').limit(pageSize).execute();
  const findings: AuditFinding[] = [];
  for (const { id, numberIndex, numberSealed } of rows) {
    const number = await vault.decrypt(db, numberPlace(id), numberSealed).catch((): undefined => undefined);
    if (!number || !vault.blindIndexes('citizen-number', number.toString()).includes(numberIndex)) {
      findings.push({ sequence: 0, problem: 'the national number of a citizen leads to somebody else' });
    }
  }
  return { last: rows.at(-1)?.id, findings };
}

async function firstRowUnder(db: Database, keyId: string): Promise<number> {
  const row = await db.selectFrom('auditRows').select('sequence').where('keyId', '=', keyId)
    .orderBy('sequence').limit(1).executeTakeFirst();
  return row?.sequence ?? 0;
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch {
    return false;
  }
}
