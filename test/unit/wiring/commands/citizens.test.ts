import type { Records } from '../../../../src/records';
import type { CommandAnswer } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import { nationalNumber, now, places } from '../../storage/places';
import type { Place } from '../../storage/places';

describe.each(places)('The commands on citizens, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let records: Records;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterEach(async(): Promise<void> => place.remove());

  async function run(words: string[], input = ''): Promise<CommandAnswer> {
    return operate(place, words, input);
  }

  async function insert(id: string, index: number): Promise<void> {
    await records.citizens.insertOrGet({
      id,
      webId: `https://pod.example/${id}/profile/card#me`,
      podUrl: `https://pod.example/${id}/`,
      nationalNumber: nationalNumber(index),
      createdAt: now,
    });
  }

  it('list them with their states and without their numbers, page by page.', async(): Promise<void> => {
    for (let index = 0; index < 501; index += 1) {
      await insert(`c${String(index).padStart(3, '0')}`, index);
    }
    await records.citizens.setState('c007', 'ACTIVE');
    const { code, output, lines } = await run([ 'citizens', 'list' ]);
    expect(code).toBe(0);
    expect(lines()).toHaveLength(501);
    expect(lines()[7]).toEqual({
      podId: 'c007',
      webId: 'https://pod.example/c007/profile/card#me',
      state: 'ACTIVE',
      created: now.toISOString(),
    });
    expect(output).not.toMatch(/\d{11}/u);
    expect((await run([ 'citizens', 'list', '--state', 'ACTIVE' ])).lines()).toEqual([ lines()[7] ]);
    await expect(run([ 'citizens', 'list', '--state', 'gone' ])).resolves.toMatchObject({ code: 2 });
  });
});
