import type { CommandAnswer } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import type { Place } from '../../storage/places';
import { places } from '../../storage/places';

describe.each(places)('The command keys rewrite, on %s,', (_engine, makePlace): void => {
  let place: Place;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    await (await place.open()).close();
  });

  afterEach(async(): Promise<void> => place.remove());

  async function run(...words: string[]): Promise<CommandAnswer> {
    return operate(place, words);
  }

  it('names the secrets in use, by which an interrupted rotation shows.', async(): Promise<void> => {
    const { output: file } = await run('keys', 'make', 'encryption');
    // As when the rotation is killed after it has made the key.
    await expect(run('keys', 'rewrite')).resolves.toMatchObject({ code: 0, output: [
      '0 rows were rewritten.',
      'blind-index.key is in use for blind-index.',
      'encryption.key is in use for encryption and tokens.',
      '',
    ].join('\n') });
    await run('keys', 'rotate', 'encryption', '--file', file.trim());
    const { output } = await run('keys', 'rewrite');
    expect(output).toContain(`${file.trim()} is in use for encryption.\n`);
  });
});
