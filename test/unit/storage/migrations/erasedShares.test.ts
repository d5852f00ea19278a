import { parseWebId } from '../../../../src/platform/webId';
import { openDatabase } from '../../../../src/storage/database/engine';
import * as erasedShares from '../../../../src/storage/migrations/2026-11-28-erased-shares';
import { citizenNumber, now, places } from '../places';
import { pod, share } from '../rows';

describe.each(places)('Shares of citizens whom earlier versions erased, on %s,', (_engine, makePlace): void => {
  it('name no records of sources any more; those of other citizens do.', async(): Promise<void> => {
    const place = await makePlace();
    const { records } = await place.open();
    const { db } = await openDatabase(place.records);
    try {
      await records.citizens.insertOrGet({
        id: 'b',
        webId: parseWebId('https://b.example/#me'),
        podUrl: pod,
        nationalNumber: citizenNumber(1),
        createdAt: now,
      });
      await records.shares.save(share('1'));
      await records.shares.save(share('2', { citizenId: 'b' }));
      await erasedShares.up(db);
      await expect(records.shares.find(share('1', { recordId: '1' })))
        .resolves.toEqual(share('1', { recordId: '1', version: '', digest: '' }));
      await expect(records.shares.find(share('2', { citizenId: 'b' })))
        .resolves.toEqual(share('2', { citizenId: 'b' }));
    } finally {
      await db.destroy();
      await place.remove();
    }
  });
});
