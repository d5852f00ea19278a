import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommand } from '../../../../src/cli/commands/runCommand';

const fixtures = join(__dirname, '../../../fixtures/data-types');

describe('css-data-sharing new', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'new-'));
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  async function run(words: string[], withTypes = false): Promise<{ code: number; lines: string[] }> {
    let text = '';
    const output = new Writable({ write: (chunk: Buffer, _encoding, done): void => {
      text += chunk.toString();
      done();
    } });
    const environment = Object.fromEntries([ 'contracts', 'purposes', 'sources', 'records', 'keys' ]
      .map((name): [string, string] => [ `CSS_${name.toUpperCase()}`, join(folder, name) ]));
    const types = withTypes ? { CSS_DATA_TYPES: join(folder, 'types') } : {};
    const streams = { input: Readable.from([]), output, errors: output };
    const code = await runCommand(words, { ...environment, ...types }, streams);
    return { code, lines: text.trim().split('\n') };
  }

  /** Expects that a start would accept all files. */
  async function expectNoMistakes(withTypes = false): Promise<void> {
    for (const place of [ 'contracts', 'purposes', 'sources' ]) {
      await mkdir(join(folder, place), { recursive: true });
    }
    const { code, lines } = await run([ 'check' ], withTypes);
    expect([ code, lines.at(-1), lines ]).toEqual([ 0, 'No mistakes.', lines ]);
  }

  it('contract writes a contract with a purpose, ready for use.', async(): Promise<void> => {
    await expect(run([ 'new', 'contract', 'jobs' ])).resolves.toEqual({ code: 0, lines: [
      join(folder, 'contracts/jobs.jsonld'),
      join(folder, 'contracts/jobs.md'),
      join(folder, 'purposes/jobs.ttl'),
    ]});
    await expect(run([ 'new', 'contract' ])).resolves.toMatchObject({ code: 0 });
    const { lines } = await run([ 'check' ]);
    expect(lines.join('\n')).toContain('Contracts: 2, of which 2 can be used today. Purposes: 2.');
    await expectNoMistakes();
    await expect(readFile(join(folder, 'contracts/jobs.md'), 'utf8')).resolves.toContain('`accessDuration`: ');
  });

  it('data-type writes a data type that contract and source then accept.', async(): Promise<void> => {
    await expect(run([ 'new', 'data-type', 'licence' ], true)).resolves.toMatchObject({ code: 0 });
    const type = `licence/${new Date().toISOString().slice(0, 10)}`;
    await expect(run([ 'new', 'contract' ], true)).resolves.toMatchObject({ code: 0 });
    const contract = await readFile(join(folder, 'contracts/example.jsonld'), 'utf8');
    expect(contract).toContain(`"/v1/data-types/${type}"`);
    const { code, lines } = await run([ 'new', 'source' ], true);
    const file = join(folder, 'sources', type, 'example.json');
    expect([ code, lines[0] ]).toEqual([ 0, file ]);
    expect(lines.at(-1)).toMatch(/: npx css-data-sharing check record \S+example\.json --type \S+ --dataTypes /u);
    await expectNoMistakes(true);
    const record = await run([ 'check', 'record', file, '--type', type ], true);
    expect(record).toMatchObject({ code: 0 });
    expect(record.lines.slice(record.lines.indexOf('In en:'))).toEqual([
      'In en:',
      '  Example | 2026-01-15',
      '    Title (title): Example',
      '    Issued (issued): 2026-01-15',
      '    Level (level): Basic',
      '    Issuer (issuer):',
      '      Name (issuerName): Example',
      'No mistakes: it can be shared.',
    ]);
  });

  it.each([ 'diploma/2024-05-22', 'student-certificate/2024-06-01' ])(
    'source writes a record of a shipped data type: %s.',
    async(type): Promise<void> => {
      await expect(run([ 'new', 'source', type ])).resolves.toMatchObject({ code: 0 });
      await expectNoMistakes();
      const record = await run([ 'check', 'record', join(folder, 'sources', type, 'example.json'), '--type', type ]);
      expect([ record.code, record.lines.at(-1) ]).toEqual([ 0, 'No mistakes: it can be shared.' ]);
    },
  );

  it('source writes a record of an operator\'s data type, in any vocabulary.', async(): Promise<void> => {
    await mkdir(join(folder, 'types'));
    await cp(join(fixtures, 'library-card.ttl'), join(folder, 'types/card.ttl'));
    const turtle = await readFile(join(fixtures, 'library-card.ttl'), 'utf8');
    const other = turtle.replaceAll('library-card', 'other-card').replace('sh:path lib:holder', 'sh:path lib:name')
      .replace('xsd:double', 'xsd:decimal').replace('sh:path lib:number', 'sh:path <https://other.example/number>');
    await writeFile(join(folder, 'types/other.ttl'), other);
    for (const type of [ 'library-card/2025-02-01', 'other-card/2025-02-01' ]) {
      await expect(run([ 'new', 'source', type ], true)).resolves.toMatchObject({ code: 0 });
      const file = join(folder, 'sources', type, 'example.json');
      const record = await run([ 'check', 'record', file, '--type', type ], true);
      expect([ record.code, record.lines.at(-1) ]).toEqual([ 0, 'No mistakes: it can be shared.' ]);
    }
    await expectNoMistakes(true);
  });

  it('never overwrites, and accepts only names that files and paths can have.', async(): Promise<void> => {
    await mkdir(join(folder, 'contracts'));
    const file = join(folder, 'contracts/jobs.jsonld');
    await writeFile(file, 'mine');
    const again = await run([ 'new', 'contract', 'jobs' ]);
    expect(again).toEqual({ code: 1, lines: [ `${file} already exists: nothing is overwritten` ]});
    await expect(readFile(file, 'utf8')).resolves.toBe('mine');
    for (const name of [ '../jobs', '.jobs', 'a b', 'a/b', '' ]) {
      await expect(run([ 'new', 'contract', name ])).resolves.toMatchObject({ code: 2 });
      await expect(run([ 'new', 'data-type', name ], true)).resolves.toMatchObject({ code: 2 });
    }
    const { code, lines } = await run([ 'new', 'source', 'diplomas/2024-05-22' ]);
    expect([ code, lines[0] ]).toEqual([ 2, expect.stringContaining('did you mean diploma/2024-05-22?') ]);
    await writeFile(join(folder, 'sources'), '[]');
    await expect(run([ 'new', 'source' ])).resolves.toMatchObject({ code: 1 });
  });

  it('ends where no folder can be made.', async(): Promise<void> => {
    await expect(run([ 'new', 'contract', '--contracts', '/proc/new/contracts' ])).resolves
      .toEqual({ code: 1, lines: [ expect.stringContaining('/proc/new') ]});
  });
});
