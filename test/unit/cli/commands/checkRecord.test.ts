import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommand } from '../../../../src/cli/commands/runCommand';
import { fictitiousNumber } from '../../../support/fictitiousNumber';

const fixtures = join(__dirname, '../../../fixtures/data-types');
const number = fictitiousNumber(1);
const slug = 'library-card/2025-02-01';

describe('css-data-sharing check record', (): void => {
  let folder: string;
  let file: string;
  let subject: Record<string, unknown>;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'check-record-'));
    await mkdir(join(folder, 'types'));
    await cp(join(fixtures, 'library-card.ttl'), join(folder, 'types/card.ttl'));
    subject = JSON.parse(await readFile(join(fixtures, 'library-card.json'), 'utf8'));
    subject.number = number;
    file = join(folder, 'record.json');
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  async function run(content: unknown, type = slug): Promise<{ code: number; lines: string[] }> {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(file, text);
    let said = '';
    const output = new Writable({ write: (chunk: Buffer, _encoding, done): void => {
      said += chunk.toString();
      done();
    } });
    const words = [ 'check', 'record', file, '--type', type, '--dataTypes', join(folder, 'types') ];
    const code = await runCommand(words, {}, { input: Readable.from([]), output, errors: output });
    return { code, lines: said.trimEnd().split('\n') };
  }

  it('shows a record in each language.', async(): Promise<void> => {
    const { code, lines } = await run(record(subject));
    expect(lines.filter((line): boolean => line.startsWith('In '))).toEqual([ 'In nl:', 'In fr:', 'In de:', 'In en:' ]);
    expect(lines).toContain('  Volwassene | 2024-02-29');
    expect(lines).toContain('    Holder (cardHolder): An Example');
    expect(lines).toContain('    Branch (branch):');
    expect(lines).toContain('      Name (branchName): Central');
    expect(lines.at(-1)).toBe('No mistakes: it can be shared.');
    expect(lines.join('\n')).not.toContain(number);
    expect(code).toBe(0);
  });

  it('shows the example of the documentation as documented.', async(): Promise<void> => {
    const text = await readFile(join(__dirname, '../../../../docs/usage/data.md'), 'utf8');
    const parts = text.slice(text.indexOf('### A whole example')).split('```');
    const [ turtle, json, shown ] = [ 'turtle', 'json', 'text' ].map((language): string =>
      parts.find((part): boolean => part.startsWith(`${language}\n`))!.slice(language.length + 1));
    await writeFile(join(folder, 'types/first-aid.ttl'), turtle);
    const { code, lines } = await run(json, 'first-aid/2026-01-01');
    expect(`${lines.slice(lines.indexOf('In en:'), -1).join('\n')}\n`).toBe(shown);
    expect(code).toBe(0);
  });

  it('locates mistakes by JSON Pointer, within groups and where something is missing.', async(): Promise<void> => {
    const wrong = { ...subject, issued: '2025-02-30', holder: undefined, branch: {}, weight: 'heavy' };
    const { code, lines } = await run(record(wrong));
    const mistakes = lines.filter((line): boolean => line.startsWith(file));
    expect(mistakes).toEqual(expect.arrayContaining([
      `${file}: /credentialSubject/issued: Issued: this is not a valid date`,
      `${file}: /credentialSubject/holder: Holder: this mandatory value is missing`,
      `${file}: /credentialSubject/branch/branchName: Branch, Name: this mandatory value is missing`,
    ]));
    expect(lines).toContain('    Issued (issued): ! this is not a valid date');
    expect(code).toBe(3);
  });

  it('finds the number in the id of a record.', async(): Promise<void> => {
    const { code, lines } = await run({ ...record(subject), id: `card-${number}` });
    const mistakes = lines.filter((line): boolean => line.startsWith(file));
    expect(mistakes).toEqual([ expect.stringMatching(/: \/id: This record has a national register number/u) ]);
    expect(lines.join('\n')).not.toContain(number);
    expect(code).toBe(3);
  });

  it('locates repeated groups, and the wrong field in one of them.', async(): Promise<void> => {
    const { lines } = await run(record({ ...subject, branch: [{ branchName: 'Central' }, { branchName: 7 }]}));
    expect(lines.filter((line): boolean => line.startsWith(file)).join('\n'))
      .toMatch(/: \/credentialSubject\/branch: Branch.*, Name: /u);
  });

  it('names the line of malformed JSON, and the members of the file.', async(): Promise<void> => {
    await expect(run('{\n  "citizen" 1\n}')).resolves
      .toEqual({ code: 3, lines: [ expect.stringContaining(`${file}:2:13: not JSON`) ]});
    await expect(run({ citizen: '12345678901', id: 'a' })).resolves
      .toEqual({ code: 3, lines: [ expect.stringContaining(`${file}: /citizen must be a national number`) ]});
    const { lines } = await run({ ...record(subject), verson: '1' });
    expect(lines[0]).toContain('/verson is not a member of a record; did you mean version?');
  });

  it('warns of names that have another meaning in every credential.', async(): Promise<void> => {
    const { branch } = subject as { branch: object };
    const named = { ...subject, name: 'Ann', branch: [{ ...branch, description: 'By the river', digestSRI: 'x' }]};
    const { code, lines } = await run(record(named));
    const warnings = lines.filter((line): boolean => line.startsWith(file));
    expect(warnings.map((line): string => line.slice(file.length + 2).split(':', 1)[0])).toEqual([
      '/credentialSubject/branch/0/description',
      '/credentialSubject/branch/0/digestSRI',
      '/credentialSubject/name',
    ]);
    expect(warnings[2]).toContain('name means <https://schema.org/name>');
    expect([ code, lines.at(-1) ]).toEqual([ 0, 'Nothing stops it: it can be shared.' ]);
  });

  it('does not warn if the data type gives them the same meaning.', async(): Promise<void> => {
    const types = join(folder, 'types/card.ttl');
    const turtle = await readFile(types, 'utf8');
    const path = /sh:path ([^ ;]*[nN]umber) /u.exec(turtle)![1];
    await writeFile(types, turtle.replace(`sh:path ${path} `, 'sh:path <https://schema.org/name> '));
    const { lines } = await run(record({ ...subject, name: number }));
    expect(lines.join('\n')).not.toContain('/credentialSubject/name: in a credential');
  });

  it('reports values without a place of their own, and the wrong data type.', async(): Promise<void> => {
    const { lines, code } = await run(record({ ...subject, '@type': 'Other' }));
    expect(lines.at(-1)).toContain(`${file}: /credentialSubject: `);
    expect(code).toBe(3);
    const other = await run(record(subject), 'library-card/2025-02-02');
    expect(other).toMatchObject({ code: 2 });
    expect(other.lines[0]).toContain(`; did you mean ${slug}?`);
  });
});

function record(credentialSubject: unknown): object {
  return { citizen: number, id: 'card-1', version: '1', credentialSubject };
}
