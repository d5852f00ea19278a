import { PassThrough } from 'node:stream';
import type { Citizen } from '../../../src/identity/CitizenStore';
import type { Shared } from '../../../src/personal-data/SharingService';
import {
  AccessForbidden,
  AccessGrantInvalid,
  GrantNotCovering,
  GrantNotUsable,
  GrantRevoked,
  NotValidAtOrigin,
  NotVerifiable,
  OriginNotHere,
  OriginUnavailable,
  ParameterInvalid,
  ResourceNotFound,
  ResourceUriInvalid,
} from '../../../src/problems';
import type { PodResource } from '../../../src/platform/PodResource';
import { podResourceId } from '../../../src/pods/resourceUri';
import type { ListQuery, ResourcePage } from '../../../src/resources/ResourceListing';
import type { SourceRecord } from '../../../src/sources/Source';
import type { WebId } from '../../../src/platform/webId';
import { parseWebId } from '../../../src/platform/webId';
import { base, certificate, context, dataType, dataUser, plainRecord, SharingBench, stranger } from
  '../../support/sharingBench';
import { resourceUri } from '../../support/uris';

const unknownId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

async function textOf({ body }: PodResource): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

describe('Resources', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;
  let shared: Shared[];

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
  });

  beforeEach(async(): Promise<void> => {
    citizen = await bench.citizen();
    bench.source.isDown = false;
    bench.source.withdrawn.clear();
    bench.source.records = [ plainRecord('a'), plainRecord('b') ];
    bench.gateway.resources.clear();
    shared = await bench.sharing().share(citizen, bench.contract.id, await bench.valueIds(citizen), context);
  });

  afterAll(async(): Promise<void> => bench.stop());

  function idOf({ podResource }: Shared): string {
    return podResource.split('/').at(-1)!;
  }

  async function read(
    { accessGrant, podResource }: Shared,
    { verified = false, caller = dataUser, resource = podResource }: Partial<{
      verified: boolean;
      caller: string;
      resource: string;
    }> = {},
  ): Promise<PodResource> {
    return bench.resources().read({ accessGrant, resource, verified }, parseWebId(caller), context);
  }

  async function readInPod(
    caller: WebId,
    members: Partial<{ podId: string; resourceId: string; verified: boolean }> = {},
  ): Promise<PodResource> {
    return bench.resources()
      .readInPod({ podId: citizen.id, resourceId: idOf(shared[0]), verified: false, ...members }, caller, context);
  }

  async function expectNotValid(): Promise<void> {
    await expect(read(shared[0], { verified: true })).rejects.toThrow(NotValidAtOrigin);
    const after = await bench.records.shares.findByResource(resourceUri(shared[0].podResource));
    expect(after?.invalidAt).toEqual(bench.now);
  }

  async function list(caller: WebId, query: Partial<ListQuery> = {}): Promise<ResourcePage> {
    return bench.podListing().list({ podId: citizen.id, limit: 50, ...query }, caller, context);
  }

  async function all(caller: WebId, limit: number): Promise<string[][]> {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await list(caller, { limit, cursor });
      pages.push(page.resources.map(({ uri }): string => uri));
      cursor = page.next;
    } while (cursor);
    return pages;
  }

  describe('read with a grant', (): void => {
    it('are the stored bytes, verified or not.', async(): Promise<void> => {
      for (const verified of [ false, true ]) {
        const found = await read(shared[0], { verified });
        expect(found.contentType).toBe('application/ld+json');
        expect(found.etag).toMatch(/^".+"$/u);
        const text = await textOf(found);
        expect(text).toBe(bench.gateway.text(shared[0].podResource));
        expect(found.size).toBe(Buffer.byteLength(text));
      }
    });

    it('are closed when the read cannot be recorded.', async(): Promise<void> => {
      const { accessGrant, podResource: resource } = shared[0];
      const body = new PassThrough();
      const find = jest.spyOn(bench.gateway, 'find')
        .mockResolvedValue({ contentType: 'text/plain', etag: '"1"', modified: bench.now, size: 9, body });
      const note = jest.fn().mockRejectedValue(new Error('no space left'));
      const reading = bench.resources({ note }).read({ accessGrant, resource, verified: false }, dataUser, context);
      await expect(reading).rejects.toThrow('no space left');
      find.mockRestore();
      expect(body.destroyed).toBe(true);
    });

    it('are refused without a valid grant.', async(): Promise<void> => {
      await expect(read(shared[0], { caller: stranger })).rejects.toThrow(GrantNotUsable);
      await expect(read(shared[0], { caller: citizen.webId })).rejects.toThrow(GrantNotUsable);
      await expect(read(shared[0], { resource: shared[1].podResource })).rejects.toThrow(GrantNotCovering);
      await expect(read({ ...shared[0], accessGrant: 'nonsense' })).rejects.toThrow(AccessGrantInvalid);
      await expect(read(shared[0], { resource: 'nonsense' })).rejects.toThrow(ResourceUriInvalid);
      await expect(read(shared[0], { resource: 'https://other.example/a' })).rejects.toThrow(OriginNotHere);
      await bench.grants().revokeById(shared[0].accessGrant.split('/').at(-1)!, citizen.webId, context);
      await expect(read(shared[0])).rejects.toThrow(GrantRevoked);
    });

    it('are not found when they are gone.', async(): Promise<void> => {
      await bench.gateway.remove(shared[0].podResource);
      await expect(read(shared[0])).rejects.toThrow(ResourceNotFound);
      await expect(read(shared[0], { verified: true })).rejects.toThrow(ResourceNotFound);
    });

    it('leave an audit row.', async(): Promise<void> => {
      await read(shared[0], { verified: true });
      await bench.records.audit.flush();
      const last = (await bench.records.audit.list(0, 10_000)).at(-1);
      expect(last?.event).toMatchObject({
        type: 'resource.read',
        facts: { verified: true, app: context.app, contract: bench.contract.id, contractDigest: bench.contract.digest },
        personal: { webId: dataUser, resource: shared[0].podResource, grant: shared[0].accessGrant },
        citizenId: citizen.id,
      });
    });
  });

  describe('verified at their origin', (): void => {
    it('are not valid when another valid credential stands in their place.', async(): Promise<void> => {
      const { document } = await bench.credentials.issue({ webId: citizen.webId, dataType, subject: certificate() });
      await bench.gateway.write(shared[0].podResource, Buffer.from(JSON.stringify(document)), 'application/ld+json');
      await expectNotValid();
      await expect(textOf(await read(shared[0]))).resolves.toContain('proof');
    });

    it('are not valid when the credential was revoked.', async(): Promise<void> => {
      const row = await bench.records.shares.findByResource(resourceUri(shared[0].podResource));
      await bench.records.statusLists.revoke(row!.status!, bench.now);
      await expectNotValid();
    });

    it('are not valid once the source did not confirm them, until they are shared again.', async(): Promise<void> => {
      bench.source.withdrawn.add('a');
      await expectNotValid();
      bench.source.withdrawn.clear();
      await expectNotValid();
      await bench.sharing().share(citizen, bench.contract.id, await bench.valueIds(citizen), context);
      await read(shared[0], { verified: true });
      const after = await bench.records.shares.findByResource(resourceUri(shared[0].podResource));
      expect(after?.invalidAt).toBeUndefined();
    });

    it('are not valid when the source has another version.', async(): Promise<void> => {
      bench.source.records = [ plainRecord('a', '2') ];
      await expectNotValid();
    });

    it('are inconclusive while the source is unavailable.', async(): Promise<void> => {
      bench.source.isDown = true;
      await expect(read(shared[0], { verified: true })).rejects.toThrow(OriginUnavailable);
      const after = await bench.records.shares.findByResource(resourceUri(shared[0].podResource));
      expect(after?.invalidAt).toBeUndefined();
    });

    it('are inconclusive while they are being shared again.', async(): Promise<void> => {
      const { podResource } = shared[0];
      await bench.gateway.write(podResource, Buffer.from('{}'), 'application/ld+json');
      await bench.records.shares.insertIntents([{
        id: unknownId,
        citizenId: citizen.id,
        resource: resourceUri(podResource),
        digest: '',
        existed: true,
        plan: '{}',
        createdAt: bench.now,
      }]);
      await expect(read(shared[0], { verified: true })).rejects.toThrow(OriginUnavailable);
      await bench.records.shares.deleteIntent(unknownId);
      await expectNotValid();
    });

    it('cannot be verified when they were never shared.', async(): Promise<void> => {
      const resource = `${citizen.podUrl}notes`;
      await bench.gateway.write(resource, Buffer.from('{}'), 'application/json');
      const { uri } = await bench.grant({ subject: citizen.webId, resources: [ resource ]});
      await expect(textOf(await read({ accessGrant: uri, podResource: resource }))).resolves.toBe('{}');
      await expect(read({ accessGrant: uri, podResource: resource }, { verified: true }))
        .rejects.toThrow(NotVerifiable);
    });
  });

  describe('of a pod', (): void => {
    it('can be read by the owner and by holders of a grant.', async(): Promise<void> => {
      for (const caller of [ citizen.webId, dataUser ]) {
        await expect(textOf(await readInPod(caller))).resolves.toContain('academicYear');
        await expect(textOf(await readInPod(caller, { verified: true }))).resolves.toContain('academicYear');
      }
      await expect(readInPod(citizen.webId, { resourceId: unknownId })).rejects.toThrow(ResourceNotFound);
      await expect(readInPod(citizen.webId, { resourceId: '..' })).rejects.toThrow(ResourceNotFound);
    });

    it('can also be read by path if they were not shared under a contract.', async(): Promise<void> => {
      const uri = `${citizen.podUrl}notes/d%C3%A9j%C3%A0`;
      const resourceId = podResourceId(citizen.podUrl, uri);
      await bench.gateway.write(uri, Buffer.from('notes'), 'text/plain');
      await expect(textOf(await readInPod(citizen.webId, { resourceId }))).resolves.toBe('notes');
      await expect(readInPod(dataUser, { resourceId })).rejects.toThrow(AccessForbidden);
      await bench.grant({ subject: citizen.webId, resources: [ `${citizen.podUrl}notes/` ]});
      await expect(textOf(await readInPod(dataUser, { resourceId }))).resolves.toBe('notes');
      await expect(readInPod(dataUser, { resourceId, verified: true })).rejects.toThrow(NotVerifiable);
    });

    it.each([
      [ 'padding', '~bm90ZXM=' ],
      [ 'another alphabet', '~Kz8/' ],
      [ 'dots that lead out', `~${Buffer.from('../other/notes').toString('base64url')}` ],
      [ 'a leading slash', `~${Buffer.from('/notes').toString('base64url')}` ],
      [ 'another spelling', `~${Buffer.from('n%6Ftes').toString('base64url')}` ],
      [ 'a query', `~${Buffer.from('notes?x').toString('base64url')}` ],
      [ 'bytes that are no text', '~_w' ],
      [ 'no tilde', 'bm90ZXM' ],
    ])('have no id with %s.', async(_what, resourceId): Promise<void> => {
      await bench.gateway.write(`${citizen.podUrl}notes`, Buffer.from('notes'), 'text/plain');
      await expect(readInPod(citizen.webId, { resourceId })).rejects.toThrow(ResourceNotFound);
      await expect(readInPod(stranger, { resourceId })).rejects.toThrow(AccessForbidden);
    });

    it('look to a stranger as if there was none.', async(): Promise<void> => {
      const other = await bench.citizen();
      for (const caller of [ stranger, other.webId ]) {
        await expect(readInPod(caller)).rejects.toThrow(AccessForbidden);
        await expect(readInPod(caller, { resourceId: unknownId })).rejects.toThrow(AccessForbidden);
        await expect(readInPod(caller, { resourceId: '../notes' })).rejects.toThrow(AccessForbidden);
        await expect(readInPod(caller, { podId: unknownId })).rejects.toThrow(AccessForbidden);
        await expect(readInPod(caller, { podId: 'nonsense' })).rejects.toThrow(AccessForbidden);
      }
      await expect(readInPod(dataUser, { resourceId: unknownId })).rejects.toThrow(AccessForbidden);
    });

    it('are closed to everybody while the pod is deleted.', async(): Promise<void> => {
      await bench.records.citizens.setState(citizen.id, 'DELETING');
      await expect(readInPod(citizen.webId)).rejects.toThrow(AccessForbidden);
      await expect(readInPod(dataUser)).rejects.toThrow(AccessForbidden);
      await expect(bench.podListing().list({ podId: citizen.id, limit: 10 }, citizen.webId, context))
        .rejects.toThrow(AccessForbidden);
    });
  });

  describe('listed', (): void => {
    it('show the owner everything, with all grants.', async(): Promise<void> => {
      await bench.grants().revokeById(shared[0].accessGrant.split('/').at(-1)!, citizen.webId, context);
      const toOther = await bench.grant({
        subject: citizen.webId,
        recipient: stranger,
        resources: [ shared[0].podResource ],
        modes: [ 'Read', 'Write' ],
        issuedAt: new Date(bench.now.getTime() + 1),
      });
      const page = await list(citizen.webId);
      expect(page.podId).toBe(citizen.id);
      expect(page).not.toHaveProperty('next');
      expect(page.resources).toHaveLength(2);
      const entry = page.resources.find(({ uri }): boolean => uri === shared[0].podResource);
      const stored = bench.gateway.resources.get(shared[0].podResource)!;
      expect(entry).toEqual({
        id: idOf(shared[0]),
        uri: shared[0].podResource,
        type: dataType,
        contentType: 'application/ld+json',
        size: stored.bytes.length,
        etag: (await bench.gateway.find(shared[0].podResource))?.etag,
        created: bench.now.toISOString(),
        modified: stored.modified.toISOString(),
        contract: bench.contract.uri,
        accessGrants: [
          { id: toOther.uri, grantee: stranger, mode: [ 'Read', 'Write' ], status: 'ACTIVE', expiresAt: null },
          {
            id: shared[0].accessGrant,
            grantee: dataUser,
            mode: [ 'Read' ],
            status: 'REVOKED',
            expiresAt: new Date(bench.now.getTime() + 30 * 24 * 3600 * 1000).toISOString(),
          },
        ],
      });
    });

    it('show a data user the ones it may read, with its own grants only.', async(): Promise<void> => {
      await bench.grant({ subject: citizen.webId, recipient: stranger, resources: [ shared[0].podResource ]});
      await bench.grants().revokeById(shared[1].accessGrant.split('/').at(-1)!, citizen.webId, context);
      const { resources } = await list(dataUser);
      expect(resources.map(({ uri }): string => uri)).toEqual([ shared[0].podResource ]);
      expect(resources[0].accessGrants.map(({ id }): string => id)).toEqual([ shared[0].accessGrant ]);
    });

    it('show a data user the ones it may read by a grant on a container.', async(): Promise<void> => {
      const { uri } = await bench.grant({ subject: citizen.webId, recipient: stranger, resources: [ citizen.podUrl ]});
      const { resources } = await list(stranger);
      expect(resources).toHaveLength(2);
      expect(resources[0].accessGrants.map(({ id }): string => id)).toEqual([ uri ]);
    });

    it('are none for a data user who may read only what no contract shared.', async(): Promise<void> => {
      const resources = [ `${citizen.podUrl}notes` ];
      const { uri } = await bench.grant({ subject: citizen.webId, recipient: stranger, resources });
      for (const query of [{}, { type: dataType }, { all: false }]) {
        await expect(list(stranger, query)).resolves.toEqual({ podId: citizen.id, resources: []});
      }
      await bench.grants().revokeById(uri.split('/').at(-1)!, citizen.webId, context);
      await expect(list(stranger)).rejects.toThrow(AccessForbidden);
      await expect(list(stranger, { all: true })).rejects.toThrow(AccessForbidden);
    });

    it('are refused to strangers, whatever their request.', async(): Promise<void> => {
      const other = parseWebId('https://another.example/profile#me');
      const { next } = await list(citizen.webId, { limit: 1 });
      await expect(list(other)).rejects.toThrow(AccessForbidden);
      await expect(list(other, { type: dataType })).rejects.toThrow(AccessForbidden);
      await expect(list(other, { type: `${base}nothing` })).rejects.toThrow(AccessForbidden);
      await expect(list(other, { cursor: next })).rejects.toThrow(AccessForbidden);
      await expect(list(other, { podId: unknownId })).rejects.toThrow(AccessForbidden);
      expect((await list(dataUser, { type: `${base}nothing` })).resources).toEqual([]);
    });

    it('do not go on after anything that is not in the pod.', async(): Promise<void> => {
      for (const after of [ '\0', `${citizen.podUrl}\0`, `${base}other/a` ]) {
        const cursor = `~${Buffer.from(after).toString('base64url')}`;
        await expect(list(citizen.webId, { all: true, cursor })).rejects.toThrow(ParameterInvalid);
      }
    });

    it('come in complete pages.', async(): Promise<void> => {
      bench.source.records = [ ...Array.from({ length: 7 }).keys() ]
        .map((index): SourceRecord => plainRecord(`r${index}`));
      shared.push(...await bench.sharing()
        .share(citizen, bench.contract.id, await bench.valueIds(citizen), context));
      const uris = shared.map(({ podResource }): string => podResource).sort();
      const byOwner = await all(citizen.webId, 2);
      expect(byOwner.map(({ length }): number => length)).toEqual([ 2, 2, 2, 2, 1 ]);
      expect(byOwner.flat().sort()).toEqual(uris);
      for (const { accessGrant } of shared.slice(0, 3)) {
        await bench.grants().revokeById(accessGrant.split('/').at(-1)!, citizen.webId, context);
      }
      const byUser = await all(dataUser, 2);
      expect(byUser.every(({ length }): boolean => length <= 2)).toBe(true);
      expect(byUser.flat().sort()).toEqual(shared.slice(3).map(({ podResource }): string => podResource).sort());
    });

    it('leave out resources that are no longer in the pod.', async(): Promise<void> => {
      await bench.gateway.remove(shared[0].podResource);
      expect((await list(citizen.webId)).resources.map(({ uri }): string => uri)).toEqual([ shared[1].podResource ]);
    });
  });
});
