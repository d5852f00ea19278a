import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AuditEvent } from '../../src/audit/AuditLog';
import type { OpenRecords } from '../../src/storage/openRecords';
import type { TestCitizen } from '../support/callers';
import { expectProblem, headersOf, placesThatMention } from '../support/callers';
import { withRecordsOf } from '../support/openRecordsOf';
import { sqlOf } from '../support/recordsSql';
import type { Shared } from '../support/sharing';
import { operate } from '../support/commandLine';
import { lastPart, revocationUrl } from '../support/sharing';
import { json, SharingWorld, until } from '../support/sharingWorld';
import { fictitiousNumber } from '../support/fictitiousNumber';
import type { AccountHolder, Client } from '../support/world';
import { accountWithPod } from '../support/world';

interface Copy {
  id: string;
  resource: string;
  purpose: string;
  dataUser: string;
  accessGrant: string;
  status: string;
  storedAt: string;
  deletionDueSince?: string;
  deletionReason?: string;
}

/** An entry in the listing of a pod. */
interface Listed {
  id: string;
  uri: string;
  accessGrants: { id: string; status: string }[];
}

const plain = { headers: { 'content-type': 'text/plain' }, body: 'notes' };
const ld = { 'content-type': 'application/ld+json' };

function presentation(credentials: object[]): string {
  return JSON.stringify({ type: 'VerifiablePresentation', verifiableCredential: credentials });
}

/** Lists everything, from page to page. */
async function pagesOf(client: Client, url: string): Promise<Listed[]> {
  const listed: Listed[] = [];
  let next: string | null = url;
  while (next) {
    const page: { resources: Listed[]; next: string | null } = await json(await client.request('GET', next));
    listed.push(...page.resources);
    ({ next } = page);
  }
  return listed;
}

describe('A data user', (): void => {
  let world: SharingWorld;
  let consumer: AccountHolder;
  let stranger: AccountHolder;
  /** Under a grant of half a minute, from the beginning. */
  let expiring: Shared;

  beforeAll(async(): Promise<void> => {
    world = await SharingWorld.start({
      usual: {},
      writing: { accessMode: 'WRITE' },
      momentary: { accessDuration: 'PT0.001S' },
      short: { accessDuration: 'PT20S' },
    }, 'debug', { originChecks: 'PT5S' });
    consumer = await world.dataUser();
    stranger = await accountWithPod(world.base, 'stranger');
    [ expiring ] = await world.shareAll(await world.citizen(), 'short');
    await json(await report(expiring));
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await world?.remove();
  });

  async function report({ podResource, accessGrant }: Shared, more: object = {}, client?: Client): Promise<Response> {
    const body = { resource: podResource, accessGrant, ...more };
    return (client ?? consumer.client).request('POST', `${world.base}v1/data-copies`, { body });
  }

  async function remove(body: object, client = consumer.client): Promise<Response> {
    return client.request('DELETE', `${world.base}v1/data-copies`, { body });
  }

  async function copiesOf(client: Client, query = ''): Promise<Copy[]> {
    const url = `${world.base}v1/data-copies?limit=200${query}`;
    return (await json<{ dataCopies: Copy[] }>(await client.request('GET', url))).dataCopies;
  }

  async function copyOf({ podResource }: Shared, client = consumer.client): Promise<Copy> {
    return (await copiesOf(client)).find(({ resource }): boolean => resource === podResource)!;
  }

  async function ask(value: unknown, accessGrantVc: unknown, client = consumer.client): Promise<Response> {
    const body = { businessKey: { type: 'NATIONAL_NUMBER_BE', value }, accessGrantVc };
    return client.request('POST', `${world.base}v1/verifications/business-key`, { body });
  }

  /** Has the access grant service issue a credential, for the data user or another. */
  async function state(
    client: Client,
    type: string,
    status: string,
    resource: string,
    isProvidedTo = consumer.webId,
  ): Promise<string> {
    const providedConsent = {
      mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
      hasStatus: `https://w3id.org/GConsent#${status}`,
      forPersonalData: [ resource ],
      isProvidedTo,
    };
    const credential = {
      '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
      type: [ 'VerifiableCredential', type ],
      credentialSubject: { providedConsent },
    };
    const response = await client.request('POST', `${world.base}.access/issue`, { body: { credential }});
    return JSON.stringify(await json(response));
  }

  /** Issues a grant to the data user on a resource of a pod, with its contents. */
  async function grantOn(
    { client, podUrl }: Pick<AccountHolder, 'client' | 'podUrl'>,
    name: string,
  ): Promise<{ id: string }> {
    const grant = await state(client, 'SolidAccessGrant', 'ConsentStatusExplicitlyGiven', podUrl + name);
    return JSON.parse(grant) as { id: string };
  }

  /** Expects that a copy became due during this test, and that its deletion can be reported. */
  async function expectDue(shared: Shared, reason: string, since: Date): Promise<void> {
    const copy = await copyOf(shared);
    expect(copy).toMatchObject({ status: 'DELETION_DUE', deletionReason: reason });
    expect(Date.parse(copy.deletionDueSince!)).toBeGreaterThanOrEqual(since.getTime() - 1000);
    const due = await copiesOf(consumer.client, '&status=DELETION_DUE');
    expect(due.map(({ id }): string => id)).toContain(copy.id);
    await expect(json(await remove({ resource: shared.podResource, reason })))
      .resolves.toMatchObject({ id: copy.id, status: 'DELETED', deletionReason: reason });
  }

  async function shareAndReport(): Promise<{ citizen: TestCitizen; shared: Shared; since: Date }> {
    const citizen = await world.citizen();
    const [ shared ] = await world.shareAll(citizen);
    await json(await report(shared));
    await expect(copyOf(shared)).resolves.toMatchObject({ status: 'STORED' });
    return { citizen, shared, since: new Date() };
  }

  /** Reads the records beside the running server. */
  async function withRecords<T>(work: (records: OpenRecords['records']) => Promise<T>): Promise<T> {
    const { folder, stored } = world.server;
    return withRecordsOf(folder, async({ records }): Promise<T> => work(records), { records: stored.place });
  }

  describe('asks whether data is about a person', (): void => {
    let citizen: TestCitizen;
    let shared: Shared;
    let grant: Record<string, unknown>;

    beforeAll(async(): Promise<void> => {
      citizen = await world.citizen();
      [ shared ] = await world.shareAll(citizen);
      grant = await json(await consumer.client.request('GET', shared.accessGrant));
    });

    async function grantOf({ accessGrant }: Shared): Promise<string> {
      return JSON.stringify(await json(await consumer.client.request('GET', accessGrant)));
    }

    it('and gets yes or no.', async(): Promise<void> => {
      const { nationalNumber } = citizen;
      const dotted = nationalNumber.replace(/^(..)(..)(..)(...)(..)$/u, '$1.$2.$3-$4.$5');
      const vc = JSON.stringify(grant);
      await expect(json(await ask(nationalNumber, vc))).resolves.toEqual({ valid: true });
      await expect(json(await ask(dotted, vc))).resolves.toEqual({ valid: true });
      await expect(json(await ask((await world.citizen()).nationalNumber, vc))).resolves.toEqual({ valid: false });
      await expect(json(await ask(world.newNumber(), vc))).resolves.toEqual({ valid: false });
    });

    it.each([
      [ 'base64', (vc: object): string => Buffer.from(JSON.stringify(vc)).toString('base64') ],
      [ 'base64url', (vc: object): string => Buffer.from(JSON.stringify(vc)).toString('base64url') ],
      [ 'a presentation', (vc: object): string => presentation([ vc ]) ],
      [ 'JSON with its members in another order', (vc: object): string =>
        JSON.stringify(Object.fromEntries(Object.entries(vc).reverse())) ],
    ])('with the grant as %s.', async(_name, write): Promise<void> => {
      await expect(json(await ask(citizen.nationalNumber, write(grant)))).resolves.toEqual({ valid: true });
    });

    it.each([
      [ 'is no JSON', (): string => 'a grant', 'credential-malformed' ],
      [ 'is JSON of something else', (): string => '[1,2,3]', 'credential-malformed' ],
      [ 'is base64 of something else', (): string => btoa('a grant'), 'credential-malformed' ],
      [ 'is cut off', (): string => JSON.stringify(grant).slice(0, -20), 'credential-malformed' ],
      [ 'is only its URI', (): string => shared.accessGrant, 'credential-malformed' ],
      [ 'has no id', (): string => JSON.stringify({ ...grant, id: undefined }), 'credential-malformed' ],
      [ 'is a presentation of two', (): string => presentation([ grant, grant ]), 'credential-malformed' ],
      [ 'is a presentation without a credential', (): string => presentation([]), 'credential-malformed' ],
      [ 'is nested too deeply', (): string => `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 'credential-malformed' ],
      [ 'is of another server', (): string =>
        JSON.stringify({ ...grant, id: `https://elsewhere.example/.access/vc/${randomUUID()}` }), 'credential-not-ours' ],
      [ 'is unknown here', (): string =>
        JSON.stringify({ ...grant, id: `${world.base}.access/vc/${randomUUID()}` }), 'credential-not-ours' ],
      [ 'names another subject', (): string => JSON.stringify({
        ...grant,
        credentialSubject: { ...grant.credentialSubject as object, id: stranger.webId },
      }), 'credential-not-ours' ],
      [ 'has another expiry', (): string =>
        JSON.stringify({ ...grant, expirationDate: '2099-01-01T00:00:00Z' }), 'credential-not-ours' ],
      [ 'has another proof', (): string =>
        JSON.stringify({ ...grant, proof: { ...grant.proof as object, proofValue: 'z1' }}), 'credential-not-ours' ],
      [ 'has a member more', (): string => JSON.stringify({ ...grant, name: 'x' }), 'credential-not-ours' ],
    ])('and is refused when the grant %s.', async(_name, write, type): Promise<void> => {
      await expectProblem(await ask(citizen.nationalNumber, write()), 400, type);
    });

    it('and is refused when the grant is somebody else\'s.', async(): Promise<void> => {
      const vc = JSON.stringify(grant);
      await expectProblem(await ask(citizen.nationalNumber, vc, stranger.client), 400, 'credential-not-yours');
      await expectProblem(await ask(citizen.nationalNumber, vc, citizen.client), 400, 'credential-not-yours');
    });

    it('and is refused when the grant was revoked or has expired.', async(): Promise<void> => {
      const owner = await world.citizen(2);
      const [ revoked, kept ] = await world.shareAll(owner);
      const [ expired ] = await world.shareAll(owner, 'momentary');
      const documents = await Promise.all([ revoked, expired, kept ].map(grantOf));
      await json(await owner.client.request('DELETE', revocationUrl(world.base, revoked)));
      await expectProblem(await ask(owner.nationalNumber, documents[0]), 400, 'credential-revoked');
      await expectProblem(await ask(owner.nationalNumber, documents[1]), 400, 'credential-expired');
      await expect(json(await ask(owner.nationalNumber, documents[2]))).resolves.toEqual({ valid: true });
    });

    it('and is refused when the citizen refused consent.', async(): Promise<void> => {
      const denial = await state(citizen.client, 'SolidAccessDenial', 'ConsentStatusDenied', shared.podResource);
      await expectProblem(await ask(citizen.nationalNumber, denial), 400, 'credential-not-granted');
    });

    it('and is refused when the grant is by somebody without control of the resource.', async(): Promise<void> => {
      const grant = await state(
        stranger.client,
        'SolidAccessGrant',
        'ConsentStatusExplicitlyGiven',
        shared.podResource,
      );
      await expectProblem(await ask(citizen.nationalNumber, grant), 400, 'credential-not-effective');
    });

    it.each([
      [ 'a wrong checksum', '85073000113' ],
      [ 'too few digits', '8507300' ],
      [ 'letters', 'emma claes' ],
      [ 'only separators', '.-. ' ],
    ])('and is refused when the number has %s.', async(_name, number): Promise<void> => {
      await expectProblem(await ask(number, JSON.stringify(grant)), 400, 'business-key-invalid');
    });

    it.each([
      [ 'another type of key', { businessKey: { type: 'PASSPORT', value: 'x' }, accessGrantVc: '{}' }],
      [ 'no key', { accessGrantVc: '{}' }],
      [ 'a number as value', { businessKey: { type: 'NATIONAL_NUMBER_BE', value: 1 }, accessGrantVc: '{}' }],
      [ 'a grant that is not text', { businessKey: { type: 'NATIONAL_NUMBER_BE', value: '1' }, accessGrantVc: {}}],
      [ 'no grant', { businessKey: { type: 'NATIONAL_NUMBER_BE', value: '1' }}],
    ])('and is refused with %s.', async(_name, body): Promise<void> => {
      const url = `${world.base}v1/verifications/business-key`;
      await expectProblem(await consumer.client.request('POST', url, { body }), 400, 'body-invalid');
    });

    it('but cannot guess numbers without limit.', async(): Promise<void> => {
      const owner = await world.citizen();
      const vc = await grantOf((await world.shareAll(owner))[0]);
      const wrong = Array.from({ length: 5 }, (): string => world.newNumber());
      await Promise.all(wrong.map(async(number): Promise<void> => {
        await expect(json(await ask(number, vc))).resolves.toEqual({ valid: false });
      }));
      const limited = await ask(owner.nationalNumber, vc);
      expect(limited.headers.get('retry-after')).toMatch(/^\d+$/u);
      await expectProblem(limited, 429, 'too-many-business-keys');
      await expectProblem(await ask(wrong[0], vc), 429, 'too-many-business-keys');
      await expectProblem(await ask(world.newNumber(), vc), 429, 'too-many-business-keys');
      const [{ podResource }] = await world.shareAll(owner);
      const theirs = await state(
        owner.client,
        'SolidAccessGrant',
        'ConsentStatusExplicitlyGiven',
        podResource,
        stranger.webId,
      );
      await expect(json(await ask(owner.nationalNumber, theirs, stranger.client))).resolves.toEqual({ valid: true });
      await expect(json(await ask(citizen.nationalNumber, JSON.stringify(grant)))).resolves.toEqual({ valid: true });
    });
  });

  describe('reports a copy', (): void => {
    let citizen: TestCitizen;
    let shared: Shared;
    let other: Shared;

    beforeAll(async(): Promise<void> => {
      citizen = await world.citizen(3);
      [ shared, other ] = await world.shareAll(citizen);
    });

    it('once for a resource and purpose.', async(): Promise<void> => {
      const first = await report(shared, { system: 'personnel files', storedAt: '2026-01-01T10:00:00Z' });
      const again = await report(shared);
      expect([ first.status, again.status ]).toEqual([ 201, 200 ]);
      const copy = await first.json() as Copy;
      expect(copy).toEqual({
        id: expect.any(String),
        resource: shared.podResource,
        purpose: `${world.base}v1/purposes/employment`,
        dataUser: consumer.webId,
        accessGrant: shared.accessGrant,
        system: 'personnel files',
        status: 'STORED',
        storedAt: '2026-01-01T10:00:00.000Z',
        reportedAt: expect.stringMatching(/Z$/u),
      });
      await expect(again.json()).resolves.toMatchObject({ id: copy.id });
    });

    it('many times at once, in one entry.', async(): Promise<void> => {
      const answers = await Promise.all(Array.from({ length: 10 }, async(): Promise<Response> => report(other)));
      expect(answers.map(({ status }): number => status).filter((status): boolean => status === 201)).toHaveLength(1);
      const ids = await Promise.all(answers.map(async(answer): Promise<string> => (await answer.json() as Copy).id));
      expect(new Set(ids).size).toBe(1);
    });

    it.each([
      [ 'without resource', { resource: undefined }, 400, 'body-invalid' ],
      [ 'without grant', { accessGrant: undefined }, 400, 'body-invalid' ],
      [ 'of what is no URI', { resource: 'a diploma' }, 400, 'body-invalid' ],
      [ 'of a resource elsewhere', { resource: 'https://elsewhere.example/x' }, 403, 'origin-not-here' ],
      [ 'for another purpose', { purpose: 'https://purpose.example/marketing' }, 400, 'body-invalid' ],
      [ 'of tomorrow', { storedAt: '2099-01-01T00:00:00Z' }, 400, 'body-invalid' ],
      [ 'of no moment', { storedAt: 'yesterday' }, 400, 'body-invalid' ],
      [ 'of a moment nowhere', { storedAt: '2026-01-01T10:00:00' }, 400, 'body-invalid' ],
      [ 'in a system with a long name', { system: 'x'.repeat(201) }, 400, 'body-invalid' ],
      [ 'in a system with a name that not every storage can keep', { system: 'a\0b' }, 400, 'body-invalid' ],
      [ 'with a foreign grant', { accessGrant: 'https://elsewhere.example/vc/1' }, 403, 'grant-not-usable' ],
    ])('but not %s.', async(_name, changed, status, type): Promise<void> => {
      const before = await copiesOf(consumer.client);
      await expectProblem(await report(shared, changed), status, type);
      await expect(copiesOf(consumer.client)).resolves.toHaveLength(before.length);
    });

    it('but not without a grant that is effective.', async(): Promise<void> => {
      const owner = await world.citizen();
      const [ revoked ] = await world.shareAll(owner);
      await json(await owner.client.request('DELETE', revocationUrl(world.base, revoked)));
      const [ expired ] = await world.shareAll(owner, 'momentary');
      const before = await copiesOf(consumer.client);
      await expectProblem(await report(revoked), 403, 'grant-revoked');
      await expectProblem(await report(expired), 403, 'grant-expired');
      await expectProblem(await report({ ...shared, accessGrant: other.accessGrant }), 403, 'grant-not-covering');
      await expectProblem(await report(shared, {}, stranger.client), 403, 'grant-not-usable');
      await expect(copiesOf(consumer.client)).resolves.toHaveLength(before.length);
      await expect(copiesOf(stranger.client)).resolves.toEqual([]);
    });

    it('and its deletion, by body or query; repeating it has no effect.', async(): Promise<void> => {
      const owner = await world.citizen(2);
      const [ one, two ] = await world.shareAll(owner);
      await json(await report(one));
      await json(await report(two));
      const deleted = await json<Copy>(await remove({ resource: one.podResource, reason: 'NO_LONGER_NEEDED' }));
      expect(deleted).toMatchObject({
        status: 'DELETED',
        deletionReason: 'NO_LONGER_NEEDED',
        deletedAt: expect.stringMatching(/Z$/u),
      });
      await expect(json(await remove({ resource: one.podResource }))).resolves.toEqual(deleted);
      const query = new URLSearchParams({ resource: two.podResource, purpose: `${world.base}v1/purposes/employment` });
      const url = `${world.base}v1/data-copies?${query.toString()}`;
      const body = { resource: two.podResource, purpose: `${world.base}v1/purposes/employment` };
      await expectProblem(await consumer.client.request('DELETE', url, { body }), 400, 'parameter-invalid');
      const reason = `${world.base}v1/data-copies?reason=NO_LONGER_NEEDED`;
      await expectProblem(await consumer.client.request('DELETE', reason, { body }), 400, 'parameter-invalid');
      await expect(json(await consumer.client.request('DELETE', url))).resolves.toMatchObject({ status: 'DELETED' });
      expect((await report(two)).status).toBe(201);
    });

    it.each([
      [ 'of nothing', {}, 400, 'body-invalid' ],
      [ 'for an unknown reason', { resource: 'https://a.example/', reason: 'BORED' }, 400, 'body-invalid' ],
      [ 'of what it never had', { resource: 'https://elsewhere.example/x' }, 404, 'data-copy-not-found' ],
    ])('but not a deletion %s.', async(_name, body, status, type): Promise<void> => {
      await expectProblem(await remove(body), status, type);
    });

    it('but not the deletion of others\' copies.', async(): Promise<void> => {
      const body = { resource: shared.podResource };
      await expectProblem(await remove(body, stranger.client), 404, 'data-copy-not-found');
      await expectProblem(await remove(body, citizen.client), 404, 'data-copy-not-found');
      await expectProblem(await remove({ ...body, purpose: 'https://p.example/' }), 404, 'data-copy-not-found');
      await expectProblem(
        await consumer.client.request('DELETE', `${world.base}v1/data-copies`),
        400,
        'parameter-invalid',
      );
      await expect(copyOf(shared)).resolves.toMatchObject({ status: 'STORED' });
    });

    it('and lists its own; citizens see the copies of their data.', async(): Promise<void> => {
      const seen = await copiesOf(citizen.client);
      expect(new Set(seen.map(({ resource }): string => resource)))
        .toEqual(new Set([ shared.podResource, other.podResource ]));
      await expect(copiesOf(stranger.client)).resolves.toEqual([]);
      const stored = await copiesOf(consumer.client, '&status=STORED');
      expect(new Set(stored.map(({ status }): string => status))).toEqual(new Set([ 'STORED' ]));
      const bad = `${world.base}v1/data-copies?`;
      for (const query of [ 'status=LOST', 'limit=0', 'cursor=made-up' ]) {
        await expectProblem(await consumer.client.request('GET', bad + query), 400, 'parameter-invalid');
      }
    });
  });

  describe('must delete its copy', (): void => {
    it('when the grant is revoked.', async(): Promise<void> => {
      const { citizen, shared, since } = await shareAndReport();
      await json(await citizen.client.request('DELETE', revocationUrl(world.base, shared)));
      await expectDue(shared, 'GRANT_REVOKED', since);
    });

    it('when the citizen leaves.', async(): Promise<void> => {
      const { citizen, shared, since } = await shareAndReport();
      await json(await citizen.client.request('DELETE', `${world.base}v1/webids`));
      await expectProblem(await world.read(consumer.client, shared), 403, 'grant-revoked');
      await expectDue(shared, 'GRANT_REVOKED', since);
      const sql = sqlOf(world.server.stored.place);
      const rows = await sql(`select * from shares where resource = '${shared.podResource}'`);
      expect(rows).toEqual([ expect.objectContaining({ record_id: rows[0].id, version: '', digest: '' }) ]);
    });

    it('when the resource is gone.', async(): Promise<void> => {
      const { citizen, shared, since } = await shareAndReport();
      expect((await citizen.client.request('DELETE', shared.podResource)).status).toBe(205);
      await expectDue(shared, 'RESOURCE_ABSENT', since);
    });

    it('when the credential was altered.', async(): Promise<void> => {
      const { citizen, shared, since } = await shareAndReport();
      const put = await citizen.client.request('PUT', shared.podResource, { headers: ld, body: '{}' });
      expect(put.status).toBe(205);
      await expectDue(shared, 'VC_INVALID', since);
    });

    it('when the credential was superseded by a new version.', async(): Promise<void> => {
      const { citizen, shared, since } = await shareAndReport();
      await world.writeDiploma(citizen, 1, '2');
      await expect(world.shareAll(citizen)).resolves.toEqual([ shared ]);
      await expectDue(shared, 'VC_INVALID', since);
    });

    it('when the source no longer confirms it.', async(): Promise<void> => {
      const { citizen, shared, since } = await shareAndReport();
      await world.removeDiploma(citizen, 1);
      await expectProblem(await world.read(consumer.client, shared, '&verified=true'), 404, 'not-valid-at-origin');
      await expectDue(shared, 'VC_INVALID', since);
    });

    it('when the source no longer confirms it, without anybody asking.', async(): Promise<void> => {
      const { citizen, shared, since } = await shareAndReport();
      const { podId } = citizen;
      await world.removeDiploma(citizen, 1);
      await until(async(): Promise<boolean> => (await copyOf(shared)).status !== 'STORED');
      const { resources } = await json<{ resources: { uri: string; originInvalidSince?: string }[] }>(
        await citizen.client.request('GET', `${world.base}v1/pods/${podId}/resources`),
      );
      const { deletionDueSince } = await copyOf(shared);
      expect(resources).toMatchObject([{ uri: shared.podResource, originInvalidSince: deletionDueSince }]);
      const credential = await json<{ credentialStatus: { statusListCredential: string; statusListIndex: string }}>(
        await world.read(consumer.client, shared),
      );
      const { statusListCredential, statusListIndex } = credential.credentialStatus;
      const list = await json<{ credentialSubject: { encodedList: string }}>(await fetch(statusListCredential));
      const bits = gunzipSync(Buffer.from(list.credentialSubject.encodedList.slice(1), 'base64url'));
      const place = Number(statusListIndex);
      expect(bits[place >> 3] & (0x80 >> (place % 8))).not.toBe(0);
      await expectProblem(await world.read(consumer.client, shared, '&verified=true'), 404, 'not-valid-at-origin');
      await expectDue(shared, 'VC_INVALID', since);
    });

    it('when a check by the operator finds it invalid.', async(): Promise<void> => {
      const { folder, stored } = world.server;
      async function check(uri: string): Promise<string> {
        const place = { records: stored.place, keys: join(folder, 'keys') };
        const { code, output, errors } = await operate(place, [ 'origins', 'check', uri ]);
        return `${code} ${output}${errors}`;
      }

      const { citizen, shared, since } = await shareAndReport();
      await expect(check(shared.podResource)).resolves.toBe('0 It is valid: its origin confirms it.\n');
      await expect(check(citizen.webId)).resolves.toBe('1 There is no shared data at this URI.\n');
      await world.removeDiploma(citizen, 1);
      await expect(check(shared.podResource)).resolves
        .toMatch(/^\d It has been invalid, .+, since \S+Z \(withdrawn\)\./u);
      await expect(check(shared.podResource)).resolves.toMatch(/^\d It has been invalid, /u);
      await expectDue(shared, 'VC_INVALID', since);
    });

    it('when the grant has lost its effect because a party was erased.', async(): Promise<void> => {
      const user = await world.citizen(0);
      await world.addContract('between-citizens', { forDataUser: user.webId });
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen, 'between-citizens');
      expect((await world.read(user.client, shared)).status).toBe(200);
      await json(await report(shared, {}, user.client));
      await expect(copyOf(shared, citizen.client)).resolves.toMatchObject({ status: 'STORED', dataUser: user.webId });
      await json(await user.client.request('DELETE', `${world.base}v1/webids`));
      await expect(copyOf(shared, citizen.client)).resolves.toMatchObject({
        status: 'DELETION_DUE',
        deletionReason: 'GRANT_INVALID',
      });
    });

    it('when the grant has expired.', async(): Promise<void> => {
      await until(async(): Promise<boolean> => (await copyOf(expiring)).status !== 'STORED');
      await expectProblem(await world.read(consumer.client, expiring), 403, 'grant-expired');
      await expectDue(expiring, 'GRANT_EXPIRED', new Date(0));
    });
  });

  describe('with a grant made without a contract', (): void => {
    it.each([
      [ 'a document', 'notes/diary', 'notes/diary' ],
      [ 'a container', 'notes/', 'notes/diary' ],
      [ 'a whole pod', '', 'notes/diary' ],
    ])('reads until the owner revokes it through /v1: %s.', async(_what, granted, read): Promise<void> => {
      const { client, podUrl } = stranger;
      const note = { headers: { 'content-type': 'text/plain' }, body: 'notes' };
      await client.request('PUT', podUrl + read, note);
      const status = 'ConsentStatusExplicitlyGiven';
      const { id } = JSON.parse(await state(client, 'SolidAccessGrant', status, podUrl + granted)) as { id: string };
      const shared = { podResource: podUrl + read, accessGrant: id };
      expect((await world.read(consumer.client, shared)).status).toBe(200);
      const place = `${world.base}v1/pods/stranger/resources/~${Buffer.from(granted).toString('base64url')}`;
      const url = `${place}/access-grants/${lastPart(id)}`;
      await expectProblem(await consumer.client.request('DELETE', url), 403, 'access-forbidden');
      await expectProblem(await client.request('DELETE', url.replace('/~', '/~bm9ub3M')), 404, 'grant-not-found');
      await expect(json(await client.request('DELETE', url)))
        .resolves.toMatchObject({ id, status: 'REVOKED', resource: podUrl + granted, contract: null });
      await expectProblem(await world.read(consumer.client, shared), 403, 'grant-revoked');
    });

    it('names the purpose of its copy if the grant names none.', async(): Promise<void> => {
      await stranger.client.request('PUT', `${stranger.podUrl}aimless`, plain);
      const { id } = await grantOn(stranger, 'aimless');
      const shared = { podResource: `${stranger.podUrl}aimless`, accessGrant: id };
      const refused = await report(shared);
      await expect(refused.clone().json()).resolves.toMatchObject({ detail: 'The access grant names no purpose.' });
      await expectProblem(refused, 400, 'purpose-required');
      const purpose = 'https://purposes.example/één';
      await expect(json(await report(shared, { purpose }))).resolves.toMatchObject({ purpose, status: 'STORED' });
      await expectProblem(await report(shared, { purpose: 'één' }), 400, 'body-invalid');
      await expect(json(await remove({ resource: shared.podResource, purpose })))
        .resolves.toMatchObject({ status: 'DELETED' });
    });

    it('reports its copy by the URI in the grant, however that is spelled.', async(): Promise<void> => {
      await stranger.client.request('PUT', `${stranger.podUrl}caf%C3%A9`, plain);
      const podResource = `${stranger.podUrl}café`;
      const { id } = await grantOn(stranger, 'café');
      const shared = { podResource, accessGrant: id };
      const purpose = 'https://purposes.example/café';
      expect((await world.read(consumer.client, shared)).status).toBe(200);
      await expect(json(await report(shared, { purpose })))
        .resolves.toMatchObject({ resource: `${stranger.podUrl}caf%C3%A9`, status: 'STORED' });
      const query = new URLSearchParams({ resource: podResource, purpose });
      const removed = await consumer.client.request('DELETE', `${world.base}v1/data-copies?${query}`);
      await expect(json(removed)).resolves.toMatchObject({ status: 'DELETED' });
      await expect(json(await remove({ resource: podResource, purpose })))
        .resolves.toMatchObject({ status: 'DELETED' });
    });

    it('is listed its copy of what is its own once.', async(): Promise<void> => {
      await consumer.client.request('PUT', `${consumer.podUrl}own`, plain);
      const { id } = await grantOn(consumer, 'own');
      const copy = await json<Copy>(await report({ podResource: `${consumer.podUrl}own`, accessGrant: id }, {
        purpose: 'https://purposes.example/own',
      }));
      const listed = await copiesOf(consumer.client);
      expect(listed.filter((each): boolean => each.id === copy.id)).toHaveLength(1);
    });

    it.each([ 'a citizen', 'an account' ])('lists such grants in the pod of %s.', async(kind):
    Promise<void> => {
      const isCitizen = kind === 'a citizen';
      const owner = isCitizen ? await world.citizen(2) : await accountWithPod(world.base, 'ordinary');
      const [ , podId ] = new URL(owner.podUrl).pathname.split('/');
      const shared = isCitizen ? await world.shareAll({ ...owner, podId } as TestCitizen) : [];
      const long = `notes/${'long'.repeat(50)}/${'name'.repeat(50)}`;
      const names = [ 'notes/', 'notes/a', 'notes/b%20c', 'notes/gone', long, 'z' ];
      for (const name of names.filter((each): boolean => each !== 'notes/')) {
        await owner.client.request('PUT', owner.podUrl + name, plain);
      }
      const given = new Map<string, string>();
      for (const name of [ ...names, 'z' ]) {
        const { id } = await grantOn(owner, name);
        given.set(name, id);
      }
      await owner.client.request('DELETE', `${owner.podUrl}notes/gone`);
      const url = `${world.base}v1/pods/${podId}/resources`;
      const others = names.filter((name): boolean => name !== 'notes/gone').map((name): string => owner.podUrl + name);
      const expected = [ ...shared.map(({ podResource }): string => podResource), ...others ];
      for (const client of [ owner.client, consumer.client ]) {
        for (const limit of [ 1, 2, 3, 200 ]) {
          const listed = await pagesOf(client, `${url}?all=true&limit=${limit}`);
          expect(new Set(listed.map(({ uri }): string => uri))).toEqual(new Set(expected));
          expect(listed).toHaveLength(expected.length);
        }
      }
      const listed = await pagesOf(owner.client, `${url}?all=true`);
      const note = listed.find(({ uri }): boolean => uri === `${owner.podUrl}notes/a`)!;
      expect(note).toEqual({
        id: `~${Buffer.from('notes/a').toString('base64url')}`,
        uri: `${owner.podUrl}notes/a`,
        type: null,
        contentType: 'text/plain',
        size: 5,
        etag: expect.stringMatching(/^".+"$/u),
        created: null,
        modified: expect.stringMatching(/Z$/u),
        contract: null,
        accessGrants: [{
          id: given.get('notes/a'),
          grantee: consumer.webId,
          mode: [ 'Read' ],
          status: 'ACTIVE',
          expiresAt: null,
        }],
      });
      expect(listed.at(-1)!.accessGrants).toHaveLength(2);
      for (const { id, accessGrants } of listed) {
        for (const grant of accessGrants) {
          const place = `${url}/${id}/access-grants/${lastPart(grant.id)}`;
          await expect(json(await owner.client.request('DELETE', place))).resolves.toMatchObject({ status: 'REVOKED' });
        }
      }
      const gone = `${url}/~${Buffer.from('notes/gone').toString('base64url')}/access-grants`;
      await json(await owner.client.request('DELETE', `${gone}/${lastPart(given.get('notes/gone')!)}`));
      const after = await pagesOf(owner.client, `${url}?all=true`);
      expect(after.flatMap(({ accessGrants }): string[] => accessGrants.map(({ status }): string => status)))
        .not.toContain('ACTIVE');
      await expectProblem(await consumer.client.request('GET', `${url}?all=true`), 403, 'access-forbidden');
    });

    it('lists only shared data unless it asks for everything.', async(): Promise<void> => {
      const owner = await world.citizen();
      const [ shared ] = await world.shareAll(owner);
      await owner.client.request('PUT', `${owner.podUrl}aside`, plain);
      await grantOn(owner, 'aside');
      const url = `${world.base}v1/pods/${owner.podId}/resources`;
      const type = encodeURIComponent(`${world.base}v1/data-types/diploma/2024-05-22`);
      const others = [ '?all=', '?all=yes', '?all=true&all=true' ];
      const cursors = [ '?cursor=~', '?all=true&cursor=~!&limit=0', '?all=true&cursor=~AA' ];
      for (const query of [ '', '?all=false', `?all=true&type=${type}` ]) {
        const listed = await pagesOf(owner.client, url + query);
        expect(listed.map(({ uri }): string => uri)).toEqual([ shared.podResource ]);
      }
      for (const query of [ ...others, ...cursors ]) {
        await expectProblem(await owner.client.request('GET', url + query), 400, 'parameter-invalid');
      }
    });

    it('reads by pod and id in the pod of an ordinary account.', async(): Promise<void> => {
      const { client, podUrl } = stranger;
      await client.request('PUT', `${podUrl}letters/one`, plain);
      const url = `${world.base}v1/pods/stranger/resources/~${Buffer.from('letters/one').toString('base64url')}`;
      const elsewhere = url.replace('/stranger/', '/nobody/');
      await expect((await client.request('GET', url)).text()).resolves.toBe('notes');
      await expectProblem(await client.request('GET', `${url}?verified=true`), 404, 'not-verifiable');
      for (const place of [ url, elsewhere ]) {
        await expectProblem(await consumer.client.request('GET', place), 403, 'access-forbidden');
      }
      const { id } = await grantOn(stranger, 'letters/');
      await expect((await consumer.client.request('GET', url)).text()).resolves.toBe('notes');
      const place = `${world.base}v1/pods/stranger/resources/~${Buffer.from('letters/').toString('base64url')}`;
      await json(await client.request('DELETE', `${place}/access-grants/${lastPart(id)}`));
      await expectProblem(await consumer.client.request('GET', url), 403, 'access-forbidden');
      await expectProblem(await client.request('GET', `${url}Zm9v`), 404, 'resource-not-found');
      await expect(pagesOf(client, `${world.base}v1/pods/stranger/resources`)).resolves.toEqual([]);
    });

    it('reads by pod and id in the pod of a citizen.', async(): Promise<void> => {
      const owner = await world.citizen(0);
      const note = { headers: { 'content-type': 'text/plain' }, body: 'notes' };
      await owner.client.request('PUT', `${owner.podUrl}notes/diary`, note);
      const url = `${world.base}v1/pods/${owner.podId}/resources/~${Buffer.from('notes/diary').toString('base64url')}`;
      await expect((await owner.client.request('GET', url)).text()).resolves.toBe('notes');
      await expectProblem(await consumer.client.request('GET', url), 403, 'access-forbidden');
      await state(owner.client, 'SolidAccessGrant', 'ConsentStatusExplicitlyGiven', `${owner.podUrl}notes/diary`);
      await expect((await consumer.client.request('GET', url)).text()).resolves.toBe('notes');
    });
  });

  describe('reads the building register', (): void => {
    it('without a token, and gets documents that no browser runs.', async(): Promise<void> => {
      const response = await fetch(`${world.base}v1/gebouwen/90000001/1`);
      expect(headersOf(response)).toMatchObject({
        'content-type': expect.stringContaining('json'),
        'content-security-policy': expect.stringContaining('sandbox'),
        'x-content-type-options': 'nosniff',
      });
      expect(response.status).toBe(200);
      const file = join(__dirname, '../../demo/data/buildings/90000001/1.json');
      await expect(response.json()).resolves.toEqual(JSON.parse(await readFile(file, 'utf8')));
      const head = await fetch(`${world.base}v1/gebouwen/90000001/1`, { method: 'HEAD' });
      expect(head.headers.get('etag')).toBe(response.headers.get('etag'));
    });

    it('from its root.', async(): Promise<void> => {
      for (const path of [ 'v1/gebouwen', 'v1/gebouwen/' ]) {
        const response = await fetch(`${world.base}${path}`);
        await expect(json<{ gebouwen: unknown[] }>(response)).resolves.toHaveProperty('gebouwen');
      }
    });

    it.each([ 'nothing', '90000001/99', '90000001.json', '.hidden' ])('but not for %s.', async(path): Promise<void> => {
      await expectProblem(await fetch(`${world.base}v1/gebouwen/${path}`), 404, 'building-not-found');
    });

    it.each([ '..%2F..%2Fcontracts', '90000001%2F1', '%00' ])('and not beside it: %s.', async(path): Promise<void> => {
      await expectProblem(await fetch(`${world.base}v1/gebouwen/${path}`), 400, '');
    });
  });

  // Last, because the server is stopped.
  it('leaves an audit record that is tamper-evident and names nobody.', async(): Promise<void> => {
    await world.server.stop();
    const events = await withRecords(async(records): Promise<AuditEvent[]> => {
      await expect(records.audit.verify()).resolves.toEqual([]);
      return (await records.audit.list(0, 10_000)).map(({ event }): AuditEvent => event);
    });
    const types = new Set(events.map(({ type }): string => type));
    expect([ ...types ].sort()).toEqual([
      'building.read',
      'businesskey.verified',
      'copy.deleted',
      'copy.reported',
      'credential.invalid',
      'data.listed',
      'data.shared',
      'grant.denied',
      'grant.issued',
      'grant.read',
      'grant.revoked',
      'resource.listed',
      'resource.read',
      'webid.created',
      'webid.deleted',
    ]);
    expect(events.find(({ type }): boolean => type === 'data.shared')!.facts).toMatchObject({
      app: 'https://app.example/id',
    });

    const { folder, stored } = world.server;
    const names = await readdir(folder);
    expect(names.filter((name): boolean => /-(?:wal|shm|journal)$/u.test(name))).toEqual([]);
    const log = world.server.log();
    const places = {
      log: [ log ],
      names: [ names.join('\n'), (await stored.podPaths()).join('\n') ],
      values: await stored.values(),
      records: await stored.records(),
    };
    expect(placesThatMention(places, [ fictitiousNumber(1), ...world.numbers ])).toEqual([]);
    expect(log).not.toMatch(/eyJ[\w-]+\.eyJ/u);
    expect(log).not.toMatch(/UnhandledPromise|Claes/u);
  });
});
