import { randomUUID } from 'node:crypto';
import type { AuditEvent } from '../../../src/audit/AuditLog';
import type { CopyEntry } from '../../../src/data-copies/CopyEntry';
import type { CopyDeletion } from '../../../src/data-copies/DataCopyService';
import { ResourceWatch } from '../../../src/personal-data/ResourceWatch';
import { DataCopyService } from '../../../src/data-copies/DataCopyService';
import type { CopyReport } from '../../../src/data-copies/readReport';
import type { AccessGrant } from '../../../src/grants/AccessGrant';
import type { Citizen } from '../../../src/identity/CitizenStore';
import type { Shared } from '../../../src/personal-data/SharingService';
import {
  AccessGrantInvalid,
  BodyInvalid,
  DataCopyNotFound,
  GrantExpired,
  GrantNotCovering,
  GrantNotUsable,
  GrantRevoked,
  NotValidAtOrigin,
  OriginNotHere,
  ParameterInvalid,
  PurposeRequired,
  ResourceUriInvalid,
} from '../../../src/problems';
import { createDocumentLoader } from '../../../src/credentials/documentLoader';
import { CONTEXTS } from '../../../src/platform/contextFiles';
import { addProof } from '../../../src/credentials/proofs';
import { packBits } from '../../../src/credentials/statusEntries';
import type { WebId } from '../../../src/platform/webId';
import { parseWebId } from '../../../src/platform/webId';
import {
  base,
  certificate,
  context,
  dataType,
  dataUser,
  plainRecord,
  SharingBench,
  stranger,
} from '../../support/sharingBench';
import { newKey } from '../credentials/support';
import { resourceUri } from '../../support/uris';

const minute = 60_000;

const load = createDocumentLoader();
const sourceKey = newKey('source');
const sourceIssuer = `did:key:${sourceKey.publicKeyMultibase}`;

async function signSource(document: Record<string, unknown>): Promise<Record<string, unknown>> {
  return addProof(document, {
    form: 'eddsa-rdfc-2022',
    verificationMethod: `${sourceIssuer}#${sourceKey.publicKeyMultibase}`,
    created: new Date('2026-03-01T11:00:00Z'),
  }, sourceKey, load);
}

/** The status list of a source that signs its own credentials. */
class ForeignList {
  public readonly entry = {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: '7',
    statusListCredential: 'https://source.example/list',
  };

  public list: Record<string, unknown> = {};

  /** Signs it again, with its bit set or not. */
  public async sign(at: Date, isSet: boolean): Promise<void> {
    this.list = await signSource({
      '@context': [ CONTEXTS.credentialsV2 ],
      id: this.entry.statusListCredential,
      type: [ 'VerifiableCredential', 'BitstringStatusListCredential' ],
      issuer: sourceIssuer,
      validFrom: at.toISOString(),
      credentialSubject: {
        id: `${this.entry.statusListCredential}#list`,
        type: 'BitstringStatusList',
        statusPurpose: 'revocation',
        encodedList: `u${packBits(isSet ? [ 7 ] : []).toString('base64url')}`,
      },
    });
  }
}

interface Reported {
  entry: CopyEntry;
  created: boolean;
}

function grantIdOf(uri: string): string {
  return uri.split('/').at(-1)!;
}

function names(entries: CopyEntry[]): string {
  return entries.map(({ resource }): string => resource.slice(-1)).join('');
}

describe('Data copies', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;
  let shared: Shared;
  let purpose: string;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
  });

  beforeEach(async(): Promise<void> => {
    bench.later(24 * 60 * minute);
    bench.gateway.resources.clear();
    bench.source.records = [ plainRecord('a') ];
    purpose = bench.contract.forPurpose;
    citizen = await bench.citizen();
    [ shared ] = await share();
    bench.later(minute);
  });

  afterAll(async(): Promise<void> => bench.stop());

  async function share(): Promise<Shared[]> {
    return bench.sharing().share(citizen, bench.contract.id, await bench.valueIds(citizen), context);
  }

  /** Shares a credential that the source has signed. */
  async function shareSigned(members: object): Promise<void> {
    const { '@context': own, ...subject } = certificate();
    const credential = await signSource({
      '@context': [ CONTEXTS.credentialsV2, own ],
      type: [ 'VerifiableCredential', dataType ],
      issuer: sourceIssuer,
      credentialSubject: { ...subject, id: citizen.webId },
      ...members,
    });
    bench.source.trustedIssuers.splice(0, 1, sourceIssuer);
    bench.source.records = [{ id: 'signed', version: '1', credential }];
    [ shared ] = await share();
  }

  /** Shares another version of the record. Returns since when that makes copies of the earlier version due. */
  async function shareVersion(version: string): Promise<Partial<CopyEntry>> {
    bench.later(minute);
    bench.source.records = [ plainRecord('a', version) ];
    await share();
    const deletionDueSince = bench.now.toISOString();
    bench.later(minute);
    return { deletionReason: 'VC_INVALID', deletionDueSince };
  }

  function service(): DataCopyService {
    return new DataCopyService({
      records: bench.records,
      decision: bench.decision,
      gateway: bench.gateway,
      baseUrl: base,
      now: (): Date => bench.now,
      newId: randomUUID,
    });
  }

  async function report(changed: Partial<CopyReport> = {}, caller = dataUser): Promise<Reported> {
    const { podResource: resource, accessGrant } = shared;
    return service().report({ resource, accessGrant, ...changed }, caller, context);
  }

  async function remove(changed: Partial<CopyDeletion> = {}, caller = dataUser): Promise<CopyEntry> {
    return service().remove({ resource: shared.podResource, ...changed }, caller, context);
  }

  async function listAll(caller: WebId, status?: string, limit = 50): Promise<CopyEntry[][]> {
    const pages: CopyEntry[][] = [];
    let cursor: string | undefined;
    do {
      const page = await service().list({ status, limit, cursor }, caller);
      pages.push(page.entries);
      cursor = page.next;
    } while (cursor !== undefined);
    return pages;
  }

  /** Lists the copies that the citizen sees, of this test only. */
  async function copies(status?: string): Promise<CopyEntry[]> {
    return (await listAll(citizen.webId, status)).flat();
  }

  async function due(): Promise<Partial<CopyEntry>> {
    const [{ status, deletionReason, deletionDueSince }] = await copies();
    expect(status).toBe('DELETION_DUE');
    return { deletionReason, deletionDueSince };
  }

  function watch(): ResourceWatch {
    const { gateway, records } = bench;
    return new ResourceWatch({ records, gateway, now: (): Date => bench.now });
  }

  async function putBack(bytes: Buffer): Promise<void> {
    await bench.gateway.write(shared.podResource, bytes, 'application/ld+json');
  }

  async function events(): Promise<AuditEvent[]> {
    return (await bench.records.audit.list(0, 10_000)).map(({ event }): AuditEvent => event)
      .filter(({ type, citizenId }): boolean => type.startsWith('copy.') && citizenId === citizen.id);
  }

  async function grantOn(members: Partial<AccessGrant>): Promise<AccessGrant> {
    return bench.grant({
      subject: citizen.webId,
      resources: [ shared.podResource ],
      purposes: [ 'https://p.example/one', 'https://p.example/two' ],
      ...members,
    });
  }

  describe('when they are reported', (): void => {
    it('are recorded with everything reported.', async(): Promise<void> => {
      const storedAt = new Date(bench.now.getTime() - 30_000).toISOString();
      const { entry, created } = await report({ purpose, storedAt, system: 'archive 7' });
      expect(created).toBe(true);
      expect(entry).toEqual({
        id: expect.stringMatching(/^[\da-f-]{36}$/u),
        resource: shared.podResource,
        purpose,
        dataUser,
        accessGrant: shared.accessGrant,
        system: 'archive 7',
        status: 'STORED',
        storedAt,
        reportedAt: bench.now.toISOString(),
      });
    });

    it('have the grant\'s only purpose and the current time by default.', async(): Promise<void> => {
      const { entry } = await report();
      expect(entry).toMatchObject({ purpose, storedAt: bench.now.toISOString() });
      expect(entry).not.toHaveProperty('system');
    });

    it('are one per data user, resource and purpose, also when reported at once.', async(): Promise<void> => {
      const answers = await Promise.all(Array.from({ length: 5 }, async(): Promise<unknown> => report()));
      expect(answers.filter((answer): boolean => (answer as Reported).created)).toHaveLength(1);
      bench.later(minute);
      const { created, entry } = await report();
      expect(created).toBe(false);
      expect(entry).toEqual((answers[0] as Reported).entry);
      await expect(copies()).resolves.toHaveLength(1);
      await expect(events()).resolves.toHaveLength(1);
    });

    it('are one for all spellings of the resource.', async(): Promise<void> => {
      await report();
      const written = shared.podResource.replace('credentials', '%63redentials').replace('http:', 'HTTP:');
      await expect(report({ resource: written })).resolves.toMatchObject({ created: false });
    });

    it('can be of a resource with the longest path, by a grant on its container.', async(): Promise<void> => {
      const { pathname } = new URL(citizen.podUrl);
      const names = `${'a'.repeat(200)}/`.repeat(9);
      const resource = `${citizen.podUrl}${names}${'b'.repeat(2048 - pathname.length - names.length)}`;
      expect(resource.length).toBeGreaterThan(2048);
      const { uri } = await grantOn({ resources: [ citizen.podUrl ], purposes: [ purpose ], inherit: true });
      await expect(report({ resource, accessGrant: uri })).resolves.toMatchObject({ entry: { resource }});
      await expect(remove({ resource })).resolves.toMatchObject({ status: 'DELETED' });
      await expect(report({ resource: `${resource}b`, accessGrant: uri })).rejects.toThrow(ResourceUriInvalid);
    });

    it('need one of the purposes of the grant.', async(): Promise<void> => {
      const { uri: accessGrant } = await grantOn({});
      await expect(report({ accessGrant })).rejects.toThrow(PurposeRequired);
      await expect(report({ accessGrant, purpose })).rejects.toThrow(BodyInvalid);
      await expect(report({ accessGrant, purpose: 'https://p.example/two' })).resolves.toMatchObject({ created: true });
    });

    it('need a purpose where the grant names none.', async(): Promise<void> => {
      const { uri: accessGrant } = await grantOn({ purposes: []});
      await expect(report({ accessGrant })).rejects.toThrow(PurposeRequired);
      await expect(report({ accessGrant, purpose: 'https://p.example/mine' })).resolves.toMatchObject({ created: true });
    });

    it('need a grant that is effective for reading.', async(): Promise<void> => {
      const revoked = await grantOn({});
      await bench.records.grants.revoke(revoked.id, bench.now);
      await expect(report({ accessGrant: revoked.uri })).rejects.toThrow(GrantRevoked);
      const expired = await grantOn({ expiresAt: bench.now });
      await expect(report({ accessGrant: expired.uri })).rejects.toThrow(GrantExpired);
      const forWriting = await grantOn({ modes: [ 'Write' ]});
      await expect(report({ accessGrant: forWriting.uri })).rejects.toThrow(GrantNotCovering);
      await expect(report({}, stranger)).rejects.toThrow(GrantNotUsable);
      await expect(report({ accessGrant: 'none' })).rejects.toThrow(AccessGrantInvalid);
      await expect(report({ resource: `${citizen.podUrl}other` })).rejects.toThrow(GrantNotCovering);
      await expect(report({ resource: 'other' })).rejects.toThrow(ResourceUriInvalid);
      await expect(report({ resource: 'https://elsewhere.example/a' })).rejects.toThrow(OriginNotHere);
      await expect(copies()).resolves.toEqual([]);
    });

    it('need a moment in the past, give or take a minute, with a time zone.', async(): Promise<void> => {
      const early = new Date(bench.now.getTime() + minute).toISOString();
      await expect(report({ storedAt: early })).resolves.toMatchObject({ entry: { storedAt: early }});
      const wrong = [
        new Date(bench.now.getTime() + minute + 1).toISOString(),
        '2026-03-01',
        '2026-03-01T12:00:00',
        '2026-13-01T12:00:00Z',
        '2025-02-29T12:00:00Z',
        '2025-09-31T00:00:00+02:00',
        '0000-01-01T00:00:00+01:00',
        'yesterday',
      ];
      for (const storedAt of wrong) {
        await expect(report({ storedAt })).rejects.toThrow(BodyInvalid);
      }
      for (const storedAt of [ '2026-03-01T14:00:00.5+02:00', '2026-03-01t12:00:00z' ]) {
        await expect(report({ purpose, storedAt })).resolves.toMatchObject({ created: false });
      }
    });

    it('need a short name for their system.', async(): Promise<void> => {
      await expect(report({ system: 'x'.repeat(201) })).rejects.toThrow(BodyInvalid);
      // PostgreSQL cannot store it.
      await expect(report({ system: 'archive \0' })).rejects.toThrow(BodyInvalid);
      // Characters are counted as JSON Schema does, not as JavaScript does.
      await expect(report({ system: '\u{1F4BE}'.repeat(200) })).resolves.toMatchObject({ created: true });
    });

    it('are in the audit log.', async(): Promise<void> => {
      await report();
      await expect(events()).resolves.toMatchObject([{
        type: 'copy.reported',
        at: bench.now,
        correlationId: context.correlationId,
        facts: { purpose, app: context.app, contract: bench.contract.id, contractDigest: bench.contract.digest },
        personal: { webId: dataUser, resource: shared.podResource, accessGrant: shared.accessGrant },
      }]);
    });

    it('are not recorded when the audit log fails.', async(): Promise<void> => {
      async function append(): Promise<never> {
        throw new Error('full');
      }
      const records: typeof bench.records = {
        ...bench.records,
        transaction: async(work): ReturnType<typeof work> => bench.records.transaction(
          async(stores): ReturnType<typeof work> => work({ ...stores, audit: { ...stores.audit, append }}),
        ),
      };
      const failing = new DataCopyService({
        records,
        decision: bench.decision,
        gateway: bench.gateway,
        baseUrl: base,
        now: (): Date => bench.now,
        newId: randomUUID,
      });
      const { podResource: resource, accessGrant } = shared;
      await expect(failing.report({ resource, accessGrant }, dataUser, context)).rejects.toThrow('full');
      await expect(copies()).resolves.toEqual([]);
    });
  });

  describe('when they are reported again', (): void => {
    it('under another grant, last as long as that one.', async(): Promise<void> => {
      const first = await report();
      const grant = await grantOn({ purposes: [ purpose ]});
      await bench.records.grants.revoke(grantIdOf(shared.accessGrant), bench.now);
      await expect(copies('DELETION_DUE')).resolves.toHaveLength(1);
      const { created, entry } = await report({ accessGrant: grant.uri });
      expect(created).toBe(false);
      expect(entry).toMatchObject({ id: first.entry.id, accessGrant: grant.uri, status: 'STORED' });
      expect(entry.storedAt).toBe(first.entry.storedAt);
      await expect(copies()).resolves.toEqual([ entry ]);
    });

    it('with a later moment, are copies of the current content.', async(): Promise<void> => {
      await report({ system: 'archive' });
      bench.later(minute);
      bench.source.records = [ plainRecord('a', '2', '2026-2027') ];
      await share();
      await expect(copies()).resolves.toMatchObject([{
        status: 'DELETION_DUE',
        deletionReason: 'VC_INVALID',
        deletionDueSince: bench.now.toISOString(),
      }]);
      bench.later(minute);
      await expect(report()).resolves.toMatchObject({ created: false, entry: { status: 'DELETION_DUE' }});
      const storedAt = bench.now.toISOString();
      const { entry } = await report({ storedAt });
      expect(entry).toMatchObject({ status: 'STORED', storedAt, system: 'archive' });
    });
  });

  describe('when they are deleted', (): void => {
    it('show it, with the reason given, also when repeated.', async(): Promise<void> => {
      const { entry } = await report();
      bench.later(minute);
      const deleted = await remove({ reason: 'NO_LONGER_NEEDED' });
      expect(deleted).toEqual({
        ...entry,
        status: 'DELETED',
        deletionReason: 'NO_LONGER_NEEDED',
        deletedAt: bench.now.toISOString(),
      });
      bench.later(minute);
      await expect(remove()).resolves.toEqual(deleted);
      await expect(remove({ purpose, reason: 'NO_LONGER_NEEDED' })).resolves.toEqual(deleted);
      expect((await events()).map(({ type, facts }): unknown => [ type, facts?.reason ]))
        .toEqual([[ 'copy.reported', undefined ], [ 'copy.deleted', 'NO_LONGER_NEEDED' ]]);
    });

    it('can be deleted after the grant has ended, with that as the reason.', async(): Promise<void> => {
      await report();
      const revokedAt = bench.now;
      await bench.records.grants.revoke(grantIdOf(shared.accessGrant), revokedAt);
      bench.later(minute);
      await expect(remove()).resolves.toMatchObject({
        status: 'DELETED',
        deletionReason: 'GRANT_REVOKED',
        deletionDueSince: revokedAt.toISOString(),
      });
    });

    it('can be followed by a new one.', async(): Promise<void> => {
      const { entry } = await report();
      await remove();
      bench.later(minute);
      const again = await report();
      expect(again.created).toBe(true);
      expect(again.entry.id).not.toBe(entry.id);
      bench.later(minute);
      await expect(remove()).resolves.toMatchObject({ id: again.entry.id });
      await expect(remove()).resolves.toMatchObject({ id: again.entry.id });
      await expect(copies('DELETED')).resolves.toHaveLength(2);
    });

    it('must be identified by purpose.', async(): Promise<void> => {
      const { uri: accessGrant } = await grantOn({});
      await report({ accessGrant, purpose: 'https://p.example/one' });
      await report({ accessGrant, purpose: 'https://p.example/two' });
      await expect(remove()).rejects.toThrow(PurposeRequired);
      await expect(remove({ purpose: 'https://p.example/two' })).resolves.toMatchObject({ status: 'DELETED' });
      await expect(remove()).resolves.toMatchObject({ purpose: 'https://p.example/one', status: 'DELETED' });
    });

    it('must have been reported by who deletes them.', async(): Promise<void> => {
      await expect(remove()).rejects.toThrow(DataCopyNotFound);
      await report();
      await expect(remove({}, stranger)).rejects.toThrow(DataCopyNotFound);
      await expect(remove({}, citizen.webId)).rejects.toThrow(DataCopyNotFound);
      await expect(remove({ purpose: 'https://p.example/other' })).rejects.toThrow(DataCopyNotFound);
      for (const resource of [ 'nothing', 'https://elsewhere.example/a', `${citizen.podUrl}other` ]) {
        await expect(service().remove({ resource }, dataUser, context)).rejects.toThrow(DataCopyNotFound);
      }
      await expect(copies('STORED')).resolves.toHaveLength(1);
    });

    it('are deleted once when many reports arrive at once.', async(): Promise<void> => {
      await report();
      const answers = await Promise.all(Array.from({ length: 5 }, async(): Promise<CopyEntry> => remove()));
      expect(new Set(answers.map((answer): string => JSON.stringify(answer))).size).toBe(1);
      await expect(events()).resolves.toHaveLength(2);
    });
  });

  describe('are due for deletion', (): void => {
    it('when the grant has expired.', async(): Promise<void> => {
      await report();
      const { expiresAt } = (await bench.records.grants.findById(grantIdOf(shared.accessGrant)))!;
      bench.now = new Date(expiresAt!.getTime() - 1);
      await expect(copies('STORED')).resolves.toHaveLength(1);
      bench.later(1);
      const deletionDueSince = expiresAt!.toISOString();
      await expect(due()).resolves.toEqual({ deletionReason: 'GRANT_EXPIRED', deletionDueSince });
    });

    it('when the resource is gone, since that was first noticed.', async(): Promise<void> => {
      await report();
      await bench.gateway.remove(shared.podResource);
      const seen = { deletionReason: 'RESOURCE_ABSENT', deletionDueSince: bench.now.toISOString() };
      await expect(due()).resolves.toEqual(seen);
      bench.later(minute);
      await expect(due()).resolves.toEqual(seen);
    });

    it('since that was first noticed, also if it is noticed several times at once.', async(): Promise<void> => {
      await report();
      const before = (await bench.records.shares.findByResource(resourceUri(shared.podResource)))!;
      await bench.gateway.remove(shared.podResource);
      const { deletionDueSince } = await due();
      bench.later(minute);
      // Read before the first had noted it.
      const { share: seen } = await watch().examine(before);
      expect(seen.absentAt!.toISOString()).toBe(deletionDueSince);
    });

    it('when the resource was altered, since that was first noticed.', async(): Promise<void> => {
      await report();
      await bench.gateway.write(shared.podResource, Buffer.from('{}'), 'application/ld+json');
      const seen = { deletionReason: 'VC_INVALID', deletionDueSince: bench.now.toISOString() };
      await expect(due()).resolves.toEqual(seen);
      bench.later(minute);
      await expect(due()).resolves.toEqual(seen);
    });

    it('when the credential was revoked.', async(): Promise<void> => {
      await report();
      const { status } = (await bench.records.shares.findByResource(resourceUri(shared.podResource)))!;
      await bench.records.statusLists.revoke(status!, bench.now);
      await expect(due()).resolves.toMatchObject({ deletionReason: 'VC_INVALID' });
    });

    it('when the source no longer confirms it, since a verified read noticed.', async(): Promise<void> => {
      await report();
      bench.source.records = [];
      const request = { accessGrant: shared.accessGrant, resource: shared.podResource, verified: true };
      await expect(bench.resources().read(request, dataUser, context)).rejects.toThrow(NotValidAtOrigin);
      const noticed = bench.now.toISOString();
      bench.later(minute);
      await expect(due()).resolves.toEqual({ deletionReason: 'VC_INVALID', deletionDueSince: noticed });
    });

    it('when a credential of the source has expired, since that moment.', async(): Promise<void> => {
      const validUntil = new Date(bench.now.getTime() + (10 * minute));
      await shareSigned({ validUntil: validUntil.toISOString() });
      await report();
      bench.later(10 * minute);
      await expect(copies('STORED')).resolves.toHaveLength(1);
      bench.later(2 * minute);
      await expect(due()).resolves.toEqual({
        deletionReason: 'VC_INVALID',
        deletionDueSince: validUntil.toISOString(),
      });
    });

    it('when a status list of the source says so, since it was signed; later copies too.', async(): Promise<void> => {
      const foreign = new ForeignList();
      bench.fetchJson = async(): Promise<unknown> => foreign.list;
      await foreign.sign(bench.now, false);
      await shareSigned({ credentialStatus: foreign.entry });
      await report();
      const request = { accessGrant: shared.accessGrant, resource: shared.podResource, verified: true };
      async function read(): Promise<unknown> {
        return bench.resources().read(request, dataUser, context);
      }

      await read();
      bench.later(minute);
      const signed = bench.now;
      await foreign.sign(signed, true);
      bench.later(5 * minute);
      await expect(read()).rejects.toThrow(NotValidAtOrigin);
      await expect(due()).resolves.toEqual({ deletionReason: 'VC_INVALID', deletionDueSince: signed.toISOString() });
      await remove();
      const { created, entry } = await report();
      expect(created).toBe(true);
      expect(entry).toMatchObject({
        status: 'DELETION_DUE',
        deletionReason: 'VC_INVALID',
        deletionDueSince: bench.now.toISOString(),
      });
    });

    it('never since before it was last valid, however early the source\'s status list is dated.', async():
    Promise<void> => {
      const foreign = new ForeignList();
      const early = bench.now;
      bench.fetchJson = async(): Promise<unknown> => foreign.list;
      await foreign.sign(early, false);
      await shareSigned({ credentialStatus: foreign.entry });
      await report();
      bench.later(10 * minute);
      const checkedAt = bench.now;
      const { id, digest } = (await bench.records.shares.findByResource(resourceUri(shared.podResource)))!;
      await bench.records.shares.setChecked([{ id, digest, checkedAt }]);
      await foreign.sign(early, true);
      bench.later(10 * minute);
      const request = { accessGrant: shared.accessGrant, resource: shared.podResource, verified: true };
      await expect(bench.resources().read(request, dataUser, context)).rejects.toThrow(NotValidAtOrigin);
      await expect(due()).resolves.toEqual({
        deletionReason: 'VC_INVALID',
        deletionDueSince: checkedAt.toISOString(),
      });
    });

    it('not while the resource is being shared again.', async(): Promise<void> => {
      await report();
      await bench.gateway.write(shared.podResource, Buffer.from('{}'), 'application/ld+json');
      const intent = {
        id: randomUUID(),
        citizenId: citizen.id,
        resource: resourceUri(shared.podResource),
        digest: 'd',
        existed: true,
        plan: '{}',
        createdAt: bench.now,
      };
      await bench.records.shares.insertIntents([ intent ]);
      await expect(copies('STORED')).resolves.toHaveLength(1);
      await bench.records.shares.deleteIntent(intent.id);
      await expect(copies('STORED')).resolves.toHaveLength(0);
    });

    it('when a resource that was not shared here is gone, and no longer when it is back.', async(): Promise<void> => {
      const resource = `${citizen.podUrl}notes`;
      const { uri: accessGrant } = await grantOn({ resources: [ resource ], purposes: [ purpose ]});
      await bench.gateway.write(resource, Buffer.from('notes'), 'text/plain');
      await expect(report({ resource, accessGrant })).resolves.toMatchObject({ entry: { status: 'STORED' }});
      await bench.gateway.remove(resource);
      const deletionDueSince = bench.now.toISOString();
      await expect(due()).resolves.toEqual({ deletionReason: 'RESOURCE_ABSENT', deletionDueSince });
      await bench.gateway.write(resource, Buffer.from('notes'), 'text/plain');
      await expect(copies('STORED')).resolves.toHaveLength(1);
    });

    it('when the citizen is gone; the data user still sees and deletes them.', async(): Promise<void> => {
      const { entry } = await report();
      await bench.records.grants.endAllOf(citizen.webId, bench.now);
      await bench.records.shares.setAllAbsent(citizen.id, bench.now);
      await bench.gateway.remove(shared.podResource);
      await bench.records.audit.forget(citizen.id);
      await bench.records.podOwners.set(citizen.podUrl, []);
      await bench.records.citizens.erase(citizen.id, bench.now);
      const listed = (await listAll(dataUser)).flat().find(({ id }): boolean => id === entry.id);
      expect(listed).toMatchObject({ status: 'DELETION_DUE', deletionReason: 'GRANT_REVOKED' });
      await expect(copies()).resolves.toEqual([]);
      await expect(remove()).resolves.toMatchObject({ id: entry.id, status: 'DELETED' });
      await expect(events()).resolves.toEqual([]);
    });

    it('since the first newer version, whatever is shared later.', async(): Promise<void> => {
      await report();
      const first = await shareVersion('2');
      await shareVersion('3');
      await expect(due()).resolves.toEqual(first);
      await remove();
      await shareVersion('4');
      await expect(copies()).resolves.toMatchObject([{ status: 'DELETED', ...first }]);
    });

    it('since the credential was found invalid, although it was shared again.', async(): Promise<void> => {
      await report();
      await bench.gateway.write(shared.podResource, Buffer.from('{}'), 'application/ld+json');
      const found = await due();
      await shareVersion('2');
      await expect(due()).resolves.toEqual(found);
    });

    it('since the resource was gone, although it was shared again.', async(): Promise<void> => {
      await report();
      await bench.gateway.remove(shared.podResource);
      const found = await due();
      bench.later(minute);
      await share();
      await expect(due()).resolves.toEqual(found);
      await report({ storedAt: bench.now.toISOString() });
      await expect(copies()).resolves.toMatchObject([{ status: 'STORED' }]);
    });

    it.each([
      [ 'shared again', async(): Promise<unknown> => share() ],
      [ 'shared again after it was put back', async(bytes: Buffer): Promise<unknown> => {
        await putBack(bytes);
        return share();
      } ],
      [ 'put back', async(bytes: Buffer): Promise<unknown> => {
        await putBack(bytes);
        return watch().noteChange(resourceUri(shared.podResource));
      } ],
    ])('and a deleted one shows since when the resource was gone, although it was %s.', async(
      _case,
      restore,
    ): Promise<void> => {
      await report();
      const { bytes } = (await bench.gateway.findBytes(shared.podResource, 1_000_000))!;
      await bench.gateway.remove(shared.podResource);
      const found = await due();
      await remove();
      bench.later(minute);
      await restore(bytes);
      await expect(copies()).resolves.toMatchObject([{ status: 'DELETED', ...found }]);
    });

    it('since a later version than the one that the copy was made of again.', async(): Promise<void> => {
      await report();
      await shareVersion('2');
      await report({ storedAt: bench.now.toISOString() });
      await expect(copies()).resolves.toMatchObject([{ status: 'STORED' }]);
      const next = await shareVersion('3');
      const grant = await grantOn({ purposes: [ purpose ]});
      await report({ accessGrant: grant.uri });
      await shareVersion('4');
      await expect(due()).resolves.toEqual(next);
    });

    it('but not after deletion, whatever happens.', async(): Promise<void> => {
      await report();
      await remove({ reason: 'NO_LONGER_NEEDED' });
      await bench.gateway.remove(shared.podResource);
      const [ entry ] = await copies();
      expect(entry).toMatchObject({ status: 'DELETED', deletionReason: 'NO_LONGER_NEEDED' });
      expect(entry).not.toHaveProperty('deletionDueSince');
      expect((await bench.records.shares.findByResource(resourceUri(shared.podResource)))!.absentAt).toBeUndefined();
    });
  });

  describe('are listed', (): void => {
    let user: WebId;

    beforeEach(async(): Promise<void> => {
      user = parseWebId(`https://user.example/${randomUUID()}#org`);
      for (let index = 0; index < 7; index += 1) {
        const resource = `${citizen.podUrl}notes/${index}`;
        const members = { recipient: user, resources: [ resource ], purposes: [ purpose ]};
        const { id, uri: accessGrant } = await grantOn(members);
        await bench.gateway.write(resource, Buffer.from('notes'), 'text/plain');
        await report({ resource, accessGrant }, user);
        bench.later(1);
        if (index % 3 === 0) {
          await bench.records.grants.revoke(id, bench.now);
        }
      }
    });

    it('newest first, in pages.', async(): Promise<void> => {
      expect((await listAll(user, undefined, 3)).map(names)).toEqual([ '654', '321', '0' ]);
    });

    it('by status, in full pages.', async(): Promise<void> => {
      expect((await listAll(user, 'DELETION_DUE', 2)).map(names)).toEqual([ '63', '0' ]);
      expect((await listAll(user, 'STORED', 3)).map(names)).toEqual([ '542', '1' ]);
      expect((await listAll(user, 'DELETED', 3)).map(names)).toEqual([ '' ]);
    });

    it('to the citizen who owns the resources, and to nobody else.', async(): Promise<void> => {
      expect(names((await listAll(citizen.webId)).flat())).toBe('6543210');
      const other = await bench.citizen();
      expect((await listAll(other.webId)).flat()).toEqual([]);
      expect((await listAll(stranger)).flat()).toEqual([]);
    });

    it('to the owner of the pod, even if it is not a citizen\'s.', async(): Promise<void> => {
      const resource = `${base}alice/notes`;
      const members = { recipient: user, resources: [ resource ], purposes: [ purpose ]};
      const { uri: accessGrant } = await bench.grant(members);
      await report({ resource, accessGrant }, user);
      const owner = parseWebId('https://alice.example/profile#me');
      await bench.records.podOwners.set(`${base}alice/`, [ owner ]);
      expect((await listAll(owner)).flat()).toMatchObject([{ resource, dataUser: user }]);
    });

    it('to a citizen who is also a data user, with their own first.', async(): Promise<void> => {
      const other = await bench.citizen();
      const resource = `${other.podUrl}letter`;
      const { uri: accessGrant } = await bench.grant({
        subject: other.webId,
        recipient: citizen.webId,
        resources: [ resource ],
        purposes: [ purpose ],
      });
      await report({ resource, accessGrant }, citizen.webId);
      expect((await listAll(citizen.webId, undefined, 3)).map(names)).toEqual([ 'r65', '432', '10' ]);
    });

    it('only from their own cursors.', async(): Promise<void> => {
      for (const cursor of [ 'x', 'user', 'user.x', 'owner.W10', 'other.', '' ]) {
        const caller = citizen.webId;
        await expect(service().list({ limit: 10, cursor }, caller)).rejects.toThrow(ParameterInvalid);
      }
    });
  });
});
