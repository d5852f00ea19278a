import type { AuditEventType } from '../../../src/audit/AuditLog';
import type { Citizen } from '../../../src/identity/CitizenStore';
import { digestOf } from '../../../src/personal-data/digest';
import type { Share, ShareIntent, ShareStore } from '../../../src/personal-data/ShareStore';
import type { Shared } from '../../../src/personal-data/SharingService';
import {
  BodyInvalid,
  ContractNotConsumable,
  ContractNotFound,
  ValueChanged,
  ValueInvalid,
  ValueUnknown,
} from '../../../src/problems';
import type { Records } from '../../../src/platform/Records';
import type { Stores } from '../../../src/storage/Stores';
import type { PodGateway } from '../../../src/pods/PodGateway';
import type { BenchSharing } from '../../support/sharingBench';
import { certificate, context, dataType, dataUser, plainRecord, SharingBench } from '../../support/sharingBench';
import { resourceUri } from '../../support/uris';

class Killed extends Error {}

/** Lets a process die at one of its steps: before it, or after it but before its caller learns of it. */
class Mortality {
  private steps = 0;
  private dead = false;

  public constructor(private readonly lastStep: number, private readonly isAfter: boolean) {}

  public get isOver(): boolean {
    return this.dead;
  }

  public async step<T>(work: () => Promise<T>): Promise<T> {
    this.assertAlive();
    this.steps += 1;
    const isLast = this.steps === this.lastStep;
    if (isLast && !this.isAfter) {
      this.dead = true;
    }
    this.assertAlive();
    const result = await work();
    this.dead ||= isLast;
    this.assertAlive();
    return result;
  }

  private assertAlive(): void {
    if (this.dead) {
      throw new Killed();
    }
  }
}

describe('Sharing', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;
  let sharing: BenchSharing;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
  });

  beforeEach(async(): Promise<void> => {
    citizen = await bench.citizen();
    sharing = bench.sharing();
    bench.source.isDown = false;
    bench.source.records = [ plainRecord('a'), plainRecord('b'), plainRecord('c') ];
    bench.contract.digest = 'digest-1';
    bench.gateway.resources.clear();
  });

  afterAll(async(): Promise<void> => bench.stop());

  async function share(ids?: string[], by = sharing): Promise<Shared[]> {
    return by.share(citizen, bench.contract.id, ids ?? await bench.valueIds(citizen), context);
  }

  async function shares(): Promise<Share[]> {
    return (await bench.records.shares.list(citizen.id, { limit: 100 })).shares;
  }

  async function events(type: AuditEventType): Promise<object[]> {
    const rows = await bench.records.audit.list(0, 10_000);
    return rows.map(({ event }): { type: string; citizenId?: string } => event)
      .filter((event): boolean => event.type === type && event.citizenId === citizen.id);
  }

  /** Expects a consistent state: the pod has what is recorded, and nothing is in progress. */
  async function expectConsistent(): Promise<void> {
    const rows = await shares();
    expect([ ...bench.gateway.resources.keys() ].sort()).toEqual(rows.map(({ resource }): string => resource).sort());
    for (const { resource, digest, grantId, status } of rows) {
      expect(digestOf(bench.gateway.resources.get(resource)!.bytes)).toBe(digest);
      await expect(bench.records.grants.findById(grantId)).resolves.toMatchObject({ resources: [ resource ]});
      await expect(bench.records.statusLists.isRevoked(status!)).resolves.toBe(false);
    }
    await expect(bench.records.shares.listIntents()).resolves.toEqual([]);
  }

  /** Records and pods of a process that dies at some step. */
  function mortal(mortality: Mortality): [Records<Stores>, PodGateway] {
    const { records, gateway } = bench;
    return [
      {
        ...records,
        shares: Object.assign(Object.create(records.shares) as ShareStore, {
          insertIntents: async(intents: ShareIntent[]): Promise<void> =>
            mortality.step(async(): Promise<void> => records.shares.insertIntents(intents)),
        }),
        transaction: async <T>(work: (stores: Stores) => Promise<T>): Promise<T> =>
          mortality.step(async(): Promise<T> => records.transaction(work)),
      },
      {
        find: gateway.find.bind(gateway),
        findBytes: gateway.findBytes.bind(gateway),
        exists: gateway.exists.bind(gateway),
        list: gateway.list.bind(gateway),
        write: async(...args): Promise<void> => mortality.step(async(): Promise<void> => gateway.write(...args)),
        remove: async(...args): Promise<void> => mortality.step(async(): Promise<void> => gateway.remove(...args)),
      },
    ];
  }

  it('stores a signed credential in the pod and gives the data user a grant on it.', async(): Promise<void> => {
    const [ id ] = await bench.valueIds(citizen);
    const [ shared ] = await share([ id ]);
    expect(shared.podResource).toMatch(
      new RegExp(`^${citizen.podUrl}credentials/([\\da-f]{2})/\\1[\\da-f]{6}-[\\da-f-]{27}$`, 'u'),
    );
    const document = JSON.parse(bench.gateway.text(shared.podResource)!);
    expect(document).toMatchObject({
      credentialSubject: { id: citizen.webId, academicYear: '2025-2026' },
      credentialStatus: { type: 'BitstringStatusListEntry' },
      proof: { cryptosuite: 'eddsa-rdfc-2022' },
    });
    await expect(bench.verifier.verify(document)).resolves.toEqual([]);
    expect(bench.gateway.resources.get(shared.podResource)?.contentType).toBe('application/ld+json');
    const [ row ] = await shares();
    const grant = await bench.records.grants.findById(row.grantId);
    expect(grant).toMatchObject({ uri: shared.accessGrant, recipient: dataUser, subject: citizen.webId });
    await expect(bench.decision.check(shared.accessGrant, dataUser, resourceUri(shared.podResource), 'Read'))
      .resolves.toBeDefined();
    await expectConsistent();
    await expect(events('grant.issued')).resolves
      .toMatchObject([{ personal: { grant: shared.accessGrant, grantee: dataUser }}]);
    await expect(events('data.shared')).resolves.toMatchObject([{
      facts: { contract: bench.contract.id, contractDigest: 'digest-1', app: context.app, outcome: 'created' },
      personal: { resource: shared.podResource, grant: shared.accessGrant },
      correlationId: context.correlationId,
    }]);
  });

  it('returns results in the order of the ids.', async(): Promise<void> => {
    const ids = await bench.valueIds(citizen);
    const first = await share(ids);
    await expect(share([ ids[2], ids[0], ids[1] ])).resolves.toEqual([ first[2], first[0], first[1] ]);
    expect((await shares()).find(({ resource }): boolean => resource === first[1].podResource)?.recordId).toBe('b');
  });

  it('returns the same resource and grant again, and rewrites nothing.', async(): Promise<void> => {
    const first = await share();
    const before = new Map(bench.gateway.resources);
    bench.later(1000);
    await expect(share()).resolves.toEqual(first);
    expect(bench.gateway.resources).toEqual(before);
    await expect(events('grant.issued')).resolves.toHaveLength(3);
    const grants = first.map(({ accessGrant }): object => ({ personal: { grant: accessGrant }}));
    await expect(events('data.shared')).resolves.toMatchObject([ ...grants, ...grants ]);
    await expectConsistent();
  });

  it('issues a new grant on the same resource if the old one is no longer active.', async(): Promise<void> => {
    const ids = (await bench.valueIds(citizen)).slice(0, 1);
    const [ first ] = await share(ids);
    const content = bench.gateway.text(first.podResource);
    const [{ grantId }] = await shares();
    await bench.grants().revokeById(grantId, citizen.webId, context);
    const [ second ] = await share(ids);
    expect(second.podResource).toBe(first.podResource);
    expect(second.accessGrant).not.toBe(first.accessGrant);
    expect(bench.gateway.text(first.podResource)).toBe(content);
    bench.later(31 * 24 * 3600 * 1000);
    const [ third ] = await share(ids);
    expect(third.accessGrant).not.toBe(second.accessGrant);
    await expect(share(ids)).resolves.toEqual([ third ]);
    await expectConsistent();
  });

  it('issues a new grant if the old one lacks a mode of the contract.', async(): Promise<void> => {
    const ids = (await bench.valueIds(citizen)).slice(0, 1);
    const [ first ] = await share(ids);
    bench.contract.accessMode = 'WRITE';
    try {
      const [ second ] = await share(ids);
      expect(second.podResource).toBe(first.podResource);
      const grant = await bench.decision.usable(bench.contract.forDataUser, resourceUri(first.podResource), 'Write');
      expect(grant).toMatchObject({ uri: second.accessGrant, modes: [ 'Read', 'Write' ]});
    } finally {
      bench.contract.accessMode = 'READ';
    }
  });

  it('replaces the content with a new version and revokes the old credential.', async(): Promise<void> => {
    const first = await share();
    const old = (await shares()).find(({ recordId }): boolean => recordId === 'b')!;
    bench.source.records[1] = plainRecord('b', '2', '2026-2027');
    await expect(share()).resolves.toEqual(first);
    expect(bench.gateway.text(old.resource)).toContain('2026-2027');
    await expect(bench.records.statusLists.isRevoked(old.status!)).resolves.toBe(true);
    await expect(bench.records.shares.findByResource(old.resource)).resolves
      .toMatchObject({ version: '2', id: old.id });
    await expectConsistent();
  });

  it('restores data that was altered in or removed from the pod.', async(): Promise<void> => {
    const first = await share();
    await bench.gateway.write(first[0].podResource, Buffer.from('{}'), 'application/json');
    await bench.gateway.remove(first[1].podResource);
    await sharing.onResourceChanged(resourceUri(first[0].podResource));
    await sharing.onResourceChanged(resourceUri(first[1].podResource));
    await expect(share()).resolves.toEqual(first);
    await expectConsistent();
    for (const row of await shares()) {
      expect(row.invalidAt ?? row.absentAt).toBeUndefined();
    }
  });

  it('keeps a credential that its source signed, byte for byte.', async(): Promise<void> => {
    const { document } = await bench.credentials
      .issue({ webId: citizen.webId, dataType, subject: certificate() });
    bench.source.records = [{ id: 'a', version: '1', credential: document }];
    bench.source.trustedIssuers.push(String(document.issuer));
    const [ shared ] = await share();
    bench.source.trustedIssuers.length = 0;
    expect(bench.gateway.text(shared.podResource)).toBe(JSON.stringify(document));
    expect((await shares())[0].status).toBeUndefined();
  });

  it('refuses values that are unknown, changed or repeated, and writes nothing.', async(): Promise<void> => {
    const ids = await bench.valueIds(citizen);
    const others = await bench.valueIds(await bench.citizen());
    await expect(share([ ids[0], others[0] ])).rejects.toThrow(ValueUnknown);
    await expect(share([ ids[0], ids[0] ])).rejects.toThrow(BodyInvalid);
    await expect(sharing.share(citizen, 'other', ids, context)).rejects.toThrow(ContractNotFound);
    bench.source.records[1] = plainRecord('b', '2');
    await expect(share(ids)).rejects.toThrow(ValueChanged);
    await expect(shares()).resolves.toEqual([]);
    expect(bench.gateway.resources.size).toBe(0);
  });

  it('refuses a value that cannot be signed though its data is valid, and writes nothing.', async(): Promise<void> => {
    const [ id ] = await bench.valueIds(citizen);
    const { '@context': own, ...subject } = certificate();
    // A term of credentials that cannot have another meaning.
    const unsignable = { '@context': { ...own as object, name: 'urn:x:name' }, ...subject };
    bench.source.records = [{ ...plainRecord('a'), credentialSubject: unsignable }, plainRecord('b') ];
    await expect(share([ id ])).rejects.toThrow(ValueInvalid);
    expect(bench.gateway.resources.size).toBe(0);
    await expect(shares()).resolves.toEqual([]);
  });

  it('inspects only the values that it shares.', async(): Promise<void> => {
    const [ id ] = await bench.valueIds(citizen);
    const inspect = jest.spyOn(bench.dataTypes, 'inspect');
    await share([ id ]);
    expect(inspect).toHaveBeenCalledTimes(1);
    inspect.mockRestore();
  });

  it('refuses a contract that has changed since it was first used.', async(): Promise<void> => {
    const ids = await bench.valueIds(citizen);
    await share([ ids[0] ]);
    bench.contract.digest = 'digest-2';
    await expect(share([ ids[1] ])).rejects.toThrow(ContractNotConsumable);
    await expect(shares()).resolves.toHaveLength(1);
    await expectConsistent();
  });

  it('creates one resource when the same value is shared many times at once.', async(): Promise<void> => {
    const ids = (await bench.valueIds(citizen)).slice(0, 1);
    const all = await Promise.all(Array.from({ length: 10 }, async(): Promise<Shared[]> => share(ids)));
    expect(new Set(all.map(([ one ]): string => JSON.stringify(one))).size).toBe(1);
    await expectConsistent();
  });

  it('creates one resource when two processes share the same value at once.', async(): Promise<void> => {
    const ids = await bench.valueIds(citizen);
    const both = await Promise.all([ share(ids, bench.sharing()), share(ids, bench.sharing()) ]);
    expect(both[0]).toEqual(both[1]);
    await expectConsistent();
  });

  it('continues after another process replaced the same content meanwhile.', async(): Promise<void> => {
    await share();
    bench.source.records[0] = plainRecord('a', '2', '2026-2027');
    let elsewhere: Shared[] | undefined;
    const overtaken: PodGateway = {
      ...mortal(new Mortality(Number.NaN, false))[1],
      write: async(...args): Promise<void> => {
        await bench.gateway.write(...args);
        elsewhere ??= await share(undefined, bench.sharing());
      },
    };
    const here = await share(undefined, bench.sharing(bench.records, overtaken));
    expect(here).toEqual(elsewhere);
    await expectConsistent();
  });

  it.each<[string, Buffer | undefined]>([
    [ 'removed', undefined ],
    [ 'replaced', Buffer.from('{}') ],
  ])('that fails leaves data alone that somebody %s meanwhile.', async(_name, bytes): Promise<void> => {
    const [{ podResource }] = await share();
    bench.source.records[0] = plainRecord('a', '2', '2026-2027');
    const overtaken: PodGateway = {
      ...mortal(new Mortality(Number.NaN, false))[1],
      write: async(resource, ...args): Promise<void> => {
        if (args[2] !== undefined) {
          await bench.gateway.remove(podResource);
          await (bytes && bench.gateway.write(resourceUri(podResource), bytes, 'application/ld+json'));
        }
        await bench.gateway.write(resource, ...args);
      },
    };
    await expect(share(undefined, bench.sharing(bench.records, overtaken))).rejects.toThrow('changed elsewhere');
    expect(bench.gateway.resources.get(podResource)?.bytes).toEqual(bytes);
    await expect(bench.records.shares.listIntents()).resolves.toEqual([]);
  });

  it('refuses while the pod is being deleted, and writes nothing.', async(): Promise<void> => {
    const ids = await bench.valueIds(citizen);
    await bench.records.citizens.setState(citizen.id, 'DELETING');
    const gateway = { ...mortal(new Mortality(Number.NaN, false))[1], write: jest.fn() };
    await expect(share(ids, bench.sharing(bench.records, gateway))).rejects.toThrow('being deleted');
    expect(gateway.write).not.toHaveBeenCalled();
  });

  it('refuses if deletion of the pod begins while it writes, and leaves nothing.', async(): Promise<void> => {
    const ids = await bench.valueIds(citizen);
    const gateway: PodGateway = {
      ...mortal(new Mortality(Number.NaN, false))[1],
      write: async(...args): Promise<void> => {
        await bench.gateway.write(...args);
        await bench.records.citizens.setState(citizen.id, 'DELETING');
      },
    };
    await expect(share(ids, bench.sharing(bench.records, gateway))).rejects.toThrow('being deleted');
    await expectConsistent();
    await expect(shares()).resolves.toEqual([]);
  });

  it('undoes everything if one write fails, and restores replaced content.', async(): Promise<void> => {
    const ids = await bench.valueIds(citizen);
    const [ first ] = await share(ids.slice(0, 1));
    const content = bench.gateway.text(first.podResource);
    bench.source.records[0] = plainRecord('a', '2', '2026-2027');
    const { gateway } = bench;
    let writes = 0;
    const failing: PodGateway = {
      ...mortal(new Mortality(Number.NaN, false))[1],
      write: async(...args): Promise<void> => {
        writes += 1;
        if (writes === 3) {
          throw new Error('disk full');
        }
        return gateway.write(...args);
      },
    };
    await expect(share(undefined, bench.sharing(bench.records, failing))).rejects.toThrow('disk full');
    expect(bench.gateway.text(first.podResource)).toBe(content);
    await expect(shares()).resolves.toHaveLength(1);
    await expectConsistent();
  });

  it.each([ false, true ])(
    'of new values is finished or undone as a whole after a crash at any step (after the step: %s).',
    async(isAfter): Promise<void> => {
      const outcomes: number[] = [];
      for (let step = 1; ; step += 1) {
        citizen = await bench.citizen();
        bench.gateway.resources.clear();
        const mortality = new Mortality(step, isAfter);
        await share(undefined, bench.sharing(...mortal(mortality))).catch((): unknown => undefined);
        await bench.sharing().recover();
        await expectConsistent();
        outcomes.push(bench.gateway.resources.size);
        await expect(events('grant.issued')).resolves.toHaveLength(bench.gateway.resources.size);
        if (!mortality.isOver) {
          break;
        }
      }
      // Intents, three writes, the commit; then a life to its end.
      expect(outcomes).toEqual(isAfter ? [ 0, 0, 0, 3, 3, 3 ] : [ 0, 0, 0, 0, 3, 3 ]);
      await expect(share()).resolves.toHaveLength(3);
    },
  );

  it.each([ false, true ])(
    'of new versions leaves row and content the same after a crash at any step (after the step: %s).',
    async(isAfter): Promise<void> => {
      for (let step = 1, isOver = true; isOver; step += 1) {
        citizen = await bench.citizen();
        bench.gateway.resources.clear();
        bench.source.records = [ plainRecord('a'), plainRecord('b') ];
        await share();
        const old = (await shares()).find(({ recordId }): boolean => recordId === 'a')!;
        await bench.grants().revokeById(old.grantId, citizen.webId, context);
        bench.source.records = [ plainRecord('a', '2', '2026-2027'), plainRecord('b', '2'), plainRecord('c') ];
        const mortality = new Mortality(step, isAfter);
        await share(undefined, bench.sharing(...mortal(mortality))).catch((): unknown => undefined);
        isOver = mortality.isOver;
        await bench.sharing().recover();
        await expectConsistent();
        // A new value and a new grant appear only together with the others.
        const versions = (await shares()).map(({ version, recordId }): string => recordId + version).sort();
        expect(versions).toContainEqual(expect.stringMatching(/^a[12]$/u));
        expect(versions.includes('c1')).toBe(versions.join(' ') === 'a2 b2 c1');
        await expect(events('grant.issued')).resolves.toHaveLength(versions.includes('c1') ? 4 : 2);
      }
    },
  );

  it('in a process that was overtaken while writing leaves no file without a row.', async(): Promise<void> => {
    const frozen: PodGateway = {
      ...mortal(new Mortality(Number.NaN, false))[1],
      write: async(...args): Promise<void> => {
        await bench.sharing().recover();
        await bench.gateway.write(...args);
      },
    };
    await expect(share(undefined, bench.sharing(bench.records, frozen))).rejects.toThrow('at the same time');
    expect([ ...bench.gateway.resources.keys() ]).toEqual([]);
    await expectConsistent();
  });

  it.each([ 'finishes', 'undoes' ])('and a recovery that %s it while it commits do not both continue.', async(what):
  Promise<void> => {
    const { gateway, records } = bench;
    let transactions = 0;
    const overtaken: Records<Stores> = {
      ...records,
      transaction: async <T>(work: (stores: Stores) => Promise<T>): Promise<T> => {
        transactions += 1;
        if (transactions === 1) {
          await bench.sharing().recover();
        }
        return records.transaction(work);
      },
    };
    const partly: PodGateway = {
      ...mortal(new Mortality(Number.NaN, false))[1],
      write: async(uri, bytes, ...others): Promise<void> =>
        gateway.write(uri, what === 'undoes' && gateway.resources.size === 2 ? Buffer.from('{}') : bytes, ...others),
    };
    const answer = share(undefined, bench.sharing(overtaken, partly)).then((): string => 'answered', String);
    await expect(answer).resolves
      .toMatch(what === 'finishes' ? /answered|shared elsewhere/u : 'shared elsewhere');
    await expectConsistent();
    const count = what === 'finishes' ? 3 : 0;
    expect(gateway.resources.size).toBe(count);
    await expect(shares()).resolves.toHaveLength(count);
    await expect(events('grant.issued')).resolves.toHaveLength(count);
  });

  it('that overtakes its recovery keeps its results.', async(): Promise<void> => {
    const { gateway, records } = bench;
    let finish: (() => void) | undefined;
    let sharing: Promise<unknown> = Promise.resolve();
    const slow: PodGateway = {
      ...mortal(new Mortality(Number.NaN, false))[1],
      findBytes: async(...args): ReturnType<PodGateway['findBytes']> => {
        finish?.();
        await sharing;
        return gateway.findBytes(...args);
      },
    };
    const announced = new Promise<void>((resolve): void => {
      const late: PodGateway = {
        ...mortal(new Mortality(Number.NaN, false))[1],
        write: async(...args): Promise<void> => {
          resolve();
          await new Promise<void>((go): void => {
            finish = go;
          });
          await gateway.write(...args);
          finish = undefined;
        },
      };
      bench.source.records = bench.source.records.slice(0, 1);
      sharing = share(undefined, bench.sharing(records, late));
    });
    await announced;
    await bench.sharing(records, slow).recover();
    await sharing;
    await expectConsistent();
    expect(gateway.resources.size).toBe(1);
    await expect(shares()).resolves.toHaveLength(1);
    await expect(events('grant.issued')).resolves.toHaveLength(1);
  });

  it('that failed is never finished later, even if it could not be undone.', async(): Promise<void> => {
    const [ , gateway ] = mortal(new Mortality(4, false));
    // All three writes succeed, the commit fails, and the pod can't be reached to undo them.
    const { records } = bench;
    let transactions = 0;
    const failing: Records<Stores> = {
      ...records,
      transaction: async <T>(work: (stores: Stores) => Promise<T>): Promise<T> => {
        transactions += 1;
        if (transactions === 1) {
          throw new Error('no disk space');
        }
        return records.transaction(work);
      },
    };
    await expect(share(undefined, bench.sharing(failing, gateway))).rejects.toThrow('no disk space');
    expect(bench.gateway.resources.size).toBe(3);
    await bench.sharing().recover();
    expect(bench.gateway.resources.size).toBe(0);
    await expect(shares()).resolves.toEqual([]);
    await expectConsistent();
  });

  it('succeeds if only the response to its commit was lost.', async(): Promise<void> => {
    const { records } = bench;
    let transactions = 0;
    const forgetful: Records<Stores> = {
      ...records,
      transaction: async <T>(work: (stores: Stores) => Promise<T>): Promise<T> => {
        const result = await records.transaction(work);
        transactions += 1;
        if (transactions === 1) {
          throw new Error('connection lost');
        }
        return result;
      },
    };
    const first = await share(undefined, bench.sharing(forgetful));
    expect(first).toHaveLength(3);
    await expectConsistent();
    await expect(shares()).resolves.toHaveLength(3);
    await expect(events('grant.issued')).resolves.toHaveLength(3);

    await bench.grants().revokeById((await shares())[0].grantId, citizen.webId, context);
    transactions = 0;
    await share(undefined, bench.sharing(forgetful));
    await expect(events('grant.issued')).resolves.toHaveLength(4);
  });

  it('in progress is undone when the citizen is being erased.', async(): Promise<void> => {
    await share(undefined, bench.sharing(...mortal(new Mortality(5, false)))).catch((): unknown => undefined);
    await bench.records.citizens.setState(citizen.id, 'DELETING');
    await bench.sharing().recover();
    expect(bench.gateway.resources.size).toBe(0);
    await expectConsistent();
  });

  it('records what happens to the resource in the pod.', async(): Promise<void> => {
    const [{ podResource }] = await share();
    const { bytes, contentType } = bench.gateway.resources.get(podResource)!;
    async function row(): Promise<Share> {
      return (await bench.records.shares.findByResource(resourceUri(podResource)))!;
    }

    await sharing.onResourceChanged(resourceUri(podResource));
    await expect(row()).resolves.toMatchObject({ absentAt: undefined, invalidAt: undefined });

    await bench.gateway.remove(podResource);
    await sharing.onResourceChanged(resourceUri(podResource));
    expect((await row()).absentAt).toEqual(bench.now);

    await bench.gateway.write(podResource, bytes, contentType);
    await sharing.onResourceChanged(resourceUri(podResource));
    await expect(row()).resolves.toMatchObject({ absentAt: undefined, invalidAt: undefined });

    await bench.gateway.write(podResource, Buffer.from('{}'), contentType);
    await sharing.onResourceChanged(resourceUri(podResource));
    expect((await row()).invalidAt).toEqual(bench.now);

    await sharing.onResourceChanged(resourceUri(`${citizen.podUrl}notes`));
  });
});
