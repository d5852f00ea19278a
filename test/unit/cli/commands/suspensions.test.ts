import { userInfo } from 'node:os';
import type { GrantTerms } from '../../../../src/grants/AccessGrant';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import { parseWebId } from '../../../../src/platform/webId';
import { operate } from '../../../support/commandLine';
import type { CommandAnswer } from '../../../support/commandLine';
import { later, now, places } from '../../storage/places';
import type { Place } from '../../storage/places';
import { grant } from '../../storage/rows';

const bank = parseWebId('https://bank.example/profile#org');
/** Another spelling of it, as a grant may have. */
const bankAsStated = parseWebId('https://BANK.example:443/%70rofile#org');
const { username } = userInfo();

describe.each(places)('The commands on suspensions, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
    // Commands use the real clock.
    const future = later(3600 * 24 * 365 * 100);
    const [ ann, ben ] = [ 'https://a.example/#me', 'https://b.example/#me' ];
    const contract = { id: 'loans', digest: 'x' };
    for (const made of [
      grant('1', { subject: parseWebId(ann), recipient: bank, contract }),
      grant('2', { subject: parseWebId(ben), recipient: bank, contract, expiresAt: future }),
      grant('3', { subject: parseWebId(ben), recipient: bankAsStated }),
      grant('revoked', { subject: parseWebId(ben), recipient: bank, contract, revokedAt: now }),
      grant('expired', { recipient: bank, contract: { id: 'ended', digest: 'x' }, expiresAt: now }),
      grant('request', { kind: 'request', subject: parseWebId('https://shop.example/#us'), recipient: parseWebId(ben) }),
      grant('other', { subject: parseWebId(ann), recipient: parseWebId('https://other.example/#us') }),
    ]) {
      await records.grants.insert(made);
    }
  });

  afterEach(async(): Promise<void> => place.remove());

  async function run(...words: string[]): Promise<CommandAnswer> {
    return operate(place, words);
  }

  async function events(): Promise<unknown[]> {
    return (await records.audit.list(0, 10)).map(({ event: { type, facts, personal }}): unknown =>
      [ type, facts?.contract ?? personal?.dataUser, personal?.operator ]);
  }

  async function effects(): Promise<boolean[]> {
    const terms = await Promise.all([ '1', '2', '3', 'other' ]
      .map(async(id): Promise<GrantTerms | undefined> => records.grants.findTerms(id)));
    return terms.map((found): boolean => found!.suspendedAt === undefined);
  }

  it('suspend and resume, each with a row in the audit record; repeating changes nothing.', async(): Promise<void> => {
    const stopped = 'Without effect until it is resumed: 3 grants of 2 citizens under 1 contract.\n';
    await expect(run('suspend', '--data-user', bank)).resolves
      .toMatchObject({ code: 0, output: `The data user ${bank} is suspended. ${stopped}` });
    await expect(run('suspend', '--data-user', bank)).resolves
      .toMatchObject({ code: 0, output: `The data user ${bank} is suspended already. ${stopped}` });
    await expect(run('suspend', '--contract', ' loans\n')).resolves
      .toMatchObject({ code: 0, output: expect.stringContaining('2 grants of 2 citizens under 1 contract') });
    await expect(records.suspensions.find([ 'other', bank ])).resolves.toMatchObject({ name: bank });
    await expect(records.suspensions.find([ 'other' ])).resolves.toBeUndefined();
    expect((await run('suspensions')).lines()).toEqual([
      { dataUser: bankAsStated, suspended: expect.stringMatching(/Z$/u) },
      { dataUser: bank, suspended: expect.stringMatching(/Z$/u) },
      { contract: 'loans', suspended: expect.stringMatching(/Z$/u) },
    ]);
    await expect(run('resume', '--contract', 'loans')).resolves
      .toMatchObject({ code: 0, output: 'The contract loans is resumed.\n' });
    await expect(run('resume', '--contract', 'loans')).resolves
      .toMatchObject({ code: 1, output: '', errors: 'The contract loans is not suspended.\n' });
    await expect(events()).resolves.toEqual([
      [ 'suspension.begun', bank, username ],
      [ 'suspension.begun', 'loans', username ],
      [ 'suspension.ended', 'loans', username ],
    ]);
  });

  it.each([
    bank,
    bankAsStated,
    ` ${bank} `,
    bank.toUpperCase().replace('PROFILE#ORG', 'profile#org'),
    'https://bank.example/%70rofile#org',
  ])('suspend a data user named as %j under every spelling, and resume it.', async(named): Promise<void> => {
    await expect(run('suspend', '--data-user', named)).resolves
      .toMatchObject({ code: 0, output: expect.stringContaining(`${bank} is suspended. `) });
    await expect(effects()).resolves.toEqual([ false, false, false, true ]);
    await expect(run('resume', '--data-user', named)).resolves.toMatchObject({ code: 0 });
    await expect(effects()).resolves.toEqual([ true, true, true, true ]);
    await expect(records.suspensions.list()).resolves.toEqual([]);
  });

  it.each([
    [ '--data-user', 'https://bank.example/Profile#org' ],
    [ '--data-user', 'https://bank.example/profile' ],
    [ '--data-user', 'https://shop.example/#us' ],
    [ '--contract', 'loan' ],
    [ '--contract', 'Loans' ],
    [ '--contract', 'ended' ],
  ])('refuse %s %s, which would stop nothing, unless it is forced.', async(option, name): Promise<void> => {
    await expect(run('suspend', option, name)).resolves
      .toMatchObject({ code: 1, output: '', errors: expect.stringMatching(/nothing would be stopped.*--force/u) });
    await expect(records.suspensions.list()).resolves.toEqual([]);
    await expect(events()).resolves.toEqual([]);
    await expect(run('suspend', option, name, '--force')).resolves
      .toMatchObject({ code: 0, output: expect.stringContaining('0 grants of 0 citizens under 0 contracts') });
    // Already suspended: no warning is needed.
    await expect(run('suspend', option, name)).resolves.toMatchObject({ code: 0 });
    await expect(records.suspensions.list()).resolves.toMatchObject([{ name }]);
  });

  it.each([
    [[], 2 ],
    [[ '--contract', 'a', '--data-user', bank ], 2 ],
    [[ '--contract', bank ], 1 ],
    [[ '--data-user', 'loans' ], 1 ],
    [[ '--data-user', 'https://bank.example/a%2Fb' ], 1 ],
    [[ '--data-user', 'https://a:b@bank.example/' ], 1 ],
    [[ '--data-user', '' ], 1 ],
    [[ '--contract', '' ], 1 ],
    [[ '--data-user' ], 2 ],
    [[ '--datauser', bank ], 2 ],
    [[ bank ], 2 ],
  ])('refuse %j.', async(words, code): Promise<void> => {
    await expect(run('suspend', ...words)).resolves.toMatchObject({ code, output: '' });
    await expect(records.suspensions.list()).resolves.toEqual([]);
  });
});
