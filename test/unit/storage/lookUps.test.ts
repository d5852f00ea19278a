import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openDatabase } from '../../../src/storage/engine';
import type { OpenRecords } from '../../../src/storage/openRecords';
import { openRecords } from '../../../src/storage/openRecords';
import { removeFolder, temporaryFolder } from '../../support/world';

const podUrl = 'https://pods.example/alice/';
const alice = 'https://pods.example/alice/profile/card#me';
const bob = 'https://pods.example/bob/profile/card#me';

describe('Look-ups outside of transactions', (): void => {
  let folder: string;
  let here: OpenRecords;
  /** As another process has them. */
  let elsewhere: OpenRecords;

  async function open(): Promise<OpenRecords> {
    return openRecords({
      records: join(folder, 'records.sqlite'),
      keys: join(folder, 'keys'),
      clock: (): Date => new Date(),
      newId: randomUUID,
      logger: { error: refuse, warn: refuse, info: refuse, debug: refuse },
    });
  }

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    here = await open();
    elsewhere = await open();
  });

  beforeEach(async(): Promise<void> => {
    await here.records.podOwners.set(podUrl, []);
  });

  afterAll(async(): Promise<void> => {
    await here.close();
    await elsewhere.close();
    await removeFolder(folder);
  });

  async function owns(webId: string, { records } = here): Promise<boolean> {
    return records.podOwners.isOwnerOfAny(webId, [ 'https://pods.example/', podUrl ]);
  }

  // Nothing of another process is learnt without an event: here the next turn of the event loop.
  it('see what was committed by any process.', async(): Promise<void> => {
    await expect(owns(alice)).resolves.toBe(false);
    await elsewhere.records.podOwners.set(podUrl, [ alice ]);
    await setImmediate();
    await expect(owns(alice)).resolves.toBe(true);
    await elsewhere.records.podOwners.set(podUrl, [ bob ]);
    await setImmediate();
    await expect(owns(alice)).resolves.toBe(false);
    await expect(owns(bob)).resolves.toBe(true);
  });

  it('see nothing of a transaction until it is committed, and nothing of one that fails.', async(): Promise<void> => {
    const failure = here.records.transaction(async({ podOwners }): Promise<void> => {
      await podOwners.set(podUrl, [ alice ]);
      await expect(podOwners.isOwnerOfAny(alice, [ podUrl ])).resolves.toBe(true);
      await expect(owns(alice)).resolves.toBe(false);
      throw new Error('as planned');
    });
    await expect(failure).rejects.toThrow('as planned');
    await expect(owns(alice)).resolves.toBe(false);
  });

  it('see what this process has just written, whatever else is read at that moment.', async(): Promise<void> => {
    const writing = new AbortController();
    async function readOn(): Promise<void> {
      while (!writing.signal.aborted) {
        await owns(bob);
      }
    }
    const others = readOn();
    for (let round = 0; round < 50; round += 1) {
      await here.records.podOwners.set(podUrl, round % 2 === 0 ? [ alice ] : []);
      await expect(owns(alice)).resolves.toBe(round % 2 === 0);
    }
    writing.abort();
    await others;
  });

  it('have no limit for whose every value SQLite makes a new plan.', async(): Promise<void> => {
    const { db } = await openDatabase(join(folder, 'plans.sqlite'));
    expect(db.selectFrom('podOwners').select('webId').limit(1).compile().sql).toMatch(/ limit \? \+ 0$/u);
    await db.destroy();
  });
});

function refuse(message: string): never {
  throw new Error(message);
}
