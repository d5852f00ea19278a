import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { isOutage } from '../../../../src/platform/outage';
import type { OpenRecords } from '../../../../src/storage/openRecords';
import { PostgresWaits } from '../../../../src/storage/database/PostgresWaits';
import { openRecordsOf } from '../../../support/openRecordsOf';
import { databaseUrl } from '../../../support/postgres';
import { makeSchema } from '../../../support/recordsSql';
import type { PostgresSchema } from '../../../support/recordsSql';
import { Wire } from '../../../support/Wire';
import { citizenNumber, logged, now } from '../places';

describe('Records on PostgreSQL', (): void => {
  let schema: PostgresSchema;
  let folder: string;
  let wire: Wire;
  let open: OpenRecords;

  beforeAll(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'outage-'));
    schema = await makeSchema(databaseUrl!, `outage_${randomUUID().replaceAll('-', '')}`);
    wire = new Wire(new URL(schema.url), 5432);
    await wire.mend();
    const logger = { debug: note, error: note, info: note, warn: note };
    open = await openRecordsOf(folder, { records: wire.url, clock: (): Date => now, logger });
  });

  afterAll(async(): Promise<void> => {
    await open?.close();
    await wire?.cut();
    await schema.drop();
    await rm(folder, { recursive: true });
  });

  async function read(): Promise<unknown> {
    return open.records.citizens.findByNationalNumber(citizenNumber(1));
  }

  async function write(): Promise<void> {
    await open.records.transaction(async(stores): Promise<void> =>
      stores.audit.append({ type: 'data.shared', at: now }));
  }

  it('report that they cannot be reached, and recover when they can.', async(): Promise<void> => {
    await write();
    await wire.cut();
    for (const work of [ read, write, read, write ]) {
      await expect(work().then((): undefined => undefined, isOutage)).resolves.toBe(true);
    }
    await wire.mend();
    await expect(read()).resolves.toBeUndefined();
    await write();
    await expect(open.records.audit.verify()).resolves.toEqual([]);
  });

  it('do not wait for ever for a server that does not respond.', async(): Promise<void> => {
    const pool = new Pool({ connectionString: wire.url });
    const waits = new PostgresWaits(1000);
    pool.on('connect', (client): void => {
      client.on('error', (): undefined => undefined);
    });
    try {
      const client = await pool.connect();
      // No other connection has to be ready within a second, on whatever machine.
      waits.watch(client);
      await expect(waits.unboundedly(async(): Promise<{ rows: unknown[] }> =>
        client.query('select pg_sleep(1.2), 1 as one'))).resolves.toMatchObject({ rows: [{ one: 1 }]});
      wire.stall();
      await expect(client.query('select 1').then((): undefined => undefined, isOutage)).resolves.toBe(true);
      await expect(client.query('rollback').then((): undefined => undefined, isOutage)).resolves.toBe(true);
      client.release();
      await wire.mend();
      await expect(pool.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }]});
    } finally {
      await pool.end();
    }
  });

  it('undo a transaction whose connection is lost.', async(): Promise<void> => {
    const lost = open.records.transaction(async(stores): Promise<void> => {
      await stores.contractUses.recordFirstUse('of a lost transaction', 'digest', now);
      await wire.cut();
      await stores.contractUses.recordFirstUse('another', 'digest', now);
    });
    await expect(lost.then((): undefined => undefined, isOutage)).resolves.toBe(true);
    await wire.mend();
    await expect(open.records.contractUses.list()).resolves.toEqual(new Map());
  });
});

function note(message: string): void {
  logged.push(message);
}
