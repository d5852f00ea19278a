import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mistakes } from '../../../src/platform/Mistakes';
import type { DocumentContext, OperatorDocuments } from '../../../src/operations/openDocuments';
import { openDocuments } from '../../../src/operations/openDocuments';
import { reloadDocuments } from '../../../src/operations/reloadDocuments';
import type { CheckedSettings } from '../../../src/operations/settings';
import { shippedExtensions } from '../../../src/cli/shippedExtensions';

const fixtures = join(__dirname, '../../fixtures');
const demo = join(__dirname, '../../../demo/data');
const card = 'https://library.example/types/library-card/2025-02-01';
const baseUrl = 'https://sharing.example/';

describe('Reloaded documents', (): void => {
  let folder: string;
  let turtle: string;
  let context: DocumentContext;
  let documents: OperatorDocuments;
  let said: string[];

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'reload-'));
    for (const name of [ 'contracts', 'purposes' ]) {
      await cp(join(demo, name), join(folder, name), { recursive: true });
    }
    await mkdir(join(folder, 'types'));
    await mkdir(join(folder, 'sources'));
    await mkdir(join(folder, 'data-users'));
    turtle = await readFile(join(fixtures, 'data-types/library-card.ttl'), 'utf8');
    const settings = {
      baseUrl,
      timeZone: 'Europe/Brussels',
      passwordLogin: 'everybody',
      paths: {
        contracts: join(folder, 'contracts'),
        dataTypes: join(folder, 'types'),
        purposes: join(folder, 'purposes'),
        dataUsers: join(folder, 'data-users'),
        sources: join(folder, 'sources'),
      },
    } as CheckedSettings;
    said = [];
    const uses = { list: async(): Promise<Map<string, string>> => new Map() };
    const extensions = shippedExtensions('BE');
    context = { settings, extensions, uses, logger: { warn }, now: (): Date => new Date('2026-03-01T12:00:00Z') };
    const mistakes = new Mistakes();
    documents = await openDocuments(context, mistakes);
    mistakes.throwErrors();
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  function warn(line: string): void {
    said.push(`warn ${line}`);
  }

  async function reload(): Promise<string[]> {
    said = [];
    await reloadDocuments(documents, context, {
      error: (line): unknown => said.push(`error ${line}`),
      info: (line): unknown => said.push(`info ${line}`),
      warn,
    });
    return said;
  }

  it('log additions, changes and removals.', async(): Promise<void> => {
    const unchanged = 'Data types: no change. Sources: no change. Contracts: no change.';
    await expect(reload()).resolves
      .toEqual([ `info Contracts, data types, purposes and sources were reloaded. ${unchanged}` ]);

    await writeFile(join(folder, 'types/card.ttl'), turtle);
    await mkdir(join(folder, 'sources/library-card/2025-02-01'), { recursive: true });
    await cp(join(folder, 'contracts/student-discount.jsonld'), join(folder, 'contracts/another.jsonld'));
    await rm(join(folder, 'contracts/diploma-employment.jsonld'));
    const [ changes ] = await reload();
    expect(changes).toContain('Data types: new library-card/2025-02-01.');
    expect(changes).toContain('Sources: new library-card/2025-02-01.');
    expect(changes).toContain('Contracts: new another; gone diploma-employment.');
    expect(documents.sources.find(card)).toBeDefined();
    expect(documents.artefacts.find('/v1/data-types/library-card/2025-02-01')).toBeDefined();

    await writeFile(join(folder, 'types/card.ttl'), turtle.replace('"Library card"@en', '"Card"@en'));
    expect((await reload())[0]).toContain('Data types: changed library-card/2025-02-01.');
    expect(documents.dataTypes.find(card)?.labels).toContainEqual({ value: 'Card', language: 'en' });
  });

  it('stay unchanged on a mistake, which is logged with file and place.', async(): Promise<void> => {
    await writeFile(join(folder, 'types/card.ttl'), turtle);
    await reload();
    const before = documents.dataTypes.find(card);
    const file = join(folder, 'types/card.ttl');
    await writeFile(file, turtle.replace('xsd:date ;', 'xsd:dat ;').replace('"Library card"@en', '"Card"@en'));
    await mkdir(join(folder, 'sources/library-card/2025-02-01'), { recursive: true });
    const lines = await reload();
    expect(lines[0]).toContain(`error Data types, purposes and sources were not reloaded: ${file}:`);
    expect(lines.at(-1)).toContain('Data types: no change. Sources: no change.');
    expect(documents.dataTypes.find(card)).toBe(before);
    expect(documents.sources.find(card)).toBeUndefined();
  });

  it('keep the objects of data types that did not change.', async(): Promise<void> => {
    const before = documents.dataTypes.list();
    await reload();
    expect(documents.dataTypes.list().every((type, index): boolean => type === before[index])).toBe(true);
  });
});
