import { randomUUID } from 'node:crypto';
import { AccessDecision } from '../../../src/grants/AccessDecision';
import type { AccessGrant, AccessMode, GrantTerms } from '../../../src/grants/AccessGrant';
import { grantStatus } from '../../../src/grants/AccessGrant';
import {
  AccessGrantInvalid,
  GrantExpired,
  GrantNotCovering,
  GrantNotUsable,
  GrantRevoked,
  GrantSuspended,
} from '../../../src/problems';
import { base, dataUser, iris, SharingBench, stranger } from '../../support/sharingBench';
import { fc } from '../../support/properties';
import { resourceUri } from '../../support/uris';
import type { ResourceUri } from '../../../src/pods/resourceUri';
import { parseWebId } from '../../../src/platform/webId';

const alice = parseWebId(`${base}alice/profile/card#me`);
const notes = resourceUri(`${base}alice/notes`);

describe('The decision on access', (): void => {
  let bench: SharingBench;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
  });

  afterEach(async(): Promise<void> => {
    bench.dispossessed.clear();
    await bench.records.grants.endAllOf(alice, bench.now);
  });

  afterAll(async(): Promise<void> => bench.stop());

  async function stateByStrangers(number: number): Promise<void> {
    const grant = await bench.grant({});
    await bench.records.grants.revoke(grant.id, bench.now);
    for (let index = 0; index < number; index += 1) {
      const id = randomUUID();
      await bench.records.grants.insert({
        ...grant,
        id,
        uri: grant.uri.replace(grant.id, id),
        subject: parseWebId(`https://strangers.example/${index}#me`),
        issuedAt: bench.now,
      }, []);
    }
  }

  async function modes(resource: string, caller = dataUser): Promise<AccessMode[]> {
    return [ ...(await bench.decision.modes(caller, resourceUri(resource))).keys() ];
  }

  async function check(
    grant: AccessGrant | string,
    caller = dataUser,
    resource: string = notes,
    mode: AccessMode = 'Read',
  ): Promise<GrantTerms> {
    return bench.decision.check(typeof grant === 'string' ? grant : grant.uri, caller, resourceUri(resource), mode);
  }

  it('lets the recipient use a grant for its modes on its resource, and nobody else.', async(): Promise<void> => {
    const grant = await bench.grant({ modes: [ 'Read', 'Append' ]});
    await expect(modes(notes)).resolves.toEqual([ 'Read', 'Append' ]);
    await expect(modes(notes, stranger)).resolves.toEqual([]);
    await expect(modes(notes, alice)).resolves.toEqual([]);
    await expect(modes(`${base}alice/other`)).resolves.toEqual([]);
    expect((await bench.decision.usable(dataUser, notes, 'Read'))?.id).toBe(grant.id);
    await expect(bench.decision.usable(dataUser, notes, 'Write')).resolves.toBeUndefined();
    expect((await check(grant)).id).toBe(grant.id);
    await expect(bench.decision.isEffective(grant, dataUser)).resolves.toBe(true);
    await expect(bench.decision.isEffective(grant, stranger)).resolves.toBe(false);
  });

  it('combines the modes of several grants, including those on containers.', async(): Promise<void> => {
    await bench.grant({ modes: [ 'Read' ], resources: [ `${base}alice/` ]});
    await bench.grant({ modes: [ 'Write' ]});
    await expect(modes(notes)).resolves.toEqual([ 'Read', 'Write', 'Append' ]);
    await expect(modes(`${base}alice/deep/er`)).resolves.toEqual([ 'Read' ]);
  });

  it('lets containers cover only themselves if the grant does not inherit.', async(): Promise<void> => {
    await bench.grant({ resources: [ `${base}alice/` ], inherit: false });
    await expect(modes(notes)).resolves.toEqual([]);
    await expect(modes(`${base}alice/`)).resolves.toEqual([ 'Read' ]);
  });

  it('counts a grant only while its subject controls the resource.', async(): Promise<void> => {
    const grant = await bench.grant({});
    bench.dispossessed.add(alice);
    await expect(modes(notes)).resolves.toEqual([]);
    await expect(bench.decision.isEffective(grant, dataUser)).resolves.toBe(false);
    await expect(check(grant)).rejects.toThrow(GrantNotCovering);
    bench.dispossessed.clear();
    await expect(modes(notes)).resolves.toEqual([ 'Read' ]);
  });

  it('gives nothing while recipient or contract is suspended, and all again afterwards.', async(): Promise<void> => {
    const { suspensions, grants } = bench.records;
    const grant = await bench.grant({ contract: { id: 'loans', digest: 'd' }});
    for (const name of [ dataUser, 'loans' ]) {
      await suspensions.suspend(name, bench.now);
      const suspended = (await grants.findById(grant.id))!;
      await expect(modes(notes)).resolves.toEqual([]);
      await expect(bench.decision.usable(dataUser, notes, 'Read')).resolves.toBeUndefined();
      expect((await bench.decision.modesOf(suspended, dataUser, notes)).size).toBe(0);
      await expect(bench.decision.isEffective(suspended, dataUser)).resolves.toBe(false);
      await expect(check(grant)).rejects.toThrow(GrantSuspended);
      await expect(check(grant, stranger)).rejects.toThrow(GrantNotUsable);
      expect(grantStatus(suspended, bench.now)).toBe('ACTIVE');
      await suspensions.resume(name);
      await expect(modes(notes)).resolves.toEqual([ 'Read' ]);
      expect((await check(grant)).id).toBe(grant.id);
    }
    await suspensions.suspend('other', bench.now);
    await suspensions.suspend(stranger, bench.now);
    await expect(modes(notes)).resolves.toEqual([ 'Read' ]);
  });

  it('reports that a grant has ended, suspended or not.', async(): Promise<void> => {
    const { suspensions, grants } = bench.records;
    const grant = await bench.grant({});
    await suspensions.suspend(dataUser, bench.now);
    await grants.revoke(grant.id, bench.now);
    await expect(check(grant)).rejects.toThrow(GrantRevoked);
    await suspensions.resume(dataUser);
  });

  describe('among grants by many strangers', (): void => {
    const asked: string[] = [];

    /** Returns the decision, recording whose control it looks up. */
    function decision(): AccessDecision {
      asked.splice(0);
      const control = {
        controls: async(webId: string): Promise<boolean> => {
          asked.push(webId);
          return webId === alice;
        },
        ownersOf: async(): Promise<string[]> => [ alice ],
      };
      const { usableGrants: grants } = bench.records;
      return new AccessDecision({ grants, control, baseUrl: base, now: (): Date => bench.now });
    }

    afterEach(async(): Promise<void> => {
      await bench.records.grants.endAllOf(dataUser, bench.now);
    });

    it('finds those by people in control, without asking about strangers.', async(): Promise<void> => {
      await bench.grant({ modes: [ 'Read', 'Write' ], issuedAt: new Date(bench.now.getTime() - 1000) });
      await stateByStrangers(50);
      const rule = decision();
      await expect(rule.usable(dataUser, notes, 'Read')).resolves.toMatchObject({ subject: alice });
      await expect(modesOf(rule, notes)).resolves.toEqual([ 'Append', 'Read', 'Write' ]);
      expect(asked).toEqual([ alice, alice ]);
    });

    it('asks about a few only.', async(): Promise<void> => {
      await stateByStrangers(50);
      await expect(modesOf(decision(), notes)).resolves.toEqual([]);
      expect(asked).toHaveLength(20);
      expect(new Set(asked).size).toBe(20);
      await expect(decision().listUsable(dataUser, [ notes, resourceUri(`${base}alice/other`) ], 'Read'))
        .resolves.toEqual(new Map());
      expect(asked).toHaveLength(20);
    });
  });

  it('gives nothing on resources that the subject never controlled.', async(): Promise<void> => {
    const resource = `${base}bob/notes`;
    const grant = await bench.grant({ resources: [ resource ]});
    await expect(modes(resource)).resolves.toEqual([]);
    await expect(check(grant, dataUser, resource)).rejects.toThrow(GrantNotCovering);
  });

  it('gives nothing on access control documents and descriptions.', async(): Promise<void> => {
    const all: AccessMode[] = [ 'Read', 'Write', 'Append' ];
    const named = [ `${base}alice/.acl`, `${base}alice/notes.acr`, `${base}alice/deep/.meta` ];
    const grant = await bench.grant({ modes: all, resources: [ `${base}alice/`, ...named ]});
    for (const resource of named) {
      await expect(modes(resource)).resolves.toEqual([]);
      await expect(check(grant, dataUser, resource)).rejects.toThrow(GrantNotCovering);
    }
    await expect(bench.decision.isEffective({ ...grant, resources: named }, dataUser)).resolves.toBe(false);
  });

  it('never gives more than Read on the document of a WebID and the container it is in.', async(): Promise<void> => {
    const card = `${base}alice/profile/card`;
    await bench.grant({ modes: [ 'Read', 'Write', 'Append' ], resources: [ `${base}alice/`, card ]});
    await expect(modes(card)).resolves.toEqual([ 'Read' ]);
    await expect(modes(`${base}alice/profile/`)).resolves.toEqual([ 'Read' ]);
    await expect(modes(`${base}alice/profile/photo`)).resolves.toEqual([ 'Read', 'Write', 'Append' ]);
  });

  it('never gives more than Read on the document of the WebID of another owner of the pod.', async(): Promise<void> => {
    bench.owners.push(`${base}alice/people/bob#me`);
    await bench.grant({ modes: [ 'Read', 'Write', 'Append' ], resources: [ `${base}alice/` ]});
    for (const resource of [ `${base}alice/people/bob`, `${base}alice/people/` ]) {
      await expect(modes(resource)).resolves.toEqual([ 'Read' ]);
    }
    await expect(modes(`${base}alice/people/photo`)).resolves.toEqual([ 'Read', 'Write', 'Append' ]);
    bench.owners.splice(0);
  });

  it.each([ 'https://other.example/alice/notes', `${base}v1/webids`, `${base}alice//notes`, 'nonsense' ])(
    'gives nothing on %s.',
    async(resource): Promise<void> => {
      const grant = await bench.grant({ resources: [ resource, base ]});
      await expect(bench.decision.isEffective({ ...grant, resources: [ resource ]}, dataUser)).resolves.toBe(false);
    },
  );

  it('tells parties why a grant is refused, and strangers nothing.', async(): Promise<void> => {
    const revoked = await bench.grant({});
    await bench.records.grants.revoke(revoked.id, bench.now);
    const expired = await bench.grant({ expiresAt: bench.now });
    const both = await bench.grant({ expiresAt: new Date(bench.now.getTime() - 1000), revokedAt: bench.now });
    const early = await bench.grant({ issuedAt: new Date(bench.now.getTime() + 1000) });
    const invalid = await bench.grant({ invalidAt: bench.now });
    const request = await bench.grant({ kind: 'request' });
    const good = await bench.grant({});
    for (const caller of [ dataUser, alice ]) {
      await expect(check(revoked, caller)).rejects.toThrow(GrantRevoked);
      await expect(check(expired, caller)).rejects.toThrow(GrantExpired);
      await expect(check(both, caller)).rejects.toThrow(GrantRevoked);
      for (const grant of [ early, invalid, request ]) {
        await expect(check(grant, caller)).rejects.toThrow(GrantNotUsable);
      }
    }
    await expect(check(good, dataUser, `${base}alice/other`)).rejects.toThrow(GrantNotCovering);
    await expect(check(good, dataUser, notes, 'Append')).rejects.toThrow(GrantNotCovering);
    for (const grant of [ revoked, expired, good ]) {
      await expect(check(grant, stranger)).rejects.toThrow(GrantNotUsable);
    }
    await expect(modes(notes)).resolves.toEqual([ 'Read' ]);
  });

  it('does not let the subject read by the grant it gave to another.', async(): Promise<void> => {
    await expect(check(await bench.grant({}), alice)).rejects.toThrow(GrantNotUsable);
    await expect(check(await bench.grant({ revokedAt: bench.now }), alice)).rejects.toThrow(GrantRevoked);
  });

  it('finds no grant by a URI that is not its own.', async(): Promise<void> => {
    const grant = await bench.grant({});
    for (const uri of [
      `${iris.accessIssuer}vc/5f0c6a0e-3f0e-4c39-8a55-0d6cfa6bde11`,
      `https://other.example/.access/vc/${grant.id}`,
      `${grant.uri}/`,
      `${grant.uri}?`,
      grant.uri.replace('/vc/', '/../.access/vc/'),
      `${iris.accessIssuer}vc/`,
      'urn:uuid:1',
    ]) {
      await expect(check(uri)).rejects.toThrow(GrantNotUsable);
    }
    for (const text of [ '', grant.id, 'nonsense', 'http://', `http://${'a'.repeat(3000)}` ]) {
      await expect(check(text)).rejects.toThrow(AccessGrantInvalid);
    }
  });

  it('decides on many resources as on each of them.', async(): Promise<void> => {
    await bench.grant({ resources: [ `${base}alice/a/` ]});
    await bench.grant({ resources: [ `${base}alice/b/c` ]});
    const paths = [ 'alice/a/', 'alice/a/b', 'alice/ab', 'alice/b/c', 'alice/b', 'alice/a/.acl', 'bob/a' ];
    await fc.assert(fc.asyncProperty(fc.subarray(paths), async(some): Promise<void> => {
      const resources = some.map((path): ResourceUri => resourceUri(base + path));
      const usable = await bench.decision.listUsable(dataUser, resources, 'Read');
      for (const resource of resources) {
        const single = await bench.decision.usable(dataUser, resource, 'Read');
        expect(usable.get(resource)?.id).toBe(single?.id);
      }
    }), { numRuns: 30 });
    const all = paths.map((path): ResourceUri => resourceUri(base + path));
    expect((await bench.decision.listUsable(dataUser, all, 'Read')).size).toBe(3);
  });
});

async function modesOf(rule: AccessDecision, resource: ResourceUri): Promise<string[]> {
  return [ ...(await rule.modes(dataUser, resource)).keys() ].sort();
}
