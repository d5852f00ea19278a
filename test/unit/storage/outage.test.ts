/* eslint-disable jest/no-standalone-expect -- of tests that are skipped where there is no database */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOutage } from '../../../src/http/outage';
import type { OpenRecords } from '../../../src/storage/openRecords';
import { openRecords } from '../../../src/storage/openRecords';
import { makeSchema } from '../../support/recordsSql';
import type { PostgresSchema } from '../../support/recordsSql';
import { logged, nationalNumber, now } from './places';

/** A way to a database that can be cut. */
class Wire {
  private readonly sockets = new Set<Socket>();
  private server?: Server;
  private port = 0;

  public constructor(private readonly target: URL) {}

  public async mend(): Promise<void> {
    this.server = createServer((near): void => this.carry(near)).listen(this.port, 'localhost');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  public async cut(): Promise<void> {
    const closed = once(this.server!, 'close');
    this.server!.close();
    for (const socket of this.sockets) {
      socket.destroy();
    }
    await closed;
  }

  public get url(): string {
    const url = new URL(this.target);
    url.hostname = 'localhost';
    url.port = String(this.port);
    return url.href;
  }

  private carry(near: Socket): void {
    const far = connect(Number(this.target.port || 5432), this.target.hostname);
    for (const [ socket, other ] of [[ near, far ], [ far, near ]]) {
      this.sockets.add(socket);
      socket.pipe(other);
      socket.on('error', (): unknown => other.destroy());
      socket.on('close', (): void => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

const database = process.env.DATABASE_URL;
const test = database ? it : it.skip;

describe('Records on PostgreSQL (skipped when DATABASE_URL is not set)', (): void => {
  let schema: PostgresSchema | undefined;
  let folder: string | undefined;
  let wire: Wire;
  let open: OpenRecords;

  beforeAll(async(): Promise<void> => {
    if (database) {
      folder = await mkdtemp(join(tmpdir(), 'outage-'));
      schema = await makeSchema(database, `outage_${randomUUID().replaceAll('-', '')}`);
      wire = new Wire(new URL(schema.url));
      await wire.mend();
      open = await openRecords({
        records: wire.url,
        keys: join(folder, 'keys'),
        clock: (): Date => now,
        newId: randomUUID,
        logger: { debug: note, error: note, info: note, warn: note },
      });
    }
  });

  afterAll(async(): Promise<void> => {
    await open?.close();
    await wire?.cut();
    await schema?.drop();
    if (folder) {
      await rm(folder, { recursive: true });
    }
  });

  async function read(): Promise<unknown> {
    return open.records.citizens.findByNationalNumber(nationalNumber(1));
  }

  async function write(): Promise<void> {
    await open.records.transaction(async(stores): Promise<void> =>
      stores.audit.append({ type: 'data.shared', at: now }));
  }

  test('say that they cannot be reached, and go on when they can.', async(): Promise<void> => {
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

  test('undo a transaction whose connection is lost.', async(): Promise<void> => {
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
