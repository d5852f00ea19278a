import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireSeed } from '../../../src/cli/requireSeed';

describe('Before the server is loaded,', (): void => {
  let folder: string;
  let file: string;

  beforeAll(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'seed-'));
    file = join(folder, 'accounts.json');
  });

  afterAll(async(): Promise<void> => rm(folder, { recursive: true }));

  it.each([
    [ '[{ "email": "ann@example.org",\n "password": opensesame }]', ':2:14: not JSON: invalid symbol' ],
    [ '[{ "email": "ann@example.org", "password": "opensesame"', ':1:56: not JSON: close brace expected' ],
    [ '[{ "email": "ann@example.org", "password": [ "opensesame" ] }]', ': /0/password must be a text' ],
    [ '[{ "email": "ann@example.org", "passwort": "opensesame" }]', ': /0/password must be a text' ],
    [ '[ "ann@example.org opensesame" ]', ': /0/email must be a text' ],
    [ '{ "email": "ann@example.org", "password": "opensesame" }', ': must be a list of accounts' ],
  ])('a mistake in the accounts to make is named by its place, without a password: %s.', async(text, mistake):
  Promise<void> => {
    await writeFile(file, text);
    const message = `--seedConfig: ${file}${mistake}`;
    await expect(requireSeed([ '--seedConfig', file ], {})).rejects.toThrow(new Error(message));
    await expect(requireSeed([], { CSS_SEED_CONFIG: file })).rejects.toThrow(new Error(message));
  });

  it('a missing file of accounts is named.', async(): Promise<void> => {
    const none = join(folder, 'none.json');
    await expect(requireSeed([ `--seed-config=${none}` ], {})).rejects
      .toThrow(`--seedConfig: ${none} cannot be read (ENOENT)`);
  });

  it.each([ '[]', '[{ "email": "ann@example.org", "password": "short", "pods": [] }]' ])(
    'the other rules on accounts are left to the server: %s.',
    async(text): Promise<void> => {
      await writeFile(file, text);
      await expect(requireSeed([ '--seedConfig', file ], {})).resolves.toBeUndefined();
      await expect(requireSeed([], {})).resolves.toBeUndefined();
    },
  );
});
