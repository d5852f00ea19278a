import { randomUUID } from 'node:crypto';
import type { Citizen } from '../../../src/identity/CitizenStore';
import { digestOf } from '../../../src/personal-data/digest';
import type { Mended } from '../../../src/personal-data/ShareSweep';
import type { Share } from '../../../src/personal-data/ShareStore';
import type { Shared } from '../../../src/personal-data/SharingService';
import { SweepRound } from '../../../src/resources/SweepRound';
import type { SweepRoundOptions } from '../../../src/resources/SweepRound';
import type { Sweep } from '../../../src/resources/SweepStore';
import type { BenchSharing } from '../../support/sharingBench';
import { context, plainRecord, SharingBench, silent } from '../../support/sharingBench';
import { resourceUri } from '../../support/uris';

const day = 24 * 3600 * 1000;
const type = 'application/ld+json';
const bytes = Buffer.from('{}');

describe('The sweep over pods', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
    bench.source.records = [ plainRecord('a'), plainRecord('b') ];
  });

  beforeEach(async(): Promise<void> => {
    bench.later(2 * day);
    bench.gateway.resources.clear();
    // Shares of earlier tests are gone from here on.
    await sweepAll();
    citizen = await bench.citizen();
  });

  afterAll(async(): Promise<void> => bench.stop());

  function round(options: Partial<SweepRoundOptions> = {}): SweepRound {
    return new SweepRound({
      records: bench.records,
      upkeep: bench.sharing(),
      citizenPods: { removeRemains: async(): Promise<boolean> => false },
      holder: randomUUID(),
      logger: silent(bench.logged),
      now: (): Date => bench.now,
      ...options,
    });
  }

  async function share(): Promise<Shared[]> {
    return bench.sharing().share(citizen, bench.contract.id, await bench.valueIds(citizen), context);
  }

  async function row({ podResource }: Shared): Promise<Share> {
    return (await bench.records.shares.findByResource(resourceUri(podResource)))!;
  }

  async function latest(): Promise<Sweep> {
    return (await bench.records.sweeps.find())!;
  }

  /** Runs a sweep on request, in a separate process. */
  async function sweepAll(options: Partial<SweepRoundOptions> = {}): Promise<Sweep> {
    bench.later(61_000);
    await bench.records.sweeps.begin(bench.now, true);
    await round(options).run();
    return latest();
  }

  /** Path of shared data that never existed. */
  function place(id: string = randomUUID()): string {
    return `${citizen.podUrl}credentials/${id.slice(0, 2)}/${id}`;
  }

  it('removes data that was never shared, with an audit row, and nothing else of the citizen\'s.', async():
  Promise<void> => {
    const shared = await share();
    const id = randomUUID();
    const own = [
      `${citizen.podUrl}notes`,
      `${citizen.podUrl}credentials/own`,
      `${citizen.podUrl}credentials/ab/own.jsonld`,
      `${citizen.podUrl}credentials/${id}`,
      `${citizen.podUrl}credentials/zz/${id}`,
      `${citizen.podUrl}credentials/${id.slice(0, 2)}/${id}x`,
      `${citizen.podUrl}credentials/${id.slice(0, 2)}/${id}/deeper`,
      `${citizen.podUrl}notes/${id.slice(0, 2)}/${id}`,
    ];
    const strays = [ place(), place() ];
    for (const uri of [ ...own, ...strays ]) {
      await bench.gateway.write(uri, bytes, type);
    }
    await expect(sweepAll()).resolves.toMatchObject({ removed: 2, marked: 0, failed: 0, endedAt: bench.now });
    expect([ ...bench.gateway.resources.keys() ].sort())
      .toEqual([ ...own, ...shared.map(({ podResource }): string => podResource) ].sort());
    const rows = await bench.records.audit.list(0, 10_000);
    const removed = rows.filter(({ event }): boolean => event.type === 'resource.deleted' &&
      event.citizenId === citizen.id);
    expect(new Set(removed.map(({ event }): unknown => event.personal?.resource))).toEqual(new Set(strays));
    await expect(sweepAll()).resolves.toMatchObject({ removed: 0, marked: 0 });
  });

  it('marks shares whose data is gone, and those whose data is back.', async(): Promise<void> => {
    const [ first, second ] = await share();
    const kept = bench.gateway.resources.get(first.podResource)!;
    await bench.gateway.remove(first.podResource);
    await expect(sweepAll()).resolves.toMatchObject({ removed: 0, marked: 1 });
    expect((await row(first)).absentAt).toEqual(bench.now);
    expect((await row(second)).absentAt).toBeUndefined();
    const { absentAt } = await row(first);
    await expect(sweepAll()).resolves.toMatchObject({ marked: 0 });
    expect((await row(first)).absentAt).toEqual(absentAt);
    await bench.gateway.write(first.podResource, kept.bytes, kept.contentType);
    await expect(sweepAll()).resolves.toMatchObject({ removed: 0, marked: 1 });
    await expect(row(first)).resolves.toMatchObject({ absentAt: undefined, invalidAt: undefined });
  });

  it('marks nothing in a pod that is missing as a whole, as on a disk that is not mounted.', async(): Promise<void> => {
    const [ first ] = await share();
    bench.gateway.resources.clear();
    bench.gateway.missing.add(citizen.podUrl);
    await expect(sweepAll()).resolves.toMatchObject({ marked: 0, failed: 1 });
    expect((await row(first)).absentAt).toBeUndefined();
    bench.gateway.missing.clear();
    await expect(sweepAll()).resolves.toMatchObject({ marked: 2, failed: 0 });
  });

  it('skips data being shared, and checks again when the share has ended.', async(): Promise<void> => {
    const { gateway } = bench;
    let swept: Promise<Mended> | undefined;
    // In the same process, a sweep runs while the first credential is in the pod without a row.
    const sharing: BenchSharing = bench.sharing(bench.records, {
      find: gateway.find.bind(gateway),
      findBytes: gateway.findBytes.bind(gateway),
      exists: gateway.exists.bind(gateway),
      list: gateway.list.bind(gateway),
      remove: gateway.remove.bind(gateway),
      async write(...args): Promise<void> {
        await gateway.write(...args);
        swept ??= sharing.sweep(citizen);
        await gateway.list(`${citizen.podUrl}credentials/`);
      },
    });
    const shared = await sharing.share(citizen, bench.contract.id, await bench.valueIds(citizen), context);
    await expect(swept!).resolves.toEqual({ removed: 0, marked: 0 });
    expect(shared.map(({ podResource }): boolean => gateway.resources.has(podResource))).toEqual([ true, true ]);
  });

  it('has interrupted shares undone first, and leaves those that cannot be.', async(): Promise<void> => {
    const uri = place();
    await bench.gateway.write(uri, bytes, type);
    await bench.records.shares.insertIntents([{
      id: randomUUID(),
      citizenId: citizen.id,
      resource: resourceUri(uri),
      digest: digestOf(Buffer.from('another')),
      existed: false,
      plan: JSON.stringify({ batch: randomUUID() }),
      createdAt: bench.now,
    }]);
    const { gateway } = bench;
    const full = bench.sharing(bench.records, {
      find: gateway.find.bind(gateway),
      findBytes: gateway.findBytes.bind(gateway),
      exists: gateway.exists.bind(gateway),
      list: gateway.list.bind(gateway),
      write: gateway.write.bind(gateway),
      remove: async(): Promise<void> => {
        throw new Error('no disk space');
      },
    });
    await expect(sweepAll({ upkeep: full })).resolves.toMatchObject({ removed: 0, failed: 0 });
    expect(gateway.resources.has(uri)).toBe(true);
    await sweepAll();
    expect(gateway.resources.has(uri)).toBe(false);
    await expect(bench.records.shares.listIntentsOf(citizen.id)).resolves.toEqual([]);
  });

  it('checks each pod once a day, a few at a time, whichever process continues.', async(): Promise<void> => {
    for (let count = 0; count < 45; count += 1) {
      await bench.citizen();
    }
    const all = (await bench.records.citizens.listPage('', 1000, 'ACTIVE')).map(({ id }): string => id);
    bench.later(day);
    const looked: string[] = [];
    const runs: number[] = [];
    const upkeep = { sweep: async({ id }: Citizen): Promise<Mended> => {
      looked.push(id);
      return { removed: 0, marked: 0 };
    } };
    for (let hour = 0; hour < 24; hour += 1) {
      const before = looked.length;
      await round({ upkeep }).run();
      runs.push(looked.length - before);
      bench.later(day / 24 - 1);
    }
    expect(looked).toEqual([ ...all ].sort());
    expect(Math.max(...runs)).toBe(20);
    await expect(latest()).resolves.toMatchObject({ pods: all.length, stage: 'erased' });
    bench.later(60_000);
    await round({ upkeep }).run();
    expect(looked).toHaveLength(all.length + 20);
  });

  it('is done by one process at a time; another takes over when it is gone.', async(): Promise<void> => {
    const looked: string[] = [];
    const upkeep = { sweep: async({ id }: Citizen): Promise<Mended> => {
      looked.push(id);
      return { removed: 0, marked: 0 };
    } };
    await bench.records.sweeps.begin(bench.now, false);
    await Promise.all([ round({ upkeep }).run(), round({ upkeep }).run(), round({ upkeep }).run() ]);
    expect(new Set(looked).size).toBe(looked.length);
    await round({ upkeep }).run();
    const { length } = looked;
    bench.later(61_000);
    await bench.records.sweeps.begin(bench.now, true);
    await round({ upkeep }).run();
    expect(looked.length - length).toBe((await bench.records.citizens.listPage('', 1000, 'ACTIVE')).length);
  });

  it('restarts if the clock was ahead, and skips pods that it cannot read.', async(): Promise<void> => {
    await sweepAll();
    bench.later(-7 * day);
    const upkeep = { sweep: async(): Promise<never> => {
      throw new Error('no connection');
    } };
    await round({ upkeep }).run();
    const begun = await latest();
    expect(begun.beganAt).toEqual(bench.now);
    expect(begun.failed).toBeGreaterThan(0);
    await expect(sweepAll()).resolves.toMatchObject({ failed: 0 });
  });

  it('has the remains of erased pods removed.', async(): Promise<void> => {
    const others = [ await bench.citizen(), await bench.citizen() ];
    for (const { id } of others) {
      await bench.records.citizens.erase(id, bench.now);
    }
    const asked: string[] = [];
    const citizenPods = { removeRemains: async(podUrl: string): Promise<boolean> => {
      asked.push(podUrl);
      return podUrl === others[0].podUrl;
    } };
    await expect(sweepAll({ citizenPods })).resolves.toMatchObject({ removed: 1, failed: 0 });
    expect(asked).toEqual(expect.arrayContaining(others.map(({ podUrl }): string => podUrl)));
  });
});
