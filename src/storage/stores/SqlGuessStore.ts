/* eslint-disable @typescript-eslint/explicit-function-return-type -- query builders */
import type { GuessStore } from '../../verification/GuessStore';
import type { Database } from '../schema';
import type { Vault } from '../keys/Vault';

/** Wrong business keys in the records, until they are older than what is asked for. */
export class SqlGuessStore implements GuessStore {
  public constructor(
    private readonly db: Database,
    private readonly vault: Vault,
  ) {}

  public async count(subject: string, since: Date): Promise<number> {
    await this.vault.findsNewKeys(this.db);
    const { guesses } = await this.db.selectFrom('guesses')
      .select(({ fn }) => fn.countAll<number>().as('guesses'))
      .where('subjectIndex', 'in', this.vault.blindIndexes('guess-subject', subject))
      .where('guessedAt', '>=', since.getTime())
      .executeTakeFirstOrThrow();
    return guesses;
  }

  public async record(subject: string, nationalNumber: string, at: Date, since: Date): Promise<number> {
    await this.vault.findsNewKeys(this.db);
    await this.db.deleteFrom('guesses').where('guessedAt', '<', since.getTime()).execute();
    await this.db.insertInto('guesses')
      .values({
        subjectIndex: this.vault.blindIndex('guess-subject', subject),
        // Of the subject too: the same number tried on two subjects does not show.
        numberIndex: this.vault.blindIndex('guess-number', `${subject}\0${nationalNumber}`),
        guessedAt: at.getTime(),
      })
      .onConflict(conflict => conflict.doNothing())
      .execute();
    return this.count(subject, since);
  }
}
