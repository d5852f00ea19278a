import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConflictHttpError } from '@solid/community-server';
import { KeyedMutex } from '../../../src/platform/KeyedMutex';
import type { HostedPod, PodHost } from '../../../src/identity/PodHost';
import { podMadeHere } from '../../../src/identity/podMadeHere';
import { belgianNumbers } from '../../../src/identity/belgianNumbers';
import { CitizenCallers } from '../../../src/identity/CitizenCallers';
import { CitizenPodService } from '../../../src/identity/CitizenPodService';
import { CitizenStates } from '../../../src/identity/CitizenStates';
import { OwnWebIds } from '../../../src/identity/OwnWebIds';
import { WebIdService } from '../../../src/identity/WebIdService';
import { markForErasure } from '../../../src/operations/eraseCitizen';
import type { OpenRecords } from '../../../src/storage/openRecords';
import { Concealed } from '../../../src/platform/Concealed';
import type { Caller } from '../../../src/tokens/Caller';
import type { Stores } from '../../../src/storage/Stores';
import { sharedByCitizens } from '../../../src/personal-data/sharedByCitizens';
import { parseWebId } from '../../../src/platform/webId';
import { fictitiousNumber } from '../../support/fictitiousNumber';
import { openRecordsOf } from '../../support/openRecordsOf';
import { base, context, silent } from '../../support/sharingBench';
import { resourceUri } from '../../support/uris';

const nothing = silent([]);
const now = new Date('2026-03-01T12:00:00Z');

function clock(): Date {
  return now;
}

interface Created {
  webId: string;
  created: boolean;
}

/** Pods by name, in memory; its process can be killed before or after any step. */
class MemoryPodHost implements PodHost {
  public readonly pods = new Map<string, string>();
  public readonly secluded = new Set<string>();
  public readonly cleared: string[][] = [];
  public accounts = 0;
  public overtakeAt?: 'before account' | 'after account' | 'after pod' | 'repair';
  public overtake?: () => Promise<unknown>;
  public killAt?: 'before account' | 'after account' | 'after pod' | 'before removal' | 'after removal';

  public async create(
    podName: string,
    known: string | undefined,
    onAccount: (accountId: string) => Promise<void>,
    ownWebId?: string,
  ): Promise<HostedPod> {
    this.die('before account');
    await this.meet('before account');
    let accountId = known;
    if (accountId === undefined) {
      this.accounts += 1;
      accountId = `account-${this.accounts}`;
      await onAccount(accountId);
    }
    this.die('after account');
    await this.meet('after account');
    const { podUrl, webId } = podMadeHere(podName, base);
    this.pods.set(podUrl, accountId);
    this.die('after pod');
    await this.meet('after pod');
    return { accountId, podUrl, webId: parseWebId(ownWebId ?? webId) };
  }

  public async repair(): Promise<void> {
    await this.meet('repair');
  }

  public async findAccount(): Promise<undefined> {
    // Nobody logs in here.
  }

  public async seclude({ container }: { container: string }): Promise<void> {
    this.secluded.add(container);
  }

  public async clear(container: string, resources: string[]): Promise<void> {
    this.cleared.push([ container, ...resources ]);
  }

  public async delete({ podUrl }: { podUrl: string }): Promise<void> {
    this.die('before removal');
    this.pods.delete(podUrl);
    this.die('after removal');
  }

  public async removeRemains(podUrl: string): Promise<boolean> {
    return this.pods.delete(podUrl);
  }

  /** Lets another node remove the citizen at that step, which then fails as the server's own store does. */
  private async meet(step: typeof this.overtakeAt): Promise<void> {
    if (this.overtakeAt === step) {
      this.overtakeAt = undefined;
      await this.overtake!();
      throw new ConflictHttpError('The container is being removed.');
    }
  }

  private die(step: typeof this.killAt): void {
    if (this.killAt === step) {
      throw new Error('killed');
    }
  }
}

function claim(text: string): Concealed {
  return new Concealed(text, 'citizen_national_id');
}

describe('The WebIdService', (): void => {
  let folder: string;
  let open: OpenRecords;
  let pods: MemoryPodHost;
  let service: WebIdService<Stores>;
  let serial = 0;
  const mutex = new KeyedMutex();

  /** New services over the same records and pods, as after a restart. */
  function restart(apps?: string[], locks = mutex): { webIds: WebIdService<Stores>; states: CitizenStates<Stores> } {
    const { records } = open;
    const ownWebIds = new OwnWebIds({ ...records, pods, baseUrl: base, enabled: true });
    const citizenPods = new CitizenPodService({ records, shared: sharedByCitizens, pods, ownWebIds, baseUrl: base });
    const states = new CitizenStates(
      { records, shared: sharedByCitizens, pods: citizenPods, mutex: locks, now: clock, logger: nothing },
    );
    const callers = new CitizenCallers(records.citizens, belgianNumbers, apps);
    const webIds = new WebIdService({ records, callers, pods: citizenPods, states, now: clock, newId: randomUUID });
    return { webIds, states };
  }

  function citizen(more: Partial<Caller> = {}): Caller {
    serial += 1;
    return {
      kind: 'solid-oidc',
      nationalNumber: claim(fictitiousNumber(serial)),
      issuer: 'https://national.example/',
      app: 'app-1',
      expiresAt: now,
      ...more,
    };
  }

  beforeAll(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'web-ids-'));
    open = await openRecordsOf(folder, { clock, logger: nothing });
  });

  beforeEach((): void => {
    pods = new MemoryPodHost();
    service = restart().webIds;
  });

  afterAll(async(): Promise<void> => {
    await open.close();
    await rm(folder, { recursive: true });
  });

  it('creates one WebID and pod, however many calls run at once.', async(): Promise<void> => {
    const caller = citizen();
    const calls = Array.from({ length: 50 }, async(): Promise<Created> => service.create(caller, context));
    const results = await Promise.all(calls);
    expect(results.filter(({ created }): boolean => created)).toHaveLength(1);
    expect(new Set(results.map(({ webId }): string => webId)).size).toBe(1);
    expect(pods.pods.size).toBe(1);
    expect(pods.accounts).toBe(1);
    await expect(service.get(caller, context)).resolves.toMatchObject({ webId: results[0].webId });
  });

  it('finds a citizen by number, however it is written.', async(): Promise<void> => {
    const caller = citizen();
    const { webId } = await service.create(caller, context);
    const written = caller.nationalNumber!.reveal().replace(/^(..)(..)(..)(...)(..)$/u, '$1.$2.$3-$4.$5');
    await expect(service.get({ ...caller, nationalNumber: claim(written) }, context)).resolves.toMatchObject({ webId });
  });

  it('throws webid-not-found before creation and after removal.', async(): Promise<void> => {
    const caller = citizen();
    await expect(service.get(caller, context)).rejects.toMatchObject({ type: 'webid-not-found' });
    await expect(service.delete(caller, context)).rejects.toMatchObject({ type: 'webid-not-found' });
    const { webId } = await service.create(caller, context);
    await expect(service.delete(caller, context)).resolves.toBe(webId);
    await expect(service.get(caller, context)).rejects.toMatchObject({ type: 'webid-not-found' });
    expect(pods.pods.size).toBe(0);
  });

  it('removes a pod only after current work in it has ended.', async(): Promise<void> => {
    const caller = citizen();
    const { webId } = await service.create(caller, context);
    const { id, podUrl } = (await open.records.citizens.findByWebId(webId))!;
    const sharing = new EventEmitter();
    const isThere = mutex.run(id, async(): Promise<boolean> => {
      await once(sharing, 'end');
      return pods.pods.has(podUrl);
    });
    const deletion = service.delete(caller, context);
    while ((await open.records.citizens.findById(id))?.state !== 'DELETING') {
      await new Promise(setImmediate);
    }
    sharing.emit('end');
    await expect(isThere).resolves.toBe(true);
    await deletion;
    expect(pods.pods.has(podUrl)).toBe(false);
  });

  it('revokes the credentials of an erased citizen, and forgets their records.', async(): Promise<void> => {
    const caller = citizen();
    const { webId } = await service.create(caller, context);
    const { id, podUrl } = (await open.records.citizens.findByWebId(webId))!;
    const status = await open.records.statusLists.allocate('credentials');
    const resource = resourceUri(`${podUrl}credentials/1`);
    const shareId = randomUUID();
    await open.records.shares.save({
      id: shareId,
      citizenId: id,
      contractId: 'diplomas',
      dataType: 'https://types.example/diploma',
      recordId: '1',
      version: '1',
      resource,
      contentType: 'application/ld+json',
      size: 1,
      digest: '00',
      status,
      grantId: randomUUID(),
      createdAt: now,
      modifiedAt: now,
    });
    await expect(open.records.statusLists.isRevoked(status)).resolves.toBe(false);
    await service.delete(caller, context);
    await expect(open.records.statusLists.isRevoked(status)).resolves.toBe(true);
    await expect(open.records.shares.findByResource(resource)).resolves
      .toMatchObject({ recordId: shareId, version: '', digest: '' });
  });

  it('never reuses a name.', async(): Promise<void> => {
    const caller = citizen();
    const first = await service.create(caller, context);
    await service.delete(caller, context);
    const second = await service.create(caller, context);
    expect(second).toMatchObject({ created: true });
    expect(second.webId).not.toBe(first.webId);
    await expect(open.records.citizens.isTombstone(first.webId.replace('profile/card#me', ''))).resolves.toBe(true);
  });

  it.each([
    [ 'claim-missing', 'no number', { nationalNumber: undefined }],
    [ 'issuer-not-national', 'one of another issuer', { nationalNumber: undefined, nationalNumberNotBelieved: true }],
    [ 'identity-invalid', 'wrong check digits', { nationalNumber: claim('85073003329') }],
    [ 'identity-invalid', 'another text', { nationalNumber: claim('eleven digits') }],
  ])('refuses with %s a token with %s, and creates nothing.', async(type, _what, claims): Promise<void> => {
    const caller = citizen(claims);
    await expect(service.create(caller, context)).rejects.toMatchObject({ type, status: 403 });
    await expect(service.get(caller, context)).rejects.toMatchObject({ type, status: 403 });
    expect(pods.accounts).toBe(0);
  });

  it('refuses a token whose claims name two citizens.', async(): Promise<void> => {
    const one = citizen();
    const other = citizen();
    await service.create(one, context);
    const { webId } = await service.create(other, context);
    await expect(service.delete({ ...one, webId }, context)).rejects.toMatchObject({ type: 'identity-mismatch' });
    await expect(service.get(other, context)).resolves.toMatchObject({ webId });
  });

  it('removes by WebID alone, but neither reads nor creates by it.', async(): Promise<void> => {
    const caller = citizen();
    const { webId } = await service.create(caller, context);
    const byWebId = { ...caller, nationalNumber: undefined, webId };
    await expect(service.get(byWebId, context)).rejects.toMatchObject({ type: 'claim-missing' });
    await expect(service.create(byWebId, context)).rejects.toMatchObject({ type: 'claim-missing' });
    await expect(service.delete(byWebId, context)).resolves.toBe(webId);
  });

  it('lets only listed applications act if there is a list.', async(): Promise<void> => {
    const restricted = restart([ 'app-1' ]).webIds;
    await expect(restricted.create(citizen({ app: 'app-2' }), context))
      .rejects.toMatchObject({ type: 'app-not-allowed' });
    await expect(restricted.create(citizen({ app: undefined }), context))
      .rejects.toMatchObject({ type: 'app-not-allowed' });
    await expect(restricted.create(citizen(), context)).resolves.toMatchObject({ created: true });
  });

  it.each([ 'before account', 'after account', 'after pod' ] as const)(
    'finishes a creation killed %s at the next start.',
    async(step): Promise<void> => {
      const caller = citizen();
      pods.killAt = step;
      await expect(service.create(caller, context)).rejects.toThrow('killed');
      await expect(service.get(caller, context)).rejects.toMatchObject({ type: 'webid-not-found' });

      pods.killAt = undefined;
      const { states, webIds: restarted } = restart();
      await states.recover();
      const { webId } = await restarted.get(caller, context);
      await expect(restarted.create(caller, context)).resolves.toMatchObject({ webId, created: false });
      expect(pods.pods.size).toBe(1);
      expect(pods.accounts).toBe(1);
    },
  );

  it.each([ 'before account', 'after account', 'after pod', 'repair' ] as const)(
    'asks to retry, and leaves nothing, if another process erases the citizen %s.',
    async(step): Promise<void> => {
      const caller = citizen();
      if (step === 'repair') {
        await service.create(caller, context);
      }
      const elsewhere = restart(undefined, new KeyedMutex()).webIds;
      pods.overtakeAt = step;
      pods.overtake = async(): Promise<unknown> => elsewhere.delete(caller, context);
      await expect(service.create(caller, context)).rejects.toMatchObject({ type: 'unavailable', status: 503 });
      expect(pods.pods.size).toBe(0);
      await expect(service.create(caller, context)).resolves.toMatchObject({ created: true });
    },
  );

  it.each([ 'before removal', 'after removal' ] as const)(
    'finishes a removal killed %s at the next start, and it is effective at once.',
    async(step): Promise<void> => {
      const caller = citizen();
      const { webId } = await service.create(caller, context);
      pods.killAt = step;
      await expect(service.delete(caller, context)).rejects.toThrow('killed');
      await expect(service.get(caller, context)).rejects.toMatchObject({ type: 'webid-not-found' });
      await expect(open.records.citizens.findByWebId(webId)).resolves.toMatchObject({ state: 'DELETING' });

      pods.killAt = undefined;
      await restart().states.recover();
      await expect(open.records.citizens.findByWebId(webId)).resolves.toBeUndefined();
      expect(pods.pods.size).toBe(0);
    },
  );

  async function countRemovals(): Promise<number> {
    await open.records.audit.flush();
    const rows = await open.records.audit.list(0, 10_000);
    return rows.filter(({ event }): boolean => event.type === 'webid.deleted').length;
  }

  it('records the removal of a WebID once, however often and wherever it is requested.', async(): Promise<void> => {
    const caller = citizen();
    const { webId } = await service.create(caller, context);
    const before = await countRemovals();
    pods.killAt = 'before removal';
    await expect(service.delete(caller, context)).rejects.toThrow('killed');
    await expect(restart().webIds.delete(caller, context)).rejects.toThrow('killed');
    await markForErasure(open.records, { webId }, { operator: 'operator', now: clock });
    pods.killAt = undefined;
    const nodes = [ restart(undefined, new KeyedMutex()), restart(undefined, new KeyedMutex()) ];
    await Promise.allSettled(nodes.map(async({ webIds }): Promise<unknown> => webIds.delete(caller, context)));
    await expect(countRemovals()).resolves.toBe(before + 1);
  });

  it('removes a citizen whose interrupted creation another call finishes at the same time.', async(): Promise<void> => {
    const caller = citizen();
    pods.killAt = 'after account';
    await expect(service.create(caller, context)).rejects.toThrow('killed');
    pods.killAt = undefined;
    const { states } = restart();
    const [ interrupted ] = await open.records.citizens.listByState('CREATING');
    await Promise.all([ states.delete(interrupted, context), states.finish(interrupted, 'CREATING') ]);
    await expect(open.records.citizens.findById(interrupted.id)).resolves.toBeUndefined();
  });

  it('finishes an interrupted removal before it creates another pod.', async(): Promise<void> => {
    const caller = citizen();
    const { webId } = await service.create(caller, context);
    pods.killAt = 'before removal';
    await expect(service.delete(caller, context)).rejects.toThrow('killed');
    pods.killAt = undefined;
    const again = await restart().webIds.create(caller, context);
    expect([ again.created, again.webId === webId ]).toEqual([ true, false ]);
    expect(pods.pods.size).toBe(1);
  });

  it('links one WebID to a number when two are claimed at once.', async(): Promise<void> => {
    const caller = citizen();
    const results = await Promise.allSettled([ 'one', 'two' ].map(async(name): Promise<Created> =>
      service.create({ ...caller, webId: parseWebId(`https://${name}.example/card#me`) }, context)));
    expect(results.map(({ status }): string => status).sort()).toEqual([ 'fulfilled', 'rejected' ]);
    expect(results).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ type: 'identity-mismatch' }),
    });
    expect(pods.pods.size).toBe(1);
  });

  it('keeps no personal facts of an erased citizen in an audit log that still verifies.', async(): Promise<void> => {
    const caller = citizen();
    const { webId } = await service.create(caller, context);
    await service.delete(caller, context);
    await open.records.audit.flush();
    const rows = await open.records.audit.list(0, 10_000);
    expect(JSON.stringify(rows)).not.toContain(webId);
    expect(rows.filter(({ event }): boolean => event.type === 'webid.deleted').length).toBeGreaterThan(0);
    await expect(open.records.audit.verify()).resolves.toEqual([]);
  });
});
