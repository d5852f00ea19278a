import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { DateTime } from 'luxon';
import type { TestCitizen } from '../support/callers';
import { expectProblem, headersOf, mentions } from '../support/callers';
import type { Shared } from '../support/sharing';
import { lastPart, revocationUrl } from '../support/sharing';
import type { ListedValue } from '../support/sharingWorld';
import { day, json, SharingWorld } from '../support/sharingWorld';
import type { AccountHolder } from '../support/world';
import { accountWithPod } from '../support/world';

interface ListedResource {
  id: string;
  uri: string;
  type: string;
  contract: string;
  accessGrants: { id: string; grantee: string; status: string; expiresAt: string | null }[];
}

interface Page {
  podId: string;
  resources: ListedResource[];
  next: string | null;
}

const certificates = [ '/v1/data-types/student-certificate/2024-06-01' ];
const ld = { 'content-type': 'application/ld+json' };

describe('A server with contracts, sources and a data user', (): void => {
  let world: SharingWorld;
  let consumer: AccountHolder;
  let stranger: AccountHolder;

  beforeAll(async(): Promise<void> => {
    world = await SharingWorld.start({
      usual: {},
      complete: {
        startDate: '2024-01-01',
        endDate: null,
        accessMode: 'WRITE',
        accessDuration: 'P1Y2M3DT4H5M6S',
      },
      writing: { accessMode: 'WRITE' },
      momentary: { accessDuration: 'PT0.001S' },
      both: { forDataType: [ '/v1/data-types/diploma/2024-05-22', ...certificates ]},
      certificates: { forDataType: certificates },
      'from-today': { startDate: day(0) },
      'until-today': { endDate: day(0) },
      'from-tomorrow': { startDate: day(1) },
      'until-yesterday': { startDate: '2024-01-01', endDate: day(-1) },
    });
    consumer = await world.dataUser();
    stranger = await accountWithPod(world.base, 'stranger');
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await world?.remove();
  });

  async function resourcesOf(citizen: TestCitizen, query = ''): Promise<ListedResource[]> {
    const url = `${world.base}v1/pods/${citizen.podId}/resources${query}`;
    return (await json<Page>(await citizen.client.request('GET', url))).resources;
  }

  async function share(citizen: TestCitizen, contract: string, body: unknown): Promise<Response> {
    return citizen.client.request('POST', world.dataUrl(contract), { body });
  }

  describe('shows contracts', (): void => {
    it('to anybody, with every IRI absolute.', async(): Promise<void> => {
      const response = await fetch(`${world.base}v1/contracts/until-today`);
      expect(response.headers.get('content-type')).toBe('application/ld+json');
      await expect(json(response)).resolves.toEqual({
        '@context': `${world.base}v1/contexts/contract/2024-10-08`,
        '@id': `${world.base}v1/contracts/until-today`,
        '@type': `${world.base}v1/ns/core#Contract`,
        endDate: day(0),
        accessMode: 'READ',
        accessDuration: 'P90D',
        forDataUser: consumer.webId,
        forDataType: [ `${world.base}v1/data-types/diploma/2024-05-22` ],
        forPurpose: `${world.base}v1/purposes/employment`,
      });
    });

    it('with each member that they have, in the type of the interface.', async(): Promise<void> => {
      const response = await fetch(`${world.base}v1/contracts/complete`);
      await expect(json(response)).resolves.toEqual({
        '@context': `${world.base}v1/contexts/contract/2024-10-08`,
        '@id': `${world.base}v1/contracts/complete`,
        '@type': `${world.base}v1/ns/core#Contract`,
        startDate: '2024-01-01',
        endDate: null,
        accessMode: 'WRITE',
        accessDuration: 'P1Y2M3DT4H5M6S',
        forDataUser: consumer.webId,
        forDataType: [ `${world.base}v1/data-types/diploma/2024-05-22` ],
        forPurpose: `${world.base}v1/purposes/employment`,
      });
    });

    it('even if they cannot be consumed now.', async(): Promise<void> => {
      for (const id of [ 'from-tomorrow', 'until-yesterday' ]) {
        expect((await fetch(`${world.base}v1/contracts/${id}`)).status).toBe(200);
      }
    });

    it('but not with an unknown id.', async(): Promise<void> => {
      const response = await fetch(`${world.base}v1/contracts/other`);
      expect(response.headers.get('content-type')).toBe('application/ld+json');
      await expectProblem(response, 404, 'contract-not-found');
    });

    it.each([ 'a%20b', 'a:b', 'caf%C3%A9', '~', 'a+b' ])('but not with the id %s.', async(id): Promise<void> => {
      const response = await fetch(`${world.base}v1/contracts/${id}`);
      expect(response.headers.get('content-type')).toBe('application/ld+json');
      await expectProblem(response, 400, 'contract-id-invalid');
    });
  });

  describe('observes the dates of contracts:', (): void => {
    let citizen: TestCitizen;

    beforeAll(async(): Promise<void> => {
      citizen = await world.citizen();
    });

    it.each([ 'from-tomorrow', 'until-yesterday' ])('nothing is listed or shared %s.', async(id): Promise<void> => {
      const [ value ] = await world.list(citizen);
      await expectProblem(await citizen.client.request('GET', world.dataUrl(id)), 400, 'contract-not-consumable');
      await expectProblem(await share(citizen, id, [ value.id ]), 400, 'contract-not-consumable');
      await expect(resourcesOf(citizen)).resolves.toEqual([]);
    });

    it.each([ 'other', 'nothing' ])('nothing is listed or shared under the unknown %s.', async(id): Promise<void> => {
      const [ value ] = await world.list(citizen);
      await expectProblem(await citizen.client.request('GET', world.dataUrl(id)), 404, 'contract-not-found');
      await expectProblem(await share(citizen, id, [ value.id ]), 404, 'contract-not-found');
      const bad = world.dataUrl('a%20b');
      await expectProblem(await citizen.client.request('GET', bad), 400, 'contract-id-invalid');
      await expectProblem(await citizen.client.request('POST', bad, { body: [ 'x' ]}), 400, 'contract-id-invalid');
    });

    it.each([
      [ 'from-today', (): Date => DateTime.now().setZone(world.timeZone).plus({ days: 90 }).toJSDate() ],
      [ 'until-today', (): Date => DateTime.fromISO(day(1), { zone: world.timeZone }).toJSDate() ],
    ])('both days count, and end the grant: %s.', async(id, end): Promise<void> => {
      const [{ accessGrant }] = await world.shareAll(citizen, id);
      const resources = await resourcesOf(citizen);
      const grant = resources.flatMap(({ accessGrants }): ListedResource['accessGrants'] => accessGrants)
        .find((listed): boolean => listed.id === accessGrant)!;
      expect(grant).toMatchObject({ grantee: consumer.webId, status: 'ACTIVE' });
      expect(Math.abs(Date.parse(grant.expiresAt!) - end().getTime())).toBeLessThan(60_000);
    });
  });

  describe('lists the data of a citizen', (): void => {
    it('from every source of the contract, in words.', async(): Promise<void> => {
      const citizen = await world.citizen(2);
      await world.serveCertificate(citizen);
      const values = await world.list(citizen, 'both');
      expect(values.map(({ type }): string => lastPart(type.slice(0, -'/2024-05-22'.length))).sort())
        .toEqual([ 'diploma', 'diploma', 'student-certificate' ]);
      for (const { summary, error, value } of values) {
        expect(error).toBeUndefined();
        expect(summary!.title).toHaveLength(4);
        expect(JSON.parse(value!)).toMatchObject({ credentialSubject: { id: citizen.webId }});
      }
      const formats = values.flatMap(({ summary }): string[] => formatsOf(summary!.details));
      expect(new Set(formats)).toEqual(new Set([ 'string', 'group', 'date', 'timestamp', 'boolean', 'number' ]));
    });

    it('and nobody else\'s.', async(): Promise<void> => {
      const citizen = await world.citizen(0);
      await expect(world.list(citizen, 'both')).resolves.toEqual([]);
      const visitor = await stranger.client.request('GET', world.dataUrl('usual'));
      await expectProblem(visitor, 403, 'claim-missing');
    });

    it('with an error where a record is incomplete, which cannot be shared.', async(): Promise<void> => {
      const citizen = await world.citizen(1);
      await world.writeDiploma(citizen, 2, '1', 'jan-incomplete');
      const values = await world.list(citizen);
      const bad = values.find(({ error }): boolean => error !== undefined)!;
      const good = values.find(({ error }): boolean => error === undefined)!;
      const languages = bad.error!.map(({ language }): string => language);
      expect(languages).toEqual(expect.arrayContaining([ 'nl', 'fr', 'de', 'en' ]));
      expect(formatsOf(bad.summary!.details)).toContain('error');
      await expectProblem(await share(citizen, 'usual', [ good.id, bad.id ]), 400, 'value-invalid');
      await expect(resourcesOf(citizen)).resolves.toEqual([]);
    });

    it('with a value that reports a source that is down.', async(): Promise<void> => {
      const citizen = await world.citizen(1);
      await world.serveCertificate(citizen);
      await world.registry.stop();
      const values = await world.list(citizen, 'both');
      await world.registry.start();
      const down = values.find(({ type }): boolean => type.includes('student'))!;
      expect(values).toHaveLength(2);
      expect(down.summary).toBeNull();
      expect(down.value).toBeUndefined();
      expect(values.filter(({ unavailable }): boolean => unavailable === undefined)).toHaveLength(1);
      expect(values.filter(({ unavailable }): boolean => unavailable === true)).toHaveLength(1);
      expect(down.error!.length).toBeGreaterThanOrEqual(4);
      expect((await world.list(citizen, 'both')).filter(({ error }): boolean => error === undefined)).toHaveLength(2);
    });

    it('sending the number to the registry in the body only.', async(): Promise<void> => {
      const citizen = await world.citizen(0);
      await world.list(citizen, 'certificates');
      expect(world.registry.asked.at(-1)).toEqual({
        path: '/registry/records',
        body: { citizen: citizen.nationalNumber, dataType: `${world.base}${certificates[0].slice(1)}` },
      });
    });
  });

  describe('shares data', (): void => {
    it('as a credential in the pod with a grant, in the requested order.', async(): Promise<void> => {
      const citizen = await world.citizen(2);
      const ids = (await world.list(citizen)).map(({ id }): string => id).reverse();
      const shared = await json<Shared[]>(await share(citizen, 'usual', { dataValues: ids }));
      expect(shared).toHaveLength(2);
      const again = await json<Shared[]>(await share(citizen, 'usual', [ ids[1] ]));
      expect(again).toEqual([ shared[1] ]);
      for (const { podResource, accessGrant } of shared) {
        const id = lastPart(podResource);
        expect(podResource).toBe(`${citizen.podUrl}credentials/${id.slice(0, 2)}/${id}`);
        expect(accessGrant).toMatch(new RegExp(`^${world.base}\\.access/vc/[\\da-f-]{36}$`, 'u'));
      }
      await expect(credentialOf(citizen, shared[0])).resolves.toMatchObject({
        credentialSubject: { id: citizen.webId },
        proof: { cryptosuite: 'eddsa-rdfc-2022' },
      });
    });

    it.each([
      [ 'the array alone', (ids: string[]): unknown => ids ],
      [ 'the object', (ids: string[]): unknown => ({ dataValues: ids }) ],
      [ 'a string with the array', (ids: string[]): unknown => JSON.stringify(JSON.stringify(ids)) ],
      [ 'a string with the object', (ids: string[]): unknown => JSON.stringify(JSON.stringify({ dataValues: ids })) ],
    ])('chosen by %s.', async(_name, bodyOf): Promise<void> => {
      const citizen = await world.citizen();
      const ids = (await world.list(citizen)).map(({ id }): string => id);
      const body = bodyOf(ids);
      const headers = { 'content-type': 'application/json' };
      const response = await citizen.client.request('POST', world.dataUrl('usual'), { headers, body });
      await expect(json<Shared[]>(response)).resolves.toHaveLength(1);
    });

    it('again as the same resource with the same grant.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const first = await world.shareAll(citizen);
      const credential = await credentialOf(citizen, first[0]);
      await expect(world.shareAll(citizen)).resolves.toEqual(first);
      await expect(credentialOf(citizen, first[0])).resolves.toEqual(credential);
    });

    it('simultaneously as one resource.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const ids = (await world.list(citizen)).map(({ id }): string => id);
      const answers = await Promise.all(Array.from(
        { length: 10 },
        async(): Promise<Shared[]> => json(await share(citizen, 'usual', ids)),
      ));
      expect(new Set(answers.map((answer): string => JSON.stringify(answer))).size).toBe(1);
      await expect(resourcesOf(citizen)).resolves.toHaveLength(1);
    });

    it('under another contract as another resource.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ one ] = await world.shareAll(citizen);
      const [ other ] = await world.shareAll(citizen, 'both');
      expect(other.podResource).not.toBe(one.podResource);
      expect(other.accessGrant).not.toBe(one.accessGrant);
    });

    it('in a new version as the same resource, the old credential revoked.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ old ] = await world.shareAll(citizen);
      const superseded = await credentialOf(citizen, old);
      await expect(isRevoked(superseded)).resolves.toBe(false);
      const [ before ] = await world.list(citizen);

      await world.writeDiploma(citizen, 1, '2');
      await expectProblem(await share(citizen, 'usual', [ before.id ]), 400, 'value-changed');
      await expect(credentialOf(citizen, old)).resolves.toEqual(superseded);
      await expect(isRevoked(superseded)).resolves.toBe(false);

      await expect(world.shareAll(citizen)).resolves.toEqual([ old ]);
      const current = await credentialOf(citizen, old);
      expect(current.id).not.toBe(superseded.id);
      await expect(isRevoked(superseded)).resolves.toBe(true);
      await expect(isRevoked(current)).resolves.toBe(false);
    });

    it('with a new grant when the last one was revoked.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ first ] = await world.shareAll(citizen);
      await json(await citizen.client.request('DELETE', revocationUrl(world.base, first)));
      const [ second ] = await world.shareAll(citizen);
      expect(second.podResource).toBe(first.podResource);
      expect(second.accessGrant).not.toBe(first.accessGrant);
      expect((await world.read(consumer.client, second)).status).toBe(200);
      await expectProblem(await world.read(consumer.client, first), 403, 'grant-revoked');
    });
  });

  describe('shares nothing at all', (): void => {
    let citizen: TestCitizen;
    let value: ListedValue;

    beforeAll(async(): Promise<void> => {
      citizen = await world.citizen();
      [ value ] = await world.list(citizen);
    });

    async function expectNothing(): Promise<void> {
      await expect(resourcesOf(citizen)).resolves.toEqual([]);
      const container = await citizen.client.request('GET', `${citizen.podUrl}credentials/`);
      expect(container.status).toBe(404);
    }

    it.each([
      [ 'an empty list', []],
      [ 'an empty object', {}],
      [ 'another member', { values: [ 'a' ]}],
      [ 'null as list', { dataValues: null }],
      [ 'an id alone', { dataValues: 'a' }],
      [ 'a number', 7 ],
      [ 'numbers as ids', [ 1, 2 ]],
      [ 'nested lists', [[ 'a' ]]],
      [ 'an empty id', [ '' ]],
      [ 'a very long id', [ 'a'.repeat(2000) ]],
      [ 'an id twice', [ 'a', 'a' ]],
      [ 'more than fifty', Array.from({ length: 51 }, (_, at): string => `id-${at}`) ],
      [ 'objects without id', [{ value: '{}' }]],
      [ 'an empty string', '""' ],
    ])('for %s.', async(_name, body): Promise<void> => {
      const headers = { 'content-type': 'application/json' };
      const response = await citizen.client.request('POST', world.dataUrl('usual'), {
        headers,
        body: typeof body === 'number' ? String(body) : body,
      });
      await expectProblem(response, 400, 'body-invalid');
      await expectNothing();
    });

    it('when one of the values is unknown.', async(): Promise<void> => {
      await expectProblem(await share(citizen, 'usual', [ value.id, 'unknown' ]), 400, 'value-unknown');
      await expectProblem(await share(citizen, 'usual', [ 'unknown' ]), 400, 'value-unknown');
      await expectNothing();
    });

    it('when one of the values is another citizen\'s.', async(): Promise<void> => {
      const other = await world.citizen();
      const [ theirs ] = await world.list(other);
      await expectProblem(await share(citizen, 'usual', [ value.id, theirs.id ]), 400, 'value-unknown');
      await expect(resourcesOf(other)).resolves.toEqual([]);
      await expectNothing();
    });

    it('when the type of a value is not in the contract.', async(): Promise<void> => {
      await world.serveCertificate(citizen);
      const [ certificate ] = await world.list(citizen, 'certificates');
      await expectProblem(await share(citizen, 'usual', [ value.id, certificate.id ]), 400, 'value-unknown');
      await expectNothing();
    });

    it('when the source of a value is down.', async(): Promise<void> => {
      const [ certificate ] = await world.list(citizen, 'certificates');
      await world.registry.stop();
      const response = await share(citizen, 'both', [ value.id, certificate.id ]);
      await world.registry.start();
      await expectProblem(response, 503, 'source-unavailable');
      await expect(world.list(citizen, 'certificates')).resolves.toEqual([ certificate ]);
      await expectNothing();
    });
  });

  describe('reads a resource with a grant', (): void => {
    let citizen: TestCitizen;
    let shared: Shared;
    let other: Shared;

    beforeAll(async(): Promise<void> => {
      citizen = await world.citizen(2);
      [ shared, other ] = await world.shareAll(citizen);
    });

    it('for the data user, so that no cache stores and no browser runs it.', async(): Promise<void> => {
      const response = await world.read(consumer.client, shared);
      expect(response.status).toBe(200);
      expect(headersOf(response)).toMatchObject({
        'content-type': 'application/ld+json',
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
        'accept-ranges': 'bytes',
        etag: expect.stringMatching(/^".+"$/u),
        'last-modified': expect.stringContaining('GMT'),
      });
      await expect(response.json()).resolves.toEqual(await credentialOf(citizen, shared));
    });

    it('with HEAD.', async(): Promise<void> => {
      const url = `${world.base}v1/resources?resource=${encodeURIComponent(shared.podResource)}`;
      const head = await consumer.client.request('HEAD', url, { headers: { 'x-access-grant': shared.accessGrant }});
      const whole = await world.read(consumer.client, shared);
      expect(head.status).toBe(200);
      expect(head.headers.get('etag')).toBe(whole.headers.get('etag'));
      expect(Number(head.headers.get('content-length'))).toBe((await whole.arrayBuffer()).byteLength);
      await expect(head.text()).resolves.toBe('');
    });

    it('conditionally.', async(): Promise<void> => {
      const etag = (await world.read(consumer.client, shared)).headers.get('etag')!;
      const modified = (await world.read(consumer.client, shared)).headers.get('last-modified')!;
      const conditions: [Record<string, string>, number][] = [
        [{ 'if-match': etag }, 200 ],
        [{ 'if-match': '"other"' }, 412 ],
        [{ 'if-none-match': etag }, 304 ],
        [{ 'if-none-match': '"other"' }, 200 ],
        [{ 'if-none-match': '*' }, 304 ],
        [{ 'if-modified-since': modified }, 304 ],
        [{ 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }, 412 ],
      ];
      for (const [ headers, status ] of conditions) {
        const answer = await world.read(consumer.client, shared, '', headers);
        expect([ headers, answer.status ]).toEqual([ headers, status ]);
      }
    });

    it('in part.', async(): Promise<void> => {
      const whole = Buffer.from(await (await world.read(consumer.client, shared)).arrayBuffer());
      const last = await world.read(consumer.client, shared, '', { range: 'bytes=-7' });
      expect(last.status).toBe(206);
      expect(last.headers.get('content-range')).toBe(`bytes ${whole.length - 7}-${whole.length - 1}/${whole.length}`);
      await expect(last.text()).resolves.toBe(whole.subarray(-7).toString());
      const beyond = await world.read(consumer.client, shared, '', { range: `bytes=${whole.length}-` });
      await expectRefusal(beyond, 416, 'range-not-satisfiable');
    });

    it('verified at the origin.', async(): Promise<void> => {
      for (const text of [ 'true', 'false', 'TRUE', 'False', '1', '0' ]) {
        expect((await world.read(consumer.client, shared, `&verified=${text}`)).status).toBe(200);
      }
    });

    it.each([ '&verified=', '&verified=2', '&verified=tru', '&verified=yes', '&verified', '&verified=true&verified' ])(
      'but not with the query %s.',
      async(query): Promise<void> => {
        await expectRefusal(await world.read(consumer.client, shared, query), 400, 'parameter-invalid');
        const url = `${world.base}v1/pods/${citizen.podId}/resources/${lastPart(shared.podResource)}?${query.slice(1)}`;
        await expectRefusal(await citizen.client.request('GET', url), 400, 'parameter-invalid');
      },
    );

    it.each([
      [ '', 'parameter-invalid' ],
      [ '?resource=', 'parameter-invalid' ],
      [ '?resource=a&resource=b', 'parameter-invalid' ],
    ])('but not without one resource: %s.', async(query, type): Promise<void> => {
      const headers = { 'x-access-grant': shared.accessGrant };
      const response = await consumer.client.request('GET', `${world.base}v1/resources${query}`, { headers });
      await expectRefusal(response, 400, type);
    });

    it.each([
      [ 'a relative path', (): string => new URL(shared.podResource).pathname, 400, 'resource-uri-invalid' ],
      [ 'no URI', (): string => 'a diploma', 400, 'resource-uri-invalid' ],
      [ 'dot segments', (): string => `${citizen.podUrl}x/../credentials/`, 400, 'resource-uri-invalid' ],
      [ 'encoded dot segments', (): string => `${citizen.podUrl}x/%2e%2E/y`, 400, 'resource-uri-invalid' ],
      [ 'dots to the top', (): string => `${world.base}../../../etc/passwd`, 400, 'resource-uri-invalid' ],
      [ 'an encoded slash', (): string => `${citizen.podUrl}credentials%2Fx`, 400, 'resource-uri-invalid' ],
      [ 'an encoded backslash', (): string => `${citizen.podUrl}..%5Cx`, 400, 'resource-uri-invalid' ],
      [ 'a backslash', (): string => `${citizen.podUrl}..\\x`, 400, 'resource-uri-invalid' ],
      [ 'an encoded NUL', (): string => `${shared.podResource}%00`, 400, 'resource-uri-invalid' ],
      [ 'an empty segment', (): string => `${citizen.podUrl}/x`, 400, 'resource-uri-invalid' ],
      [ 'a query', (): string => `${shared.podResource}?x`, 400, 'resource-uri-invalid' ],
      [ 'a fragment', (): string => `${shared.podResource}#x`, 400, 'resource-uri-invalid' ],
      [ 'credentials', (): string => shared.podResource.replace('//', '//me:me@'), 400, 'resource-uri-invalid' ],
      [ 'a file', (): string => 'file:///etc/passwd', 400, 'resource-uri-invalid' ],
      [ 'a name of the service', (): string => `${world.base}v1/openapi.json`, 400, 'resource-uri-invalid' ],
      [ 'the access service', (): string => `${world.base}.access/keys`, 400, 'resource-uri-invalid' ],
      [ 'much text', (): string => `${citizen.podUrl}${'a'.repeat(4000)}`, 400, 'resource-uri-invalid' ],
      [ 'another host', (): string => 'https://elsewhere.example/x', 403, 'origin-not-here' ],
      [ 'another port', (): string => 'http://localhost:1/x', 403, 'origin-not-here' ],
      [ 'another scheme', (): string => shared.podResource.replace('http:', 'https:'), 403, 'origin-not-here' ],
      [ 'loopback', (): string => `${world.registry.url}/registry`, 403, 'origin-not-here' ],
      [ 'a private address', (): string => 'http://169.254.169.254/latest/meta-data', 403, 'origin-not-here' ],
      [ 'an address in IPv6', (): string => 'http://[::1]/x', 403, 'origin-not-here' ],
      [ 'a subdomain by credentials', (): string => `http://localhost@elsewhere.example/`, 400, 'resource-uri-invalid' ],
    ])('but not at %s.', async(_name, uri, status, type): Promise<void> => {
      const asked = world.registry.asked.length;
      const response = await world.read(consumer.client, { ...shared, podResource: uri() });
      await expectRefusal(response, status, type);
      expect(world.registry.asked).toHaveLength(asked);
      expect((await world.read(consumer.client, shared)).status).toBe(200);
    });

    it.each([
      [ 'missing', undefined, 400, 'access-grant-invalid' ],
      [ 'empty', '', 400, 'access-grant-invalid' ],
      [ 'no URI', 'my grant', 400, 'access-grant-invalid' ],
      [ 'only an id', randomUUID(), 400, 'access-grant-invalid' ],
      [ 'of another scheme', `urn:uuid:${randomUUID()}`, 403, 'grant-not-usable' ],
      [ 'of another server', `https://elsewhere.example/.access/vc/${randomUUID()}`, 403, 'grant-not-usable' ],
      [ 'unknown', (): string => `${world.base}.access/vc/${randomUUID()}`, 403, 'grant-not-usable' ],
      [ 'not there', (): string => `${world.base}.access/vc/../status/x`, 403, 'grant-not-usable' ],
      [ 'of another resource', (): string => other.accessGrant, 403, 'grant-not-covering' ],
    ])('but not when the grant is %s.', async(_name, grant, status, type): Promise<void> => {
      const accessGrant = typeof grant === 'function' ? grant() : grant;
      const url = `${world.base}v1/resources?resource=${encodeURIComponent(shared.podResource)}`;
      const headers: Record<string, string> = accessGrant === undefined ? {} : { 'x-access-grant': accessGrant };
      await expectRefusal(await consumer.client.request('GET', url, { headers }), status, type);
    });

    it('but not for a stranger, who learns nothing about it.', async(): Promise<void> => {
      const unknown = { ...shared, accessGrant: `${world.base}.access/vc/${randomUUID()}` };
      await expectRefusal(await world.read(stranger.client, shared), 403, 'grant-not-usable');
      await expectRefusal(await world.read(stranger.client, unknown), 403, 'grant-not-usable');
      const absent = { ...shared, podResource: `${citizen.podUrl}none` };
      await expectRefusal(await world.read(stranger.client, absent), 403, 'grant-not-usable');
    });

    it('but not with one that has expired.', async(): Promise<void> => {
      const [ expired ] = await world.shareAll(await world.citizen(), 'momentary');
      await expectRefusal(await world.read(consumer.client, expired), 403, 'grant-expired');
      expect((await consumer.client.request('GET', expired.podResource)).status).toBe(403);
    });

    it('also with one from a contract for writing, which allows writing.', async(): Promise<void> => {
      const owner = await world.citizen();
      const [ written ] = await world.shareAll(owner, 'writing');
      expect((await world.read(consumer.client, written)).status).toBe(200);
      expect((await world.read(consumer.client, written, '&verified=true')).status).toBe(200);
      expect((await consumer.client.request('GET', written.podResource)).status).toBe(200);
      const body = { resource: written.podResource, accessGrant: written.accessGrant };
      const report = await consumer.client.request('POST', `${world.base}v1/data-copies`, { body });
      expect(report.status).toBe(201);
      const put = await consumer.client.request('PUT', written.podResource, { headers: ld, body: '{}' });
      expect(put.status).toBe(205);
      const profile = { headers: { 'content-type': 'text/turtle' }, body: '' };
      expect((await consumer.client.request('PUT', owner.webId.split('#')[0], profile)).status).toBe(403);
    });

    it('but not as the owner with a grant to somebody else.', async(): Promise<void> => {
      await expectRefusal(await world.read(citizen.client, shared), 403, 'grant-not-usable');
    });

    it('by plain Solid requests as well, but no other resource.', async(): Promise<void> => {
      expect((await consumer.client.request('GET', shared.podResource)).status).toBe(200);
      expect((await consumer.client.request('DELETE', shared.podResource)).status).toBe(403);
      expect((await consumer.client.request('PUT', shared.podResource, { headers: ld, body: '{}' })).status).toBe(403);
      expect((await consumer.client.request('GET', `${shared.podResource}.acl`)).status).toBe(403);
      expect((await consumer.client.request('GET', citizen.podUrl)).status).toBe(403);
      expect((await stranger.client.request('GET', shared.podResource)).status).toBe(403);
      expect((await fetch(shared.podResource)).status).toBe(401);
    });

    it('and returns 404 when the resource is gone.', async(): Promise<void> => {
      const owner = await world.citizen();
      const [ gone ] = await world.shareAll(owner);
      expect((await owner.client.request('DELETE', gone.podResource)).status).toBe(205);
      await expectRefusal(await world.read(consumer.client, gone), 404, 'resource-not-found');
      await expectRefusal(await world.read(consumer.client, gone, '&verified=true'), 404, 'resource-not-found');
    });
  });

  describe('verifies at the origin', (): void => {
    it('that the source still has the record.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen);
      expect((await world.read(consumer.client, shared, '&verified=true')).status).toBe(200);
      await world.removeDiploma(citizen, 1);
      await expectProblem(await world.read(consumer.client, shared, '&verified=true'), 404, 'not-valid-at-origin');
      expect((await world.read(consumer.client, shared)).status).toBe(200);
      // It stays invalid until it is shared again.
      await world.writeDiploma(citizen, 1);
      await expectProblem(await world.read(consumer.client, shared, '&verified=true'), 404, 'not-valid-at-origin');
      await expect(world.shareAll(citizen)).resolves.toEqual([ shared ]);
      expect((await world.read(consumer.client, shared, '&verified=true')).status).toBe(200);
    });

    it('that the source has this version of it.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen);
      await world.writeDiploma(citizen, 1, '2');
      await expectProblem(await world.read(consumer.client, shared, '&verified=true'), 404, 'not-valid-at-origin');
    });

    it('that the citizen changed nothing.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen);
      const credential = await credentialOf(citizen, shared);
      const subject = { ...credential.credentialSubject as object, averageScore: 99 };
      const body = JSON.stringify({ ...credential, credentialSubject: subject });
      expect((await citizen.client.request('PUT', shared.podResource, { headers: ld, body })).status).toBe(205);
      await expectProblem(await world.read(consumer.client, shared, '&verified=true'), 404, 'not-valid-at-origin');
      expect((await world.read(consumer.client, shared)).status).toBe(200);
    });

    it('only data that was shared.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen);
      const id = randomUUID();
      const url = `${citizen.podUrl}credentials/${id.slice(0, 2)}/${id}`;
      const body = JSON.stringify(await credentialOf(citizen, shared));
      expect((await citizen.client.request('PUT', url, { headers: ld, body })).status).toBe(201);
      const place = `${world.base}v1/pods/${citizen.podId}/resources/${id}`;
      expect((await citizen.client.request('GET', place)).status).toBe(200);
      await expectProblem(await citizen.client.request('GET', `${place}?verified=true`), 404, 'not-verifiable');
    });

    it('and reports a source that cannot be reached.', async(): Promise<void> => {
      const citizen = await world.citizen(0);
      await world.serveCertificate(citizen);
      const [ shared ] = await world.shareAll(citizen, 'certificates');
      expect((await world.read(consumer.client, shared, '&verified=true')).status).toBe(200);
      await world.registry.stop();
      const down = await world.read(consumer.client, shared, '&verified=true');
      const unverified = await world.read(consumer.client, shared);
      await world.registry.start();
      await expectProblem(down, 503, 'origin-unavailable');
      expect(unverified.status).toBe(200);
      expect((await world.read(consumer.client, shared, '&verified=true')).status).toBe(200);

      world.registry.records = world.registry.records.filter((record): boolean =>
        record.citizen !== citizen.nationalNumber);
      await expectProblem(await world.read(consumer.client, shared, '&verified=true'), 404, 'not-valid-at-origin');
    });
  });

  describe('shows the shared resources of a pod', (): void => {
    let citizen: TestCitizen;
    let shared: Shared[];
    let place: string;

    beforeAll(async(): Promise<void> => {
      citizen = await world.citizen(3);
      await world.serveCertificate(citizen);
      shared = [ ...await world.shareAll(citizen), ...await world.shareAll(citizen, 'certificates') ];
      place = `${world.base}v1/pods/${citizen.podId}/resources`;
    });

    it('to its owner, with all grants.', async(): Promise<void> => {
      const resources = await resourcesOf(citizen);
      expect(new Set(resources.map(({ uri }): string => uri)))
        .toEqual(new Set(shared.map(({ podResource }): string => podResource)));
      expect(resources[0]).toEqual({
        id: lastPart(resources[0].uri),
        uri: expect.any(String),
        type: expect.stringContaining('/v1/data-types/'),
        contentType: 'application/ld+json',
        size: expect.any(Number),
        etag: expect.stringMatching(/^".+"$/u),
        created: expect.stringMatching(/Z$/u),
        modified: expect.stringMatching(/Z$/u),
        contract: expect.stringContaining('/v1/contracts/'),
        accessGrants: [{
          id: expect.stringContaining('/.access/vc/'),
          grantee: consumer.webId,
          mode: [ 'Read' ],
          status: 'ACTIVE',
          expiresAt: expect.stringMatching(/Z$/u),
        }],
      });
    });

    it('of one type, and page by page.', async(): Promise<void> => {
      const type = `${world.base}v1/data-types/diploma/2024-05-22`;
      await expect(resourcesOf(citizen, `?type=${encodeURIComponent(type)}`)).resolves.toHaveLength(3);
      const seen: string[] = [];
      let next: string | null = `${place}?limit=3`;
      while (next) {
        const page: Page = await json(await citizen.client.request('GET', next));
        seen.push(...page.resources.map(({ uri }): string => uri));
        next = page.next;
      }
      expect(seen).toHaveLength(4);
      expect(new Set(seen).size).toBe(4);
    });

    it.each([ 'limit=0', 'limit=201', 'limit=-1', 'limit=many', 'limit=1.5', 'cursor=', 'cursor=made-up' ])(
      'but not with the query %s.',
      async(query): Promise<void> => {
        await expectProblem(await citizen.client.request('GET', `${place}?${query}`), 400, 'parameter-invalid');
      },
    );

    it('to a data user those that it may read, while it may.', async(): Promise<void> => {
      const owner = await world.citizen(2);
      const [ one, other ] = await world.shareAll(owner);
      const url = `${world.base}v1/pods/${owner.podId}/resources`;
      expect((await json<Page>(await consumer.client.request('GET', url))).resources).toHaveLength(2);
      await json(await owner.client.request('DELETE', revocationUrl(world.base, one)));
      const page = await json<Page>(await consumer.client.request('GET', url));
      expect(page.resources.map(({ uri }): string => uri)).toEqual([ other.podResource ]);
    });

    it('and each by pod and id.', async(): Promise<void> => {
      const url = `${place}/${lastPart(shared[0].podResource)}`;
      for (const client of [ citizen.client, consumer.client ]) {
        const response = await client.request('GET', url);
        await expect(json(response)).resolves.toEqual(await credentialOf(citizen, shared[0]));
      }
      expect((await consumer.client.request('GET', `${url}?verified=true`)).status).toBe(200);
    });

    it('each in words, as listed before, to its owner only.', async(): Promise<void> => {
      const listed = [ ...await world.list(citizen), ...await world.list(citizen, 'certificates') ];
      const titles = await Promise.all(shared.map(async({ podResource }): Promise<unknown> => {
        const response = await citizen.client.request('GET', `${place}/${lastPart(podResource)}/summary`);
        const { type, summary, ...rest } = await json<ListedValue>(response);
        expect(rest).toEqual({});
        return { type, summary };
      }));
      expect(titles).toHaveLength(4);
      expect(titles).toEqual(expect.arrayContaining(
        listed.map(({ type, summary }): unknown => ({ type, summary })),
      ));
      const id = lastPart(shared[0].podResource);
      await expectProblem(await consumer.client.request('GET', `${place}/${id}/summary`), 403, 'access-forbidden');
      for (const other of [ randomUUID(), 'x', '~cHJvZmlsZS9jYXJk' ]) {
        const response = await citizen.client.request('GET', `${place}/${other}/summary`);
        await expectProblem(response, 404, 'resource-not-found');
      }
    });

    it('without a summary of what an app put in its place.', async(): Promise<void> => {
      const owner = await world.citizen();
      const [{ podResource }] = await world.shareAll(owner);
      const url = `${world.base}v1/pods/${owner.podId}/resources/${lastPart(podResource)}/summary`;
      for (const body of [ '{}', '[', JSON.stringify({ '@context': 'https://made-up.example/' }) ]) {
        await owner.client.request('PUT', podResource, { headers: ld, body });
        const answer = await json<ListedValue>(await owner.client.request('GET', url));
        expect(answer).toMatchObject({ type: expect.stringContaining('/diploma/'), summary: null });
        expect(answer.error).not.toEqual([]);
      }
    });

    it('but not even its existence to strangers.', async(): Promise<void> => {
      const nowhere = `${world.base}v1/pods/${randomUUID()}/resources`;
      const urls = [ place, nowhere, `${world.base}v1/pods/x/resources` ];
      const id = lastPart(shared[0].podResource);
      for (const url of [ ...urls, `${place}/${id}`, `${place}/${id}/summary`, `${place}/x`, `${nowhere}/${id}` ]) {
        await expectProblem(await stranger.client.request('GET', url), 403, 'access-forbidden');
      }
      await expectProblem(await citizen.client.request('GET', `${place}/${randomUUID()}`), 404, 'resource-not-found');
    });
  });

  describe('revokes a grant', (): void => {
    let citizen: TestCitizen;
    let shared: Shared;
    let url: string;

    beforeAll(async(): Promise<void> => {
      citizen = await world.citizen(2);
      [ shared ] = await world.shareAll(citizen);
      url = revocationUrl(world.base, shared);
    });

    it('for the owner only.', async(): Promise<void> => {
      await expectProblem(await stranger.client.request('DELETE', url), 404, 'grant-not-found');
      await expectProblem(await consumer.client.request('DELETE', url), 403, 'access-forbidden');
      await expectProblem(await (await world.citizen()).client.request('DELETE', url), 404, 'grant-not-found');
      expect((await world.read(consumer.client, shared)).status).toBe(200);
    });

    it('only under the pod it belongs to.', async(): Promise<void> => {
      const places = [
        url.replace(lastPart(url), randomUUID()),
        url.replace(lastPart(url), 'x'),
        url.replace(lastPart(shared.podResource), randomUUID()),
        url.replace(citizen.podId, randomUUID()),
      ];
      for (const place of places) {
        await expectProblem(await citizen.client.request('DELETE', place), 404, 'grant-not-found');
      }
      expect((await world.read(consumer.client, shared)).status).toBe(200);
    });

    it('from the next request on, everywhere; repeating it changes nothing.', async(): Promise<void> => {
      const document = await json<Record<string, unknown>>(await consumer.client.request('GET', shared.accessGrant));
      const first = await json(await citizen.client.request('DELETE', url));
      expect(first).toEqual({
        id: shared.accessGrant,
        status: 'REVOKED',
        owner: citizen.webId,
        grantee: consumer.webId,
        resource: shared.podResource,
        mode: [ 'Read' ],
        purpose: [ `${world.base}v1/purposes/employment` ],
        contract: `${world.base}v1/contracts/usual`,
        issuedAt: expect.stringMatching(/Z$/u),
        expiresAt: expect.stringMatching(/Z$/u),
        revokedAt: expect.stringMatching(/Z$/u),
      });
      await expectProblem(await world.read(consumer.client, shared), 403, 'grant-revoked');
      const place = url.split('/access-grants')[0];
      await expectProblem(await consumer.client.request('GET', place), 403, 'access-forbidden');
      expect((await consumer.client.request('GET', shared.podResource)).status).toBe(403);
      await expect(json(await citizen.client.request('DELETE', url))).resolves.toEqual(first);
      await expectProblem(await world.read(stranger.client, shared), 403, 'grant-not-usable');

      const { revocationListCredential, revocationListIndex } =
        document.credentialStatus as Record<string, string>;
      const list = await json<{ credentialSubject: { encodedList: string }}>(await fetch(revocationListCredential));
      const bits = gunzipSync(Buffer.from(list.credentialSubject.encodedList, 'base64url'));
      const index = Number(revocationListIndex);
      // Both orders of bits are in use: exactly this one of the whole byte is set.
      expect(bits[Math.floor(index / 8)]).not.toBe(0);
    });

    it('whose credential only its parties can read.', async(): Promise<void> => {
      for (const { client } of [ citizen, consumer ]) {
        await expect(json(await client.request('GET', shared.accessGrant))).resolves.toMatchObject({
          id: shared.accessGrant,
          credentialSubject: { id: citizen.webId, providedConsent: { isProvidedTo: consumer.webId }},
        });
      }
      const unknown = `${world.base}.access/vc/${randomUUID()}`;
      for (const grant of [ shared.accessGrant, unknown ]) {
        await expectProblem(await stranger.client.request('GET', grant), 404, 'grant-not-found');
      }
    });
  });

  it('has served all this without internal errors, and logged no number.', async(): Promise<void> => {
    expect((await fetch(`${world.base}v1/openapi.json`)).status).toBe(200);
    const log = world.server.log();
    expect(log).not.toMatch(/Internal Server Error|UnhandledPromise|Claes/u);
    expect(world.numbers.filter((number): boolean => mentions(log, number))).toEqual([]);
  });
});

/** Formats of all fields, those in groups too. */
function formatsOf(details: Record<string, { format: string; items?: unknown }>): string[] {
  return Object.values(details).flatMap(({ format, items }): string[] => format === 'group' ?
      [ format, ...formatsOf(items as Record<string, { format: string }>) ] :
      [ format ]);
}

async function credentialOf(citizen: TestCitizen, { podResource }: Shared): Promise<Record<string, unknown>> {
  return json(await citizen.client.request('GET', podResource, { headers: { accept: 'application/ld+json' }}));
}

/** True when the public status list says that a credential is revoked. */
async function isRevoked(credential: Record<string, unknown>): Promise<boolean> {
  const { statusListCredential, statusListIndex } = credential.credentialStatus as Record<string, string>;
  const list = await json<{ credentialSubject: { encodedList: string }}>(await fetch(statusListCredential));
  // Multibase: u and base64url.
  const bits = gunzipSync(Buffer.from(list.credentialSubject.encodedList.slice(1), 'base64url'));
  const index = Number(statusListIndex);
  return Math.floor(bits[Math.floor(index / 8)] / 2 ** (7 - index % 8)) % 2 === 1;
}

/** Expects that a refusal contains none of the data. */
async function expectRefusal(response: Response, status: number, type: string): Promise<void> {
  await expect(response.clone().text()).resolves.not.toMatch(/credentialSubject|Claes/u);
  await expectProblem(response, status, type);
}
