import { sql } from 'kysely';
import type { NationalNumber } from '../../identity/NationalNumber';
import type { GuessCounts, GuessStore } from '../../verification/GuessStore';
import type { Database } from '../schema';
import type { Vault } from '../keys/Vault';

/** Wrong business keys in the records, until they are too old to count. */
export class SqlGuessStore implements GuessStore {
  public constructor(
    private readonly db: Database,
    private readonly vault: Vault,
  ) {}

  public async count(subject: string, caller: string, since: Date): Promise<GuessCounts> {
    await this.vault.findsNewKeys(this.db);
    const query = this.db.selectFrom('guesses')
      .select(sql<number>`count(distinct number_index)`.as('guesses'))
      .where('subjectIndex', 'in', this.vault.blindIndexes('guess-subject', subject))
      .where('guessedAt', '>=', since.getTime());
    const ofCaller = query.where('callerIndex', 'in', this.vault.blindIndexes('guess-caller', caller));
    const { guesses: byAll } = await query.executeTakeFirstOrThrow();
    const { guesses: byCaller } = await ofCaller.executeTakeFirstOrThrow();
    return { byCaller, byAll };
  }

  public async record(
    subject: string,
    caller: string,
    nationalNumber: NationalNumber,
    at: Date,
    since: Date,
  ): Promise<GuessCounts> {
    await this.vault.findsNewKeys(this.db);
    await this.db.deleteFrom('guesses').where('guessedAt', '<', since.getTime()).execute();
    await this.db.insertInto('guesses')
      .values({
        subjectIndex: this.vault.blindIndex('guess-subject', subject),
        callerIndex: this.vault.blindIndex('guess-caller', caller),
        // With the subject, so that nobody can see that the same number was tried on two subjects.
        numberIndex: this.vault.blindIndex('guess-number', `${subject}\0${nationalNumber.reveal()}`),
        guessedAt: at.getTime(),
      })
      .onConflict(conflict => conflict.doNothing())
      .execute();
    return this.count(subject, caller, since);
  }
}
