import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NationalNumber } from '../../../src/identity/NationalNumber';
import { ListBudget } from '../../../src/personal-data/ListBudget';
import { RecordReader } from '../../../src/personal-data/RecordReader';
import type { ReadableRecord, Reading } from '../../../src/personal-data/RecordReader';
import { parseWebId } from '../../../src/platform/webId';
import { loadDataTypes } from '../../support/mistakes';
import { fictitiousNumber } from '../../support/fictitiousNumber';
import { base, SharingBench } from '../../support/sharingBench';

const fixture = join(__dirname, '../../fixtures/data-types/library-card.ttl');
const dataType = 'https://library.example/types/library-card/2025-02-01';
const vocabulary = 'https://library.example/ns#';

describe('A record that was parsed', (): void => {
  let bench: SharingBench;
  let folder: string;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
    folder = await mkdtemp(join(tmpdir(), 'reader-'));
    await cp(fixture, join(folder, 'card.ttl'));
  });

  afterAll(async(): Promise<void> => {
    await bench.stop();
    await rm(folder, { recursive: true });
  });

  it('is cached until its data type changes.', async(): Promise<void> => {
    const dataTypes = await loadDataTypes({ base, folder });
    const reader = new RecordReader({ credentials: bench.credentials, dataTypes, now: (): Date => bench.now });
    const webId = parseWebId(`${base}somebody/profile/card#me`);
    const source = { '@context': { '@vocab': vocabulary }, '@type': 'LibraryCard', holder: 'Noor' };
    const document = bench.credentials.draft({ webId, dataType, subject: source });
    const nationalNumber = NationalNumber.stored(fictitiousNumber(1));
    const record: ReadableRecord = { webId, nationalNumber, dataType, document, source };
    async function read(): Promise<Reading | undefined> {
      return reader.read(record, JSON.stringify(document), new ListBudget());
    }
    const first = await read();
    expect(first?.inspection.errors).toEqual([]);
    await expect(read()).resolves.toBe(first);

    dataTypes.adopt(await loadDataTypes({ base, folder }));
    await expect(read()).resolves.toBe(first);

    const turtle = await readFile(fixture, 'utf8');
    const dated = turtle.replaceAll('sh:datatype xsd:string ; sh:minCount 1', 'sh:datatype xsd:date ; sh:minCount 1');
    await writeFile(join(folder, 'card.ttl'), dated);
    dataTypes.adopt(await loadDataTypes({ base, folder }));
    expect((await read())?.inspection.errors.length).toBeGreaterThan(0);
  });
});
