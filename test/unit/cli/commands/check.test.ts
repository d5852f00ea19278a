import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommand } from '../../../../src/cli/commands/runCommand';

const demo = join(__dirname, '../../../../demo/data');

describe('css-data-sharing check', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'check-'));
    await cp(demo, folder, { recursive: true });
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  async function run(words: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; lines: string[] }> {
    let text = '';
    const output = new Writable({ write: (chunk: Buffer, _encoding, done): void => {
      text += chunk.toString();
      done();
    } });
    const code = await runCommand([
      'check',
      '--contracts',
      join(folder, 'contracts'),
      '--purposes',
      join(folder, 'purposes'),
      '--sources',
      join(folder, 'sources'),
      '--records',
      join(folder, 'records.sqlite'),
      '--keys',
      join(folder, 'keys'),
      '-f',
      join(folder, 'pods'),
      ...words,
    ], env, { input: Readable.from([]), output, errors: output });
    return { code, lines: text.trim().split('\n') };
  }

  it('lists what is configured, and reports no mistake.', async(): Promise<void> => {
    const { code, lines } = await run([ '-p', '3100', '--allowLoopback', '--legacyTokens', 'false' ]);
    expect(lines).toEqual([
      expect.stringMatching(/^Contracts: 6, of which \d can be used today\. Purposes: \d\. Data users .*: 0\.$/u),
      expect.stringMatching(/^Data types: diploma\/2024-05-22 \(files\)/u),
      'National issuers: none.',
      'Log-in with: none.',
      expect.stringMatching(/^Off: .*--nationalIssuers.*--apps.*--legacyTokens/u),
      expect.stringMatching(/^Records of diploma\/2024-05-22: \d+\.$/u),
      expect.stringMatching(/^Records of student-certificate\/2024-06-01: \d+\.$/u),
      'No mistakes.',
    ]);
    expect(code).toBe(0);
  });

  it('lists the national issuers that are trusted for some numbers only.', async(): Promise<void> => {
    const { lines } = await run([ '--nationalIssuers', 'https://one.example/ 9[0-9]{10},https://two.example/' ]);
    expect(lines).toContain('National issuers: https://one.example/ (some numbers only), https://two.example/.');
  });

  it.each([ 'others', 'nobody' ])('refuses --passwordLogin %s where no citizen could log in.', async(who):
  Promise<void> => {
    const { code, lines } = await run([ '--passwordLogin', who ]);
    expect(lines).toContain(`--passwordLogin ${who} needs --nationalLogin: citizens could not log in`);
    expect(code).toBe(3);
  });

  it('names all mistakes at once, one on each line, with their places.', async(): Promise<void> => {
    const contract = join(folder, 'contracts/diploma-employment.jsonld');
    await writeFile(contract, (await readFile(contract, 'utf8')).replace('forDataUser', 'forDatUser'));
    await writeFile(join(folder, 'contracts/broken.jsonld'), '{\n  "a" 1\n}');
    await mkdir(join(folder, 'sources/diploma/2024-05-22'), { recursive: true });
    const record = join(folder, 'sources/diploma/2024-05-22/85073099141.json');
    await writeFile(record, '{"citizen":"85073099141","id":"x"}');
    const none = join(folder, 'none');
    const { code, lines } = await run([ '--buildings', none ], { CSS_DATA_TYPES: none });
    const text = lines.join('\n');
    expect(text).toContain(`--dataTypes: there is no folder ${none}`);
    expect(text).toContain('contracts/broken.jsonld:2:7: not JSON: colon expected');
    expect(text).toContain('/forDatUser is not a member of a contract; did you mean /forDataUser?');
    expect(text).toContain('--buildings');
    expect(text).toMatch(/\[number\]\.json \(number \d+ of \d+ by name\): \/citizen must be a national number/u);
    expect(text).not.toContain('85073099141');
    expect(lines.at(-1)).toBe('Mistakes: 4 that prevent a start, 1 that do not.');
    expect(code).toBe(3);
  });

  it('names wrong settings, and configured folders that are missing.', async(): Promise<void> => {
    const { code, lines } = await run([ '--timeZone', 'Europe/Atlantis', '--contracts', join(folder, 'contract') ]);
    expect(lines).toContain(`--contracts: there is nothing at ${join(folder, 'contract')}`);
    expect(lines.join('\n')).toContain('--timeZone: Europe/Atlantis is not a time zone');
    expect(code).toBe(3);
    const { lines: [ line ] } = await run([ '--maxGrantDuration', 'soon' ]);
    expect(line).toContain('--maxGrantDuration must be');
  });

  it('names the mistakes in a theme.', async(): Promise<void> => {
    const theme = join(__dirname, '../../../fixtures/theme');
    expect((await run([ '--theme', theme ])).code).toBe(0);
    await cp(theme, join(folder, 'theme'), { recursive: true });
    const file = join(folder, 'theme/theme.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('#7a1f5c', '#eeeeee'));
    const { code, lines } = await run([ '--theme', join(folder, 'theme') ]);
    expect(lines.join('\n')).toContain(`--theme: ${file}: accent has a contrast of 1.2:1 with #ffffff`);
    expect(code).toBe(3);
  });

  it('suggests the flag that an unknown one may stand for.', async(): Promise<void> => {
    const { code, lines } = await run([ '--contract', 'x' ]);
    expect(lines[0]).toBe(`Unknown option '--contract'; did you mean --contracts?`);
    expect(code).toBe(2);
  });

  it.each([
    [[ 'audit' ], 'There are audit verify, audit export. See css-data-sharing help' ],
    [[ 'keys', 'rotat' ], /^There are keys list, .*keys rotate/u ],
    [[ 'chek' ], 'Unknown command; did you mean check? See css-data-sharing help' ],
    [[ 'citizen', 'list' ], 'Unknown command; did you mean citizens list? See css-data-sharing help' ],
    [[ 'keys', 'rotate', 'token' ], /^The kind of key is one of blind-index, .*, identity-provider, events$/mu ],
    [[ 'keys', 'make', 'events' ], /^The kind of key is one of blind-index, encryption, grants, credentials$/mu ],
    [[ 'nonesuch' ], 'Unknown command. See css-data-sharing help' ],
  ])('is suggested, like commands and kinds of keys, for an unknown one: %j.', async(words, line): Promise<void> => {
    let text = '';
    const output = new Writable({ write: (chunk: Buffer, _encoding, done): void => {
      text += chunk.toString();
      done();
    } });
    await expect(runCommand(words, {}, { input: Readable.from([]), output, errors: output })).resolves.toBe(2);
    expect(text.trim()).toMatch(line);
  });
});
