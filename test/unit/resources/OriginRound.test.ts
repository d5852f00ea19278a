import { CopyClock } from '../../../src/data-copies/CopyClock';
import type { Citizen } from '../../../src/identity/CitizenStore';
import type { OriginCheck } from '../../../src/platform/diagnostics';
import { originChecks } from '../../../src/platform/diagnostics';
import type { Shared } from '../../../src/personal-data/SharingService';
import type { Share } from '../../../src/personal-data/ShareStore';
import { OriginUnavailable } from '../../../src/problems';
import { CheckUnavailable } from '../../../src/credentials/Credential';
import { context, dataType, dataUser, plainRecord, SharingBench } from '../../support/sharingBench';
import { resourceUri } from '../../support/uris';

const day = 24 * 3600 * 1000;

describe('The check of shares at their origin', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;
  let shared: Shared[];
  let outcomes: (string | undefined)[];
  let late: number[];
  let stopListening: () => void;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
  });

  beforeEach(async(): Promise<void> => {
    // Shares of earlier tests are no longer due.
    for (const share of await bench.records.shares.listDue(dataType, new Date(8e15), 1000)) {
      await bench.records.shares.setAbsent(share.resource, bench.now);
    }
    bench.later(2 * day);
    citizen = await bench.citizen();
    bench.source.isDown = false;
    bench.source.withdrawn.clear();
    bench.source.records = Array.from({ length: 6 }, (_, at): ReturnType<typeof plainRecord> => plainRecord(`r${at}`));
    bench.gateway.resources.clear();
    shared = await bench.sharing().share(citizen, bench.contract.id, await bench.valueIds(citizen), context);
    [ outcomes, late ] = [[], []];
    stopListening = originChecks.listen(({ lateSeconds, outcome }: OriginCheck): void => {
      outcomes.push(...outcome === undefined ? [] : [ outcome ]);
      late.push(...lateSeconds === undefined ? [] : [ lateSeconds ]);
    });
  });

  afterEach((): void => stopListening());

  afterAll(async(): Promise<void> => bench.stop());

  async function row({ podResource }: Shared = shared[0]): Promise<Share> {
    return (await bench.records.shares.findByResource(resourceUri(podResource)))!;
  }

  /** The data user reports a copy. */
  async function storeCopy({ accessGrant, podResource }: Shared): Promise<void> {
    await bench.records.dataCopies.insertOrGet({
      id: `copy of ${accessGrant} ${podResource}`,
      dataUser,
      resource: resourceUri(podResource),
      purpose: 'p',
      accessGrant,
      grantId: accessGrant.split('/').at(-1)!,
      storedAt: bench.now,
      reportedAt: bench.now,
    });
  }

  /** Returns the data user's events about a resource, up to now. */
  async function eventsOf({ podResource }: Shared): Promise<string[]> {
    await new CopyClock({ records: bench.records, graceMs: day, now: (): Date => bench.now }).run();
    const { events } = await bench.records.events.list(dataUser, 0, 10_000);
    return events.filter(({ data }): boolean => data.resource === podResource).map(({ type }): string => type);
  }

  /** Runs for a whole interval, an hour apart, each in a new process as after restarts. */
  async function runDay(options: Parameters<SharingBench['round']>[0] = {}): Promise<void> {
    for (let hour = 0; hour < 24; hour += 1) {
      bench.later(day / 24);
      await bench.round(options).run();
    }
  }

  it('checks each once per interval, and not earlier.', async(): Promise<void> => {
    await bench.round().run();
    expect(outcomes).toEqual([]);
    await runDay();
    expect(outcomes).toEqual(Array.from({ length: 6 }, (): string => 'valid'));
    await runDay();
    expect(outcomes).toHaveLength(12);
    const { checkedAt } = await row();
    expect(bench.now.getTime() - checkedAt!.getTime()).toBeLessThanOrEqual(day);
  });

  it('reports how late it is.', async(): Promise<void> => {
    const { checkAt } = await row();
    await bench.round().run();
    bench.later(3 * day);
    await bench.round().run();
    await bench.round().run();
    expect(late).toEqual([ 0, expect.any(Number), 0 ]);
    expect(late[1]).toBeGreaterThanOrEqual((bench.now.getTime() - checkAt!.getTime()) / 1000);
  });

  it('finds data that the source no longer confirms, and has it revoked and listed.', async(): Promise<void> => {
    const { podResource: resource } = shared[0];
    const { status, recordId } = await row();
    await storeCopy(shared[0]);
    const before = await eventsOf(shared[0]);
    bench.source.withdrawn.add(recordId);
    await runDay();
    await expect(eventsOf(shared[0])).resolves.toEqual([ ...before, 'ResourceUpdated', 'DataCopyDue' ]);
    const { invalidAt, invalidReason, checkAt } = await row();
    expect(invalidReason).toBe('withdrawn');
    expect(checkAt).toBeUndefined();
    await expect(bench.records.statusLists.isRevoked(status!)).resolves.toBe(true);
    const seen = await bench.podListing().list({ podId: citizen.id, limit: 50 }, citizen.webId, context);
    expect(seen.resources.filter(({ originInvalidSince }): boolean => originInvalidSince !== undefined))
      .toMatchObject([{ uri: resource, originInvalidSince: invalidAt!.toISOString() }]);
    const theirs = await bench.podListing().list({ podId: citizen.id, limit: 50 }, dataUser, context);
    expect(JSON.stringify(theirs)).not.toContain('originInvalidSince');
    const events = (await bench.records.audit.list(0, 10_000)).map(({ event }): typeof event => event)
      .filter(({ type, citizenId }): boolean => type === 'credential.invalid' && citizenId === citizen.id);
    expect(events).toMatchObject([{ facts: { reason: 'withdrawn', dataType }, personal: { resource }}]);
    // It stays invalid, even if the source confirms it later, and is not checked again.
    bench.source.withdrawn.clear();
    outcomes = [];
    await runDay();
    expect(outcomes).toHaveLength(5);
    await expect(row()).resolves.toMatchObject({ invalidAt });
    // Shared again, it is another credential.
    await bench.sharing().share(citizen, bench.contract.id, (await bench.valueIds(citizen)).slice(0, 6), context);
    await expect(row()).resolves.toMatchObject({ invalidAt: undefined, invalidReason: undefined });
    expect((await row()).status).not.toEqual(status);
  });

  it('concludes nothing from an unavailable source, and asks it less and less often.', async(): Promise<void> => {
    bench.later(day);
    bench.source.isDown = true;
    const round = bench.round();
    await round.run();
    const first = outcomes.length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(4);
    await round.run();
    expect(outcomes).toHaveLength(first);
    for (let seconds = 0; seconds < 600; seconds += 2) {
      bench.later(2000);
      await round.run();
    }
    // After 15, 30, 60, 120 and 240 seconds, and one at a time.
    expect(outcomes.slice(first)).toEqual(Array.from({ length: outcomes.length - first }, (): string => 'unavailable'));
    expect(outcomes.length - first).toBeGreaterThan(1);
    expect(outcomes.length - first).toBeLessThanOrEqual(6);
    await expect(row()).resolves.toMatchObject({ invalidAt: undefined });
    bench.source.isDown = false;
    outcomes = [];
    for (let minutes = 0; minutes < 60; minutes += 1) {
      bench.later(60_000);
      await round.run();
    }
    expect(new Set(outcomes)).toEqual(new Set([ 'valid' ]));
    expect(outcomes.length).toBeGreaterThanOrEqual(6);
  });

  it('is not delayed by one whose issuer is unavailable.', async(): Promise<void> => {
    const { resource } = await row();
    await runDay({
      verifier: {
        check: async(share): Promise<Share> => {
          if (share.resource === resource) {
            throw new OriginUnavailable(undefined, { cause: new CheckUnavailable('away') });
          }
          return bench.origin.check(share);
        },
      },
    });
    expect(outcomes.filter((outcome): boolean => outcome === 'valid')).toHaveLength(5);
    expect(outcomes.filter((outcome): boolean => outcome === 'unavailable').length).toBeGreaterThan(0);
  });

  it('skips those without active grant or open copy.', async(): Promise<void> => {
    const [ one, two ] = shared;
    await storeCopy(two);
    for (const { accessGrant: uri } of [ one, two ]) {
      await bench.records.grants.revoke(uri.split('/').at(-1)!, bench.now);
    }
    await runDay();
    expect(outcomes.filter((outcome): boolean => outcome === 'idle')).toHaveLength(1);
    expect(outcomes.filter((outcome): boolean => outcome === 'valid')).toHaveLength(5);
    // The operator can still request it, once the process of the last run is gone.
    await bench.records.shares.requestCheck(resourceUri(one.podResource));
    outcomes = [];
    bench.later(60_000);
    await bench.round({ intervalMs: undefined }).run();
    expect(outcomes).toEqual([ 'valid' ]);
    // A grant on the container brings it back.
    await bench.grant({ subject: citizen.webId, resources: [ `${citizen.podUrl}credentials/` ]});
    outcomes = [];
    // At once: in a day of hours, one due within the last minute would come twice.
    bench.later(day);
    await bench.round().run();
    expect(outcomes).toEqual(Array.from({ length: 6 }, (): string => 'valid'));
  });

  it('is done by one process at a time; another takes over when it is gone.', async(): Promise<void> => {
    const one = bench.round({ holder: 'one' });
    const other = bench.round({ holder: 'other' });
    bench.later(day);
    await expect(bench.records.duties.take('origin-checks', 'one', bench.now, new Date(bench.now.getTime() + 60_000)))
      .resolves.toBe(true);
    await other.run();
    expect(outcomes).toEqual([]);
    await one.run();
    expect(outcomes).toHaveLength(6);
    bench.later(day);
    await Promise.all([ other.run(), one.run() ]);
    expect(outcomes).toHaveLength(12);
  });

  it('does only what the operator requests if it is switched off, at once.', async(): Promise<void> => {
    await runDay({ intervalMs: undefined });
    expect(outcomes).toEqual([]);
    await bench.records.shares.requestCheck(resourceUri(shared[3].podResource));
    await bench.round({ intervalMs: undefined }).run();
    expect(outcomes).toEqual([ 'valid' ]);
  });

  it('marks data that is gone, and data that was altered.', async(): Promise<void> => {
    await bench.gateway.remove(shared[0].podResource);
    await bench.gateway.write(shared[1].podResource, Buffer.from('{}'), 'application/ld+json');
    await runDay();
    expect((await row(shared[0])).absentAt).toBeDefined();
    await expect(row(shared[1])).resolves.toMatchObject({ invalidReason: 'altered' });
  });
});
