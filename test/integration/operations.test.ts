import { userInfo } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { TestCitizen } from '../support/callers';
import { clientOf, expectProblem, mentions } from '../support/callers';
import type { CommandAnswer } from '../support/commandLine';
import { operateBeside, operateOn } from '../support/commandLine';
import type { Shared } from '../support/sharing';
import { lastPart } from '../support/sharing';
import { json, SharingWorld } from '../support/sharingWorld';
import type { AccountHolder } from '../support/world';

describe('While a server serves, the operator', (): void => {
  let world: SharingWorld;
  let consumer: AccountHolder;

  beforeAll(async(): Promise<void> => {
    world = await SharingWorld.start({ usual: {}, other: {}});
    consumer = await world.dataUser();
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await world?.remove();
  });

  /** Runs a command that changes something as an operator does, in a process of its own. */
  async function operate(words: string[], input = ''): Promise<string> {
    return outputOf(await operateBeside(world.server, words, input));
  }

  /** Runs a command that only reads. */
  async function inspect(words: string[]): Promise<string> {
    return outputOf(await operateOn(world.server, words));
  }

  function outputOf({ code, errors, output }: Omit<CommandAnswer, 'lines'>): string {
    expect(world.numbers.filter((number): boolean => mentions(output + errors, number))).toEqual([]);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    return output;
  }

  /** Exchanges a grant for a token on its resource. */
  async function tokenFor({ podResource, accessGrant }: Shared): Promise<string> {
    const challenge = (await fetch(podResource)).headers.get('www-authenticate');
    const presentation = {
      '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
      type: [ 'VerifiablePresentation' ],
      verifiableCredential: [ await json(await consumer.client.request('GET', accessGrant)) ],
    };
    const response = await consumer.client.request('POST', `${world.base}.uma/token`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:uma-ticket',
        ticket: /ticket="([^"]+)"/u.exec(challenge!)![1],
        claim_token: Buffer.from(JSON.stringify(presentation)).toString('base64'),
        claim_token_format: 'https://www.w3.org/TR/vc-data-model/#json-ld',
      }).toString(),
    });
    return (await json<{ access_token: string }>(response)).access_token;
  }

  /** Returns the statuses of all ways in which the data user can read shared data. */
  async function readEverywhere(citizen: TestCitizen, shared: Shared, rpt: string): Promise<number[]> {
    const inPod = `${world.base}v1/pods/${citizen.podId}/resources/${lastPart(shared.podResource)}`;
    const responses = [
      await world.read(consumer.client, shared),
      await consumer.client.request('GET', inPod),
      await consumer.client.request('GET', shared.podResource),
      await fetch(shared.podResource, { headers: { authorization: `Bearer ${rpt}` }}),
    ];
    return responses.map(({ status }): number => status);
  }

  /** Lists the URIs of a citizen's suspended grants. */
  async function suspendedGrants({ client }: TestCitizen): Promise<string[]> {
    const answer = await client.request('GET', `${world.base}v1/access-grants?status=ACTIVE`);
    const { accessGrants } = await json<{ accessGrants: { id: string; suspendedAt?: string }[] }>(answer);
    return accessGrants.filter(({ suspendedAt }): boolean => suspendedAt !== undefined).map(({ id }): string => id);
  }

  it.each([
    [ 'a data user', 'data-user-suspended', (): string[] => [ '--data-user', consumer.webId ] ],
    [ 'a contract', 'contract-suspended', (): string[] => [ '--contract', 'usual' ] ],
  ])('suspends %s from the next request on, and resumes it.', async(_what, problem, which): Promise<void> => {
    const citizen = await world.citizen();
    const [ shared ] = await world.shareAll(citizen);
    const [ other ] = await world.shareAll(citizen, 'other');
    const rpt = await tokenFor(shared);
    await expect(readEverywhere(citizen, shared, rpt)).resolves.toEqual([ 200, 200, 200, 200 ]);

    await operate([ 'suspend', ...which() ]);
    await expect(readEverywhere(citizen, shared, rpt)).resolves.toEqual([ 403, 403, 403, 403 ]);
    await expectProblem(await world.read(consumer.client, shared), 403, 'grant-suspended');
    await expectProblem(await citizen.client.request('GET', world.dataUrl('usual')), 403, problem);
    await expectProblem(
      await citizen.client.request('POST', world.dataUrl('usual'), { body: { dataValues: [ 'x' ]}}),
      403,
      problem,
    );
    expect((await world.read(consumer.client, other)).status).toBe(problem === 'contract-suspended' ? 200 : 403);
    expect((await fetch(`${world.base}v1/contracts/usual`)).status).toBe(200);
    await expect(suspendedGrants(citizen)).resolves
      .toEqual(problem === 'contract-suspended' ? [ shared.accessGrant ] : [ other.accessGrant, shared.accessGrant ]);

    await operate([ 'resume', ...which() ]);
    await expect(suspendedGrants(citizen)).resolves.toEqual([]);
    await expect(readEverywhere(citizen, shared, rpt)).resolves.toEqual([ 200, 200, 200, 200 ]);
    await expect(world.shareAll(citizen)).resolves.toEqual([ shared ]);
  });

  it('changes the number of a citizen: the old one leads to nobody.', async(): Promise<void> => {
    const citizen = await world.citizen();
    const [ shared ] = await world.shareAll(citizen);
    const number = world.newNumber();
    await operate([ 'citizens', 'relink' ], `${citizen.nationalNumber}\n${number}\n`);
    const client = await clientOf(world.issuer, { citizen_national_id: number });
    await expect(json(await client.request('PUT', `${world.base}v1/webids`))).resolves
      .toMatchObject({ uri: citizen.webId });
    const old = await clientOf(world.issuer, { citizen_national_id: citizen.nationalNumber });
    await expectProblem(await old.request('GET', `${world.base}v1/webids`), 404, 'webid-not-found');
    expect((await world.read(consumer.client, shared)).status).toBe(200);
  });

  it('rotates every key: nothing fails, and what was signed before verifies.', async(): Promise<void> => {
    const citizen = await world.citizen(2);
    const [ shared ] = await world.shareAll(citizen);
    const rpt = await tokenFor(shared);
    for (const kind of [ 'blind-index', 'encryption', 'grants', 'credentials' ]) {
      await operate([ 'keys', 'rotate', kind ]);
      await expect(readEverywhere(citizen, shared, rpt)).resolves.toEqual([ 200, 200, 200, 200 ]);
      expect((await world.read(consumer.client, shared, '&verified=true')).status).toBe(200);
      await expect(world.shareAll(citizen)).resolves.toContainEqual(shared);
      await world.shareAll(await world.citizen());
    }
    for (const issuer of [ '.access/', 'v1/issuer' ]) {
      const { assertionMethod } = await json<{ assertionMethod: string[] }>(await fetch(`${world.base}${issuer}`));
      expect(assertionMethod).toHaveLength(2);
    }
    const files = (await inspect([ 'keys', 'list' ])).trim().split('\n');
    expect(files).toHaveLength(8);
    const rows = (await inspect([ 'audit', 'export', '--with-identities' ])).trim().split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>);
    const rotated = { type: 'key.rotated', identities: { operator: userInfo().username }};
    expect(rows.filter(({ type }): boolean => type === 'key.rotated'))
      .toMatchObject(Array.from({ length: 4 }).fill(rotated));
    await operate([ 'keys', 'retire', 'encryption.key' ]);
    // The server drops it within seconds, and with it the tokens made with it.
    while ((await readEverywhere(citizen, shared, rpt))[3] === 200) {
      await setTimeout(100);
    }
    await expect(readEverywhere(citizen, shared, await tokenFor(shared))).resolves.toEqual([ 200, 200, 200, 200 ]);
    await expect(inspect([ 'audit', 'verify' ])).resolves.toContain('is intact');
  });

  it('exports all data of a citizen, and erases one, whom the audit record names no more.', async(): Promise<void> => {
    const citizen = await world.citizen(2);
    const [ shared ] = await world.shareAll(citizen);
    await consumer.client.request('POST', `${world.base}v1/data-copies`, {
      body: { resource: shared.podResource, accessGrant: shared.accessGrant },
    });
    const words = [ 'citizens', 'export', '--webid', citizen.webId, '--with-contents' ];
    const items = (await inspect(words)).trim().split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>);
    const kinds = items.map(({ kind }): unknown => kind);
    expect(kinds.filter((kind): boolean => kind === 'share')).toHaveLength(2);
    expect(kinds.filter((kind): boolean => kind === 'grant')).toHaveLength(2);
    expect(kinds.filter((kind): boolean => kind === 'copy')).toHaveLength(1);
    expect(items.some(({ path }): boolean => String(path).includes(lastPart(shared.podResource)))).toBe(true);
    const contents = items.filter(({ kind, path }): boolean =>
      kind === 'content' && String(path).includes(lastPart(shared.podResource)));
    expect(contents.map(({ base64 }): string => Buffer.from(String(base64), 'base64').toString()))
      .toContainEqual(expect.stringContaining('"VerifiableCredential"'));
    const row = { kind: 'audit', type: 'data.shared', citizen: citizen.podId };
    expect(items).toContainEqual(expect.objectContaining(row));

    expect((await fetch(citizen.webId)).status).toBe(200);
    await expect(world.server.stored.podNames()).resolves.toContain(citizen.podId);
    await expect(operate([ 'citizens', 'erase', '--pod', citizen.podId, '--yes' ])).resolves.toContain('is erased');
    await expectProblem(await world.read(consumer.client, shared), 403, 'grant-revoked');
    // As for every missing pod.
    expect((await fetch(citizen.webId)).status).toBe(404);
    await expect(world.server.stored.podNames()).resolves.not.toContain(citizen.podId);
    await expect(inspect([ 'audit', 'verify' ])).resolves.toContain('is intact');
    await expect(inspect([ 'audit', 'export', '--with-identities' ])).resolves.not.toContain(citizen.podId);
    const again = await clientOf(world.issuer, { citizen_national_id: citizen.nationalNumber });
    expect((await again.request('PUT', `${world.base}v1/webids`)).status).toBe(201);
  });

  it('lists citizens, and verifies and exports the audit record.', async(): Promise<void> => {
    const citizen = await world.citizen();
    const listed = (await inspect([ 'citizens', 'list' ])).trim().split('\n');
    expect(listed.map((line): unknown => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ podId: citizen.podId, webId: citizen.webId, state: 'ACTIVE' }),
    );
    await expect(inspect([ 'audit', 'verify' ])).resolves.toContain('is intact');
    await expect(inspect([ 'audit', 'export' ])).resolves.not.toContain(citizen.podId);
    await expect(inspect([ 'audit', 'export', '--with-identities' ])).resolves.toContain(citizen.webId);
  });
});
