/* eslint-disable @typescript-eslint/explicit-function-return-type -- the type of the list of changes says it */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import type { AccessGrant } from '../../../../src/grants/AccessGrant';
import { NationalNumber } from '../../../../src/identity/NationalNumber';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import { CommittedReader } from '../../../../src/storage/database/CommittedReader';
import { openDatabase } from '../../../../src/storage/database/engine';
import type { OpenRecords } from '../../../../src/storage/openRecords';
import type { WebId } from '../../../../src/platform/webId';
import { parseWebId } from '../../../../src/platform/webId';
import { openRecordsOf } from '../../../support/openRecordsOf';
import { removeFolder, temporaryFolder } from '../../../support/world';

const podUrl = 'https://pods.example/alice/';
const alice = parseWebId('https://pods.example/alice/profile/card#me');
const bob = parseWebId('https://pods.example/bob/profile/card#me');
const carol = 'https://pods.example/carol/';
const createdAt = new Date('2026-11-21T12:00:00Z');
const grant: AccessGrant = {
  id: '8a3c9f5e-2f0a-4f0e-9d53-0b1d1c3f7a11',
  uri: 'https://pods.example/.access/vc/8a3c9f5e-2f0a-4f0e-9d53-0b1d1c3f7a11',
  kind: 'grant',
  subject: alice,
  recipient: bob,
  modes: [ 'Read' ],
  resources: [ `${podUrl}report` ],
  purposes: [],
  inherit: false,
  status: { listId: 'list', index: 7 },
  issuedAt: createdAt,
  document: '{}',
};

describe('Look-ups outside of transactions', (): void => {
  let folder: string;
  let here: OpenRecords;
  /** The records in another process. */
  let elsewhere: OpenRecords;

  async function open(): Promise<OpenRecords> {
    return openRecordsOf(folder, { logger: { error: refuse, warn: refuse, info: refuse, debug: refuse }});
  }

  /** Spy on the queries of readers. */
  const asked = jest.spyOn(CommittedReader.prototype, 'all');

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

  async function owns(webId: WebId, { records } = here): Promise<boolean> {
    return records.podOwners.isOwnerOfAny(webId, [ 'https://pods.example/', podUrl ]);
  }

  // Other processes are noticed only in an event: here the next turn of the event loop.
  it('see commits of any process.', async(): Promise<void> => {
    await expect(owns(alice)).resolves.toBe(false);
    await elsewhere.records.podOwners.set(podUrl, [ alice ]);
    await setImmediate();
    await expect(owns(alice)).resolves.toBe(true);
    await elsewhere.records.podOwners.set(podUrl, [ bob ]);
    await setImmediate();
    await expect(owns(alice)).resolves.toBe(false);
    await expect(owns(bob)).resolves.toBe(true);
  });

  it('see nothing of a transaction until it is committed, or of one that fails.', async(): Promise<void> => {
    const failure = here.records.transaction(async({ podOwners }): Promise<void> => {
      await podOwners.set(podUrl, [ alice ]);
      await expect(podOwners.isOwnerOfAny(alice, [ podUrl ])).resolves.toBe(true);
      await expect(owns(alice)).resolves.toBe(false);
      throw new Error('as planned');
    });
    await expect(failure).rejects.toThrow('as planned');
    await expect(owns(alice)).resolves.toBe(false);
  });

  it('see this process\'s own latest writes, whatever else is read at that moment.', async(): Promise<void> => {
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

  it('cache the data for access decisions until a table changes, in any process.', async(): Promise<void> => {
    const webId = parseWebId(`${carol}profile/card#me`);
    const nationalNumber = NationalNumber.stored('85010100132');
    const citizen = { id: 'carol', webId, podUrl: carol, nationalNumber, createdAt };
    const changes: ((records: Records<Stores>) => Promise<unknown>)[] = [
      async({ grants }) => grants.insert(grant),
      async({ suspensions }) => suspensions.suspend(grant.recipient, createdAt),
      async({ suspensions }) => suspensions.resume(grant.recipient),
      async({ grants }) => grants.revoke(grant.id, createdAt),
      async({ podOwners }) => podOwners.set(podUrl, [ alice ]),
      async({ podOwners }) => podOwners.set(podUrl, []),
      async({ citizens }) => citizens.insertOrGet(citizen),
      async({ citizens }) => citizens.setState(citizen.id, 'ACTIVE'),
      async({ citizens }) => citizens.erase(citizen.id, createdAt),
    ];
    const answers = [];
    for (const [ index, change ] of changes.entries()) {
      const before = await decisions();
      await expect(decisions()).resolves.toEqual(before);
      await change((index % 2 === 0 ? elsewhere : here).records);
      await setImmediate();
      answers.push(await decisions());
      expect(answers.at(-1)).not.toEqual(before);
    }
    const revoked: unknown = expect.objectContaining({ revokedAt: createdAt });
    expect(answers.at(-1)).toEqual([ revoked, { terms: revoked, isOfOwner: false }, false, 'ERASED' ]);
    const texts = asked.mock.calls.filter(([ ,, decides ]): boolean => decides === true)
      .map(([ text ]): string => text);
    const tables = texts.flatMap((text): string[] =>
      [ ...text.matchAll(/(?:from|join) "?(\w+)/gu) ].map(([ , table ]): string => table));
    // The tables whose changes the migration counts, and the list of parameters.
    expect([ ...new Set(tables) ].sort())
      .toEqual([ 'access_grants', 'citizens', 'json_each', 'pod_owners', 'pod_tombstones', 'suspensions' ]);

    async function decisions(): Promise<unknown[]> {
      return [
        await here.records.grants.findTerms(grant.id),
        await here.records.usableGrants.findPresented(grant.id, [ podUrl ]),
        await owns(alice),
        await here.records.citizens.standingOf(parseWebId(citizen.webId), citizen.podUrl),
      ];
    }
  });

  it('read the data for access decisions once, whatever else is written.', async(): Promise<void> => {
    await here.records.podOwners.set(podUrl, [ alice ]);
    const file = new BetterSqlite3(join(folder, 'records.sqlite'), { readonly: true });
    const reader = new CommittedReader(file);
    const query = 'select web_id from pod_owners where pod_url = ?';
    const [ first ] = reader.all(query, [ podUrl ], true)!;
    await here.records.audit.append({ type: 'resource.read', at: createdAt });
    reader.endMoment();
    expect(reader.all(query, [ podUrl ], true)![0]).toBe(first);
    await here.records.podOwners.set(podUrl, [ alice ]);
    reader.endMoment();
    expect(reader.all(query, [ podUrl ], true)![0]).not.toBe(first);
    expect(reader.all(query, [ `${podUrl}x` ], true)).toEqual([]);
    reader.close();
  });

  it('have no limit that makes SQLite plan again for each value.', async(): Promise<void> => {
    const { db } = await openDatabase(join(folder, 'plans.sqlite'));
    expect(db.selectFrom('podOwners').select('webId').limit(1).compile().sql).toMatch(/ limit \? \+ 0$/u);
    await db.destroy();
  });
});

function refuse(message: string): never {
  throw new Error(message);
}
