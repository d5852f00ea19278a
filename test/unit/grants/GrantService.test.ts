import type { Citizen } from '../../../src/identity/CitizenStore';
import { AccessForbidden, GrantNotFound } from '../../../src/problems';
import { podPlace, shareUri } from '../../../src/pods/resourceUri';
import type { ResourceUri } from '../../../src/pods/resourceUri';
import { parseWebId } from '../../../src/platform/webId';
import { base, context, dataUser, SharingBench, stranger } from '../../support/sharingBench';

const resourceId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

describe('The grants', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;
  let resource: ResourceUri;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
  });

  beforeEach(async(): Promise<void> => {
    citizen = await bench.citizen();
    resource = shareUri(podPlace(citizen), resourceId);
  });

  afterAll(async(): Promise<void> => bench.stop());

  async function contractGrant(): ReturnType<SharingBench['grant']> {
    return bench.grant(await bench.issuer().issueUnder(bench.contract, citizen.webId, resource, bench.now));
  }

  it('of a contract give its data user its mode on one resource until it ends.', async(): Promise<void> => {
    const grant = await bench.issuer().issueUnder(bench.contract, citizen.webId, resource, bench.now);
    expect(grant).toMatchObject({
      kind: 'grant',
      uri: `${base}.access/vc/${grant.id}`,
      subject: citizen.webId,
      recipient: dataUser,
      modes: [ 'Read' ],
      resources: [ resource ],
      purposes: [ bench.contract.forPurpose ],
      inherit: false,
      contract: { id: 'student-discount', digest: 'digest-1' },
      issuedAt: bench.now,
      expiresAt: new Date('2026-03-31T12:00:00Z'),
      document: JSON.stringify({ id: grant.uri }),
    });
    const writing = await bench.issuer()
      .issueUnder({ ...bench.contract, accessMode: 'WRITE' }, citizen.webId, resource, bench.now);
    expect(writing.modes).toEqual([ 'Read', 'Write' ]);
    expect(writing.status).not.toEqual(grant.status);
  });

  it('are visible to their parties only.', async(): Promise<void> => {
    const grant = await contractGrant();
    for (const party of [ citizen.webId, dataUser ]) {
      await expect(bench.grants().getDocument(grant.id, parseWebId(party), context)).resolves.toBe(grant.document);
    }
    await expect(bench.grants().getDocument(grant.id, stranger, context)).rejects.toThrow(GrantNotFound);
    await expect(bench.grants().getDocument(resourceId, dataUser, context)).rejects.toThrow(GrantNotFound);
    await expect(bench.grants().getDocument('nonsense', dataUser, context)).rejects.toThrow(GrantNotFound);
  });

  it('can be revoked by their subject; repeating it changes nothing.', async(): Promise<void> => {
    const grant = await contractGrant();
    const place = { podId: citizen.id, resourceId, grantId: grant.id };
    const record = await bench.grants().revoke(place, citizen.webId, context);
    expect(record).toEqual({
      id: grant.uri,
      status: 'REVOKED',
      owner: citizen.webId,
      grantee: dataUser,
      resource,
      mode: [ 'Read' ],
      purpose: [ bench.contract.forPurpose ],
      contract: bench.contract.uri,
      issuedAt: bench.now.toISOString(),
      expiresAt: '2026-03-31T12:00:00.000Z',
      revokedAt: bench.now.toISOString(),
    });
    await expect(bench.records.statusLists.isRevoked(grant.status)).resolves.toBe(true);
    await expect(bench.decision.usable(dataUser, resource, 'Read')).resolves.toBeUndefined();
    bench.later(1000);
    const again = await bench.grants().revoke({ ...place, grantId: grant.uri }, citizen.webId, context);
    expect(again).toEqual(record);
    const rows = (await bench.records.audit.list(0, 100)).map(({ event }): object => event)
      .filter((event): boolean => 'type' in event && event.type === 'grant.revoked');
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      citizenId: citizen.id,
      correlationId: context.correlationId,
      facts: { contract: 'student-discount', contractDigest: bench.contract.digest, app: context.app },
      personal: { grant: grant.uri, owner: citizen.webId, grantee: dataUser },
    });
  });

  it('cannot be revoked by their recipient, or seen by strangers.', async(): Promise<void> => {
    const grant = await contractGrant();
    const place = { podId: citizen.id, resourceId, grantId: grant.id };
    await expect(bench.grants().revoke(place, dataUser, context)).rejects.toThrow(AccessForbidden);
    await expect(bench.grants().revoke(place, stranger, context)).rejects.toThrow(GrantNotFound);
    await expect(bench.grants().revokeById(grant.id, dataUser, context)).rejects.toThrow(AccessForbidden);
    await expect(bench.grants().revokeById(grant.id, stranger, context)).rejects.toThrow(GrantNotFound);
    await expect(bench.decision.usable(dataUser, resource, 'Read')).resolves.toBeDefined();
  });

  it('are not found under another pod or resource, or as requests.', async(): Promise<void> => {
    const other = await bench.citizen();
    const grant = await contractGrant();
    const request = await bench.grant({ kind: 'request', subject: citizen.webId, resources: [ resource ]});
    const place = { podId: citizen.id, resourceId, grantId: grant.id };
    for (const wrong of [
      { ...place, podId: other.id },
      { ...place, podId: 'nonsense' },
      { ...place, resourceId: '9fa85f64-5717-4562-b3fc-2c963f66afa6' },
      { ...place, grantId: request.id },
      { ...place, grantId: resourceId },
      { ...place, grantId: `https://other.example/${grant.id}` },
    ]) {
      await expect(bench.grants().revoke(wrong, citizen.webId, context)).rejects.toThrow(GrantNotFound);
    }
    expect((await bench.records.grants.findById(grant.id))?.revokedAt).toBeUndefined();
  });

  it('of any kind can be revoked by id, by their maker.', async(): Promise<void> => {
    const request = await bench.grant({ kind: 'request', subject: dataUser, recipient: citizen.webId });
    expect((await bench.grants().revokeById(request.id, dataUser, context)).revokedAt).toEqual(bench.now);
  });

  it('are revoked completely or not at all.', async(): Promise<void> => {
    const grant = await contractGrant();
    const failing = {
      ...bench.records,
      transaction: async <T>(work: Parameters<typeof bench.records.transaction<T>>[0]): Promise<T> =>
        bench.records.transaction(async(stores): Promise<T> => work({
          ...stores,
          audit: { ...stores.audit, append: async(): Promise<never> => {
            throw new Error('disk full');
          } },
        })),
    };
    await expect(bench.grants(failing).revokeById(grant.id, citizen.webId, context)).rejects.toThrow('disk full');
    expect((await bench.records.grants.findById(grant.id))?.revokedAt).toBeUndefined();
    await expect(bench.records.statusLists.isRevoked(grant.status)).resolves.toBe(false);
  });
});
