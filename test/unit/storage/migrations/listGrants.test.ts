import { sql } from 'kysely';
import { openDatabase } from '../../../../src/storage/database/engine';
import * as createRecords from '../../../../src/storage/migrations/2026-11-21-create-records';
import * as listGrants from '../../../../src/storage/migrations/2026-11-21-list-grants';
import * as stateOfGrantEntries from '../../../../src/storage/migrations/2026-11-21-state-of-grant-entries';
import * as suspensions from '../../../../src/storage/migrations/2026-11-21-suspensions';
import { SqlGrantStore } from '../../../../src/storage/grants/SqlGrantStore';
import { SqlUsableGrants } from '../../../../src/storage/grants/SqlUsableGrants';
import { parseWebId } from '../../../../src/platform/webId';
import type { WebId } from '../../../../src/platform/webId';
import { emptyPlaces, now } from '../places';
import type { Place } from '../places';

const anna = parseWebId('https://anna.example/#me');
const resources = [ 'https://pod.example/a', 'https://pod.example/b' ];
const purposes = [ 'https://purpose.example/', 'https://purpose.example/more' ];

describe.each(emptyPlaces)('Grants from before they could be listed, on %s,', (_engine, makePlace): void => {
  let place: Place;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
  });

  afterEach(async(): Promise<void> => place.remove());

  it('are found like new ones.', async(): Promise<void> => {
    const { db, engine } = await openDatabase(place.records);
    try {
      await createRecords.up(db, engine);
      for (const [ id, revokedAt ] of [[ 'open', null ], [ 'revoked', now.getTime() ]] as const) {
        await sql`insert into access_grants
          (id, uri, kind, subject, recipient, modes, resources, purposes, inherit, status_list_id, status_index,
            issued_at, revoked_at, document)
          values (${id}, ${id}, 'grant', ${anna}, 'b', '["Read"]', ${JSON.stringify(resources)},
            ${JSON.stringify(purposes)}, 0, 'list', 1, ${now.getTime()}, ${revokedAt}, '{}')`.execute(db);
        for (const resource of resources) {
          await sql`insert into grant_resources (grant_id, resource, recipient) values (${id}, ${resource}, 'b')`
            .execute(db);
        }
      }
      await listGrants.up(db, engine);
      await suspensions.up(db, engine);
      await stateOfGrantEntries.up(db, engine);
      const grants = new SqlGrantStore(db, engine, { raiseIn: async(): Promise<void> => undefined });
      async function ids(filter: object): Promise<string[]> {
        const page = await grants.list({ party: anna, now, ...filter }, { size: 9 });
        return page.grants.map(({ id }): string => id);
      }
      await expect(ids({})).resolves.toEqual([ 'revoked', 'open' ]);
      await expect(ids({ status: 'Active' })).resolves.toEqual([ 'open' ]);
      await expect(ids({ status: 'Revoked' })).resolves.toEqual([ 'revoked' ]);
      await expect(ids({ resource: resources[1] })).resolves.toEqual([ 'revoked', 'open' ]);
      await expect(ids({ party: 'b', resource: resources[0] })).resolves.toEqual([ 'revoked', 'open' ]);
      await expect(ids({ purpose: purposes[1], status: 'Active' })).resolves.toEqual([ 'open' ]);
      const usable = await new SqlUsableGrants(db, engine).listUsable('b' as WebId, resources, now);
      expect(usable.map(({ id }): string => id)).toEqual([ 'open' ]);
      await expect(grants.countMade({ subject: anna }, new Date(0), 9)).resolves.toBe(0);
    } finally {
      await db.destroy();
    }
  });
});
