import { userInfo } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { OpenRecords } from '../../../../src/storage/openRecords';
import type { Sweep } from '../../../../src/resources/SweepStore';
import { operate } from '../../../support/commandLine';
import { now, places } from '../../storage/places';
import type { Place } from '../../storage/places';

const begun: Sweep = {
  beganAt: now,
  isHurried: false,
  stage: 'citizens',
  position: '',
  pods: 0,
  removed: 0,
  marked: 0,
  failed: 0,
};

describe.each(places)('The sweep, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let records: OpenRecords['records'];

  beforeAll(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterAll(async(): Promise<void> => place.remove());

  it('records its progress, unless another process has recorded more or begun another one.', async(): Promise<void> => {
    const { sweeps } = records;
    await expect(sweeps.find()).resolves.toBeUndefined();
    await expect(sweeps.advance(begun, begun)).resolves.toBe(false);
    await sweeps.begin(now, false);
    await expect(sweeps.find()).resolves.toEqual(begun);
    const further: Sweep = { ...begun, position: 'a', pods: 20, removed: 1, marked: 2, failed: 3 };
    await expect(sweeps.advance(begun, further)).resolves.toBe(true);
    await expect(sweeps.advance(begun, { ...begun, position: 'b' })).resolves.toBe(false);
    const ended: Sweep = { ...further, stage: 'erased', position: '', endedAt: now };
    await expect(sweeps.advance(further, ended)).resolves.toBe(true);
    await expect(sweeps.find()).resolves.toEqual(ended);
    await sweeps.begin(now, true);
    await expect(sweeps.advance(begun, further)).resolves.toBe(false);
    await expect(sweeps.find()).resolves.toEqual({ ...begun, isHurried: true });
  });

  it('is started by the command, which waits for a server and reports the result.', async(): Promise<void> => {
    await expect(operate(place, [ 'sweep', '--wait', 'x' ])).resolves.toMatchObject({ code: 2 });
    const late = await operate(place, [ 'sweep', '--wait', '0' ]);
    expect(late).toMatchObject({ code: 3, output: expect.stringContaining('while a server runs. Pods: 0.') });
    const before = await records.sweeps.find();
    const waiting = operate(place, [ 'sweep' ]);
    let sweep = before!;
    while (sweep.beganAt.getTime() === before!.beganAt.getTime()) {
      await setTimeout(5);
      sweep = (await records.sweeps.find())!;
    }
    expect(sweep.isHurried).toBe(true);
    await records.sweeps.advance(sweep, { ...sweep, stage: 'erased', pods: 7, removed: 2, marked: 1, endedAt: now });
    await expect(waiting).resolves.toEqual(expect.objectContaining({
      code: 0,
      output: 'Pods: 7. Removed, as they are not on record: 2. ' +
        'Shares marked as gone or back: 1. Failed: 0.\n',
    }));
    const rows = await records.audit.list(0, 10);
    expect(rows.map(({ event: { type, personal }}): unknown => [ type, personal?.operator ]))
      .toEqual([[ 'sweep.begun', userInfo().username ], [ 'sweep.begun', userInfo().username ]]);
  });
});
