import { userInfo } from 'node:os';
import type { Records } from '../../../../src/records';
import { operate } from '../../../support/commandLine';
import type { CommandAnswer } from '../../../support/commandLine';
import { places } from '../../storage/places';
import type { Place } from '../../storage/places';

const bank = 'https://bank.example/profile#org';
const { username } = userInfo();

describe.each(places)('The commands on suspensions, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let records: Records;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterEach(async(): Promise<void> => place.remove());

  async function run(...words: string[]): Promise<CommandAnswer> {
    return operate(place, words);
  }

  async function events(): Promise<unknown[]> {
    return (await records.audit.list(0, 10)).map(({ event: { type, facts, personal }}): unknown =>
      [ type, facts?.contract ?? personal?.dataUser, personal?.operator ]);
  }

  it('suspend and resume, each with a row in the audit record; again changes nothing.', async(): Promise<void> => {
    await expect(run('suspend', '--data-user', bank)).resolves
      .toMatchObject({ code: 0, output: `The data user ${bank} is suspended.\n` });
    await expect(run('suspend', '--data-user', bank)).resolves
      .toMatchObject({ code: 0, output: `The data user ${bank} is suspended already.\n` });
    await run('suspend', '--contract', 'loans');
    await expect(records.suspensions.find([ 'other', bank ])).resolves.toMatchObject({ name: bank });
    await expect(records.suspensions.find([ 'other' ])).resolves.toBeUndefined();
    expect((await run('suspensions')).lines()).toEqual([
      { dataUser: bank, suspended: expect.stringMatching(/Z$/u) },
      { contract: 'loans', suspended: expect.stringMatching(/Z$/u) },
    ]);
    await expect(run('resume', '--contract', 'loans')).resolves
      .toMatchObject({ output: 'The contract loans is resumed.\n' });
    await expect(run('resume', '--contract', 'loans')).resolves.toMatchObject({ code: 0 });
    await expect(events()).resolves.toEqual([
      [ 'suspension.begun', bank, username ],
      [ 'suspension.begun', 'loans', username ],
      [ 'suspension.ended', 'loans', username ],
    ]);
  });

  it.each([
    [[], 2 ],
    [[ '--contract', 'a', '--data-user', bank ], 2 ],
    [[ '--contract', bank ], 1 ],
    [[ '--data-user', 'loans' ], 1 ],
  ])('refuse %j.', async(words, code): Promise<void> => {
    await expect(run('suspend', ...words)).resolves.toMatchObject({ code, output: '' });
    await expect(records.suspensions.list()).resolves.toEqual([]);
  });
});
