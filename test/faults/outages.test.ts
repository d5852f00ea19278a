/* eslint-disable jest/require-top-level-describe, jest/consistent-test-it -- within describeOnBoth */
import { describeOnBoth } from '../support/postgres';
import { until } from '../support/sharingWorld';
import { Wire } from '../support/Wire';
import type { Answered } from './caller';
import { expectSound } from './killAtEveryStep';
import { KillWorld } from './KillWorld';
import type { CitizenWithPod, KnownAccount, SharedRecord } from './KillWorld';

// A missing recovery fails soon.
jest.setTimeout(300_000);

const unavailable = { status: 503, body: expect.objectContaining({ type: expect.stringMatching(/\/unavailable$/u) }) };

/** Expected of each response in an outage. */
interface AnsweredUrl {
  url: string;
  status: number;
  retryAfter: string | null;
}

describeOnBoth('A server that loses', (): void => {
  let world: KillWorld;
  let postgres: Wire;
  let redis: Wire;
  let citizen: CitizenWithPod;
  let shared: SharedRecord;

  beforeAll(async(): Promise<void> => {
    world = await KillWorld.start('PostgreSQL', { async through(flags): Promise<Record<string, string>> {
      postgres = new Wire(new URL(flags.records), 5432);
      redis = new Wire(new URL(flags.redis), 6379);
      await Promise.all([ postgres.mend(), redis.mend() ]);
      return { records: postgres.url, redis: redis.url };
    } });
    citizen = await world.citizen();
    shared = await world.shareNew(citizen);
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await Promise.all([ postgres?.cut(), redis?.cut() ]);
  });

  /** Requests that change pods. */
  async function changePods(ids: string[]): Promise<(Answered | undefined)[]> {
    return Promise.all([
      world.createWebId(world.newNumber()),
      world.share(citizen, ids),
      world.deleteWebId(citizen.number),
    ]);
  }

  /** Sends the requests of an account and its app, and returns the statuses with `Retry-After`. */
  async function askAsHolder({ authorization, credentials, webId }: KnownAccount): Promise<AnsweredUrl[]> {
    const pod = webId.slice(0, -'profile/card#me'.length);
    const json = { 'content-type': 'application/json' };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const topic = { type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023', topic: `${pod}profile/card` };
    const requests: [path: string, init?: RequestInit][] = [
      [ `${pod}.well-known/solid` ],
      [ `${world.base}.account/`, { headers: { authorization }}],
      [ credentials, { headers: { authorization }}],
      [ `${world.base}.account/login/password/`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ email: 'somebody@example.org', password: 'some password' }),
      }],
      [ `${world.base}.oidc/token`, {
        method: 'POST',
        headers: { ...form, authorization: `Basic ${Buffer.from('somebody:secret').toString('base64')}` },
        body: 'grant_type=client_credentials&scope=webid',
      }],
      // The library has a body ready when the rest of its work fails.
      [ `${world.base}.oidc/session/end` ],
      [ `${world.base}.notifications/WebSocketChannel2023/`, {
        method: 'POST',
        headers: { ...json, 'content-type': 'application/ld+json' },
        body: JSON.stringify({ '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ], ...topic }),
      }],
    ];
    return Promise.all(requests.map(async([ url, init = {} ]): Promise<AnsweredUrl> => {
      const headers = new Headers(init.headers);
      headers.set('accept', 'application/json');
      const response = await fetch(url, { ...init, headers });
      const body = await response.text();
      expect(body).not.toMatch(/ECONN|terminat|connection/iu);
      return { url, status: response.status, retryAfter: response.headers.get('retry-after') };
    }));
  }

  /** Expects recovery without restart or retry. */
  async function expectRecovery(when: string): Promise<void> {
    await until(async(): Promise<boolean> => world.isReady());
    await world.running.passMinute();
    await until(async(): Promise<boolean> => !await world.has(`citizens where state <> 'ACTIVE'`) &&
      !await world.has('share_intents'));
    await expectSound(world, when);
    citizen = await world.citizen();
    shared = await world.shareNew(citizen);
    await expect(world.read(shared)).resolves.toMatchObject({ status: 200 });
  }

  it.each([ 'cut', 'stall' ] as const)('Redis (%s) returns 503, and recovers by itself.', async(how): Promise<void> => {
    await world.writeDiploma(citizen, world.newDiploma());
    const ids = await world.listValues(citizen);
    await redis[how]();
    await expect(changePods(ids)).resolves.toEqual([ unavailable, unavailable, unavailable ]);
    await until(async(): Promise<boolean> => !await world.isReady());
    const own = await world.keep(citizen, Buffer.from('a note'));
    // Nothing is written without a lock. Reads and revocations need none, and continue.
    expect(own.map((answer): unknown => answer?.status)).toEqual([ 503, 404 ]);
    await expect(world.read(shared)).resolves.toMatchObject({ status: 200 });
    await expect(world.revoke(shared)).resolves.toMatchObject({ status: 200 });
    await redis.mend();
    await expectRecovery(`Redis was gone: ${how}`);
  });

  it('PostgreSQL returns 503, and recovers by itself.', async(): Promise<void> => {
    await world.writeDiploma(citizen, world.newDiploma());
    const ids = await world.listValues(citizen);
    await postgres.cut();
    const others = await Promise.all([ world.read(shared), world.revoke(shared), world.reportCopy(shared) ]);
    await expect(changePods(ids)).resolves.toEqual([ unavailable, unavailable, unavailable ]);
    expect(others).toEqual([ unavailable, unavailable, unavailable ]);
    await until(async(): Promise<boolean> => !await world.isReady());
    await postgres.mend();
    await expectRecovery('PostgreSQL was gone');
  });

  it('PostgreSQL returns 503 for accounts, tokens, descriptions of storages and subscriptions, too.', async():
  Promise<void> => {
    const account = await world.account();
    await postgres.cut();
    const answers = await askAsHolder(account);
    await postgres.mend();
    expect(answers).toEqual(answers.map(({ url }): unknown => ({ url, status: 503, retryAfter: '5' })));
    await expectRecovery('PostgreSQL was gone from accounts');
  });

  it.each([ 3, 30, 140, 200 ])('PostgreSQL after %i more statements recovers, too.', async(pieces): Promise<void> => {
    await world.writeDiploma(citizen, world.newDiploma());
    const ids = await world.listValues(citizen);
    postgres.cutAfter(pieces);
    const [ created, repeated, deleted ] = await changePods(ids);
    expect([ 201, 503 ]).toContain(created?.status);
    expect([ 200, 503 ]).toContain(deleted?.status);
    // Refused once the deletion of the WebID has begun: which of the two comes first is open.
    expect([ 200, 403, 503 ]).toContain(repeated?.status);
    await postgres.cut();
    await postgres.mend();
    await expectRecovery(`PostgreSQL was gone after ${pieces} more`);
  });
});
