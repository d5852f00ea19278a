import { randomUUID } from 'node:crypto';
import { NationalNumber } from '../../../src/identity/NationalNumber';
import { parseWebId } from '../../../src/platform/webId';
import { AccessRecord } from '../../../src/resources/AccessRecord';
import { fictitiousNumber } from '../../support/fictitiousNumber';
import { base, dataUser, SharingBench } from '../../support/sharingBench';

describe('The record of accesses', (): void => {
  const webId = parseWebId('https://noor.example/profile#me');
  let bench: SharingBench;

  beforeEach(async(): Promise<void> => {
    bench = await SharingBench.start();
  });

  afterEach(async(): Promise<void> => bench.stop());

  async function link(): Promise<string> {
    const id = randomUUID();
    const [ podUrl, nationalNumber ] = [ `${base}${id}/`, NationalNumber.stored(fictitiousNumber(1)) ];
    await bench.records.citizens.insertOrGet({
      id,
      webId,
      podUrl,
      brought: 'WEBID',
      nationalNumber,
      createdAt: bench.now,
    });
    await bench.records.citizens.setState(id, 'ACTIVE');
    return id;
  }

  it('is about the citizen who has the WebID now, after one that was linked to it before.', async(): Promise<void> => {
    const accesses = new AccessRecord({ records: bench.records, now: (): Date => bench.now });
    const grant = await bench.grant({ subject: webId });
    const access = { type: 'resource.read', caller: dataUser, uri: `${base}a`, grant } as const;
    const earlier = await link();
    await accesses.note(access, {});
    await bench.records.audit.flush();
    await bench.records.audit.forget(earlier);
    await bench.records.citizens.erase(earlier, bench.now);
    await accesses.note(access, {});
    const now = await link();
    await accesses.note(access, {});
    await bench.records.audit.flush();
    const rows = await bench.records.audit.list(0, 10);
    // Rows about an erased citizen name nobody.
    expect(rows.map(({ event: { citizenId }}): unknown => citizenId)).toEqual([ undefined, undefined, now ]);
  });
});
