import { sql } from 'kysely';
import { openDatabase } from '../../../../src/storage/database/engine';
import * as createRecords from '../../../../src/storage/migrations/2026-11-21-create-records';
import * as guessesByCaller from '../../../../src/storage/migrations/2026-11-22-guesses-by-caller';
import { emptyPlaces, now } from '../places';

describe.each(emptyPlaces)('Business keys from before callers were told apart, on %s,', (_engine, makePlace): void => {
  it('count for all callers.', async(): Promise<void> => {
    const place = await makePlace();
    const { db, engine } = await openDatabase(place.records);
    try {
      await createRecords.up(db, engine);
      await sql`insert into guesses values ('a', '1', ${now.getTime()}), ('a', '2', ${now.getTime()})`.execute(db);
      await guessesByCaller.up(db, engine);
      await expect(db.selectFrom('guesses').selectAll().orderBy('numberIndex').execute()).resolves.toEqual([
        { subjectIndex: 'a', callerIndex: '', numberIndex: '1', guessedAt: now.getTime() },
        { subjectIndex: 'a', callerIndex: '', numberIndex: '2', guessedAt: now.getTime() },
      ]);
    } finally {
      await db.destroy();
      await place.remove();
    }
  });
});
