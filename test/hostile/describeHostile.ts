/* eslint-disable jest/no-export -- the suites of each storage run it, at the same time */
import type { Client } from '../support/world';
import { HostileWorld } from './HostileWorld';
import type { Preset } from './HostileWorld';
import { hostileNames, hostileTargets } from './names';
import type { RawAnswer, RawRequest } from './rawRequest';

const turtle = { 'content-type': 'text/turtle' };
const patch = `@prefix solid: <http://www.w3.org/ns/solid/terms#>.
<> a solid:InsertDeletePatch; solid:inserts { <> <https://example.org/says> "hello". }.`;
const sparql = 'INSERT DATA { <> <https://example.org/says> "hello" }';
const meta = '<https://example.org/other>; rel="type", <.acl>; rel="acl"';

/** Each method, with a valid body. */
const methods: readonly Omit<RawRequest, 'target'>[] = [
  { method: 'GET' },
  { method: 'GET', headers: { accept: 'text/html', range: 'bytes=0-99999999' }},
  { method: 'HEAD' },
  { method: 'OPTIONS' },
  { method: 'PUT', headers: { ...turtle, link: meta }, body: '<> a <https://example.org/T>.' },
  { method: 'PUT', headers: { 'content-type': 'internal/quads' }, body: 'x' },
  { method: 'PUT', headers: { 'content-type': 'IMAGE/png' }, body: 'x' },
  { method: 'PATCH', headers: { 'content-type': 'text/n3' }, body: patch },
  { method: 'PATCH', headers: { 'content-type': 'application/sparql-update' }, body: sparql },
  { method: 'POST', headers: { ...turtle, slug: 'x' }, body: '<> a <https://example.org/T>.' },
  { method: 'DELETE' },
  { method: 'PROPFIND' },
  { method: 'TRACE' },
];

/** A health check slower than this is a fault, if it is as slow each time that the same request is sent. */
const slowMilliseconds = 200;
const repetitions = 5;
/** The same for a health check in a burst: slow machines take 240, and a burst that is begun at once takes seconds. */
const slowInBurst = 1000;

/** True for refusals and successes, and for the failures 501 (not implemented) and 503 (unavailable). */
function isSound({ status }: RawAnswer): boolean {
  return status < 500 || status === 501 || status === 503;
}

function requestsIn(container: string): RawRequest[] {
  return hostileNames.flatMap((name): RawRequest[] => methods.map((request): RawRequest =>
    ({ ...request, target: `${container}${name}` })));
}

/** Returns requests that create documents and containers of hostile names by `Slug`. */
function slugsIn(container: string): RawRequest[] {
  const short = hostileNames.filter((name): boolean => name.length < 8000);
  return short.flatMap((slug): RawRequest[] => [ 'Resource', 'BasicContainer' ].map((kind): RawRequest => ({
    method: 'POST',
    target: container,
    headers: { ...turtle, slug, link: `<http://www.w3.org/ns/ldp#${kind}>; rel="type"` },
    body: '',
  })));
}

/** Defines the suites of responses that each preset must give to attackers. */
export function describeHostile(presets: Preset[]): void {
  describe.each(presets)('A server on $storage with $accessControl, under attack,', (preset): void => {
    let world: HostileWorld;
    let before: Map<string, string>;

    beforeAll(async(): Promise<void> => {
      world = await HostileWorld.start(preset);
      before = await world.contents();
    });

    afterAll(async(): Promise<void> => {
      await world?.stop();
    });

    /** Measures a health check, in milliseconds. */
    async function health(): Promise<number> {
      const start = performance.now();
      await world.send(undefined, { method: 'GET', target: '/.health/live' });
      return performance.now() - start;
    }

    /** Returns the response; a missing one counts as a failure of the server. */
    async function answerTo(caller: Client | undefined, request: RawRequest): Promise<RawAnswer> {
      return world.send(caller, request).catch((error: unknown): RawAnswer => ({ status: 599, text: String(error) }));
    }

    /** Returns a request that is allowed to anybody. */
    function burstOf(kind: string): RawRequest {
      const profile = `${world.pod}profile/card`;
      if (kind === 'read') {
        return { method: 'GET', target: profile };
      }
      if (kind === 'write') {
        const body = '<> a <https://example.org/T>.';
        return { method: 'POST', target: `${world.pod}inbox/`, headers: turtle, body };
      }
      return {
        method: 'POST',
        target: '/.notifications/WebSocketChannel2023/',
        headers: { 'content-type': 'application/ld+json' },
        body: JSON.stringify({
          '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
          type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
          topic: `${world.base}${profile.slice(1)}`,
        }),
      };
    }

    /** Sends a request with a health check beside it, again and again until one is quick. */
    async function isHeldUp(caller: Client | undefined, request: RawRequest): Promise<boolean> {
      for (let times = 0; times < repetitions; times += 1) {
        const [ , milliseconds ] = await Promise.all([ world.send(caller, request), health() ]);
        if (milliseconds <= slowMilliseconds) {
          return false;
        }
      }
      return true;
    }

    /**
     * Sends requests, and returns those with a bad response. One during which a health check was slow counts if
     * it slows the next ones as well: this distinguishes a busy machine from a request that makes it busy.
     *
     * @param areRefused - True if none of them may succeed.
     */
    async function findFaults(
      caller: Client | undefined,
      requests: RawRequest[],
      areRefused = false,
    ): Promise<string[]> {
      const faults: string[] = [];
      for (const request of requests) {
        const name = `${request.method} ${request.target.slice(0, 120)} ${JSON.stringify(request.headers ?? {})}`;
        const [ answer, milliseconds ] = await Promise.all([ answerTo(caller, request), health() ]);
        if (!isSound(answer)) {
          faults.push(`${answer.status} to ${name}: ${answer.text.slice(-300)}`);
        }
        if (areRefused && answer.status < 300 && request.method !== 'OPTIONS') {
          faults.push(`${answer.status} to ${name}, which is private`);
        }
        if (/node_modules|\/tmp\/|ENAMETOOLONG|ENOENT/u.test(answer.text)) {
          faults.push(`${name} tells of the machine: ${answer.text.slice(-300)}`);
        }
        if (milliseconds > slowMilliseconds && await isHeldUp(caller, request)) {
          faults.push(`${name} holds everybody up for ${Math.round(milliseconds)} ms`);
        }
      }
      return faults;
    }

    it.each([ 'nobody', 'a stranger' ])('refuses %s everything, and changes nothing.', async(who): Promise<void> => {
      const caller = who === 'nobody' ? undefined : world.stranger;
      const targets = hostileTargets(world.pod).flatMap((target): RawRequest[] =>
        methods.map((request): RawRequest => ({ ...request, target })));
      await expect(findFaults(caller, [
        ...requestsIn(world.pod),
        ...targets,
      ])).resolves.toEqual([]);
      const inPrivate = [ ...requestsIn(`${world.pod}project/`), ...slugsIn(world.pod) ];
      await expect(findFaults(caller, inPrivate, true)).resolves.toEqual([]);
      await expect(world.contents()).resolves.toEqual(before);
    });

    it('lets anybody append to a public inbox without damaging anything.', async(): Promise<void> => {
      const requests = [ ...requestsIn(`${world.pod}inbox/`), ...slugsIn(`${world.pod}inbox/`) ];
      await expect(findFaults(undefined, requests)).resolves.toEqual([]);
      const after = await world.contents();
      expect(Object.fromEntries([ ...before.keys() ].map((path): unknown[] => [ path, after.get(path) ])))
        .toEqual(Object.fromEntries(before));
      expect([ ...after.keys() ].filter((path): boolean => /\.(?:acl|acr|meta)\/./iu.test(path))).toEqual([]);
    });

    it('serves the owner resources of any name.', async(): Promise<void> => {
      const requests = [ ...requestsIn(`${world.pod}mine/`), ...slugsIn(`${world.pod}mine/`) ];
      await expect(findFaults(world.citizen, requests)).resolves.toEqual([]);
    });

    const kinds = [ 'read', 'write', 'subscription' ];

    it.each(kinds)('answers each %s of a burst, and health checks meanwhile.', async(kind): Promise<void> => {
      const request = burstOf(kind);
      const milliseconds = await world.watchHealth(async(): Promise<void> => {
        const answers = await Promise.all(Array.from({ length: 1200 }, async(): Promise<RawAnswer> =>
          answerTo(undefined, request)));
        expect(answers.filter((answer): boolean => !isSound(answer))).toEqual([]);
      });
      expect(milliseconds).toBeLessThan(slowInBurst);
      expect((await world.send(undefined, request)).status).toBeLessThan(300);
    });

    it('lets the owner write and remove a resource that somebody reads slowly.', async(): Promise<void> => {
      const target = `${world.pod}project/large.txt`;
      const put: RawRequest = {
        method: 'PUT',
        target,
        headers: { 'content-type': 'text/plain' },
        body: 'x'.repeat(50_000_000),
      };
      expect((await world.send(world.citizen, put)).status).toBe(201);
      for (const request of [ put, { method: 'DELETE', target }]) {
        const stop = await world.readSlowly(target);
        expect((await world.send(world.citizen, request)).status).toBe(205);
        stop();
      }
    });

    const unreadable = preset.storage === 'files' ? [ 'rules' as const ] : [ 'rules' as const, 'grants' as const ];

    it.each(unreadable)('reports to the owner that %s cannot be read now.', async(what): Promise<void> => {
      const request = { method: 'GET', target: `${world.pod}project/notes.ttl` };
      const show = await world.hide(what);
      let shown: Promise<void> | undefined;
      const answers = await Promise.all(Array.from({ length: 30 }, async(): Promise<RawAnswer> => {
        const answer = await answerTo(world.citizen, request);
        shown ??= show();
        return answer;
      }));
      await shown;
      // Requests get a response if it is readable again in time, and never one that denies the owner's control.
      expect(new Set(answers.map(({ status }): number => status === 200 ? 503 : status))).toEqual(new Set([ 503 ]));
      const unavailable = answers.filter(({ status }): boolean => status === 503);
      expect(unavailable).not.toEqual([]);
      expect(unavailable.filter(({ text }): boolean => !/^retry-after: \d+\r$/imu.test(text))).toEqual([]);
      expect((await world.send(world.citizen, request)).status).toBe(200);
    });

    it('erases the pod to the last file and row, during reads and writes of others.', async(): Promise<void> => {
      const body = '<> a <https://example.org/T>.';
      const erased = new AbortController();
      const refused: number[] = [];
      const kept: string[] = [];
      /** Writes until the pod is gone, under one hostile name after the other. */
      async function goOn(write: (name: string, at: number) => Promise<void>): Promise<void> {
        const names = hostileNames.filter((name): boolean => name.length < 200 && /^[\w.%~-]+$/u.test(name));
        for (let at = 0; !erased.signal.aborted; at += 1) {
          await write(names[at % names.length], at);
        }
      }
      async function erase(): Promise<Response> {
        const answer = await world.citizen.request('DELETE', `${world.base}v1/webids`);
        erased.abort();
        return answer;
      }
      const large = `${world.pod}project/slow.txt`;
      const text = { 'content-type': 'text/plain' };
      const put = { method: 'PUT', target: large, headers: text, body: 'x'.repeat(50_000_000) };
      expect((await world.send(world.citizen, put)).status).toBe(201);
      const stop = await world.readSlowly(large);
      const [ answer ] = await Promise.all([
        erase(),
        goOn(async(slug): Promise<void> => {
          const headers = { ...turtle, slug };
          const { status } = await answerTo(undefined, { method: 'POST', target: `${world.pod}inbox/`, headers, body });
          refused.push(status);
        }),
        goOn(async(name): Promise<void> => {
          const target = `${world.pod}inbox/deep/${name}/x`;
          refused.push((await answerTo(undefined, { method: 'PUT', target, headers: turtle, body })).status);
        }),
        goOn(async(_, at): Promise<void> => {
          const target = `/stranger/kept/${at}`;
          const { status } = await answerTo(world.stranger, { method: 'PUT', target, headers: turtle, body });
          if (status === 201) {
            kept.push(target);
          }
        }),
      ]);
      stop();
      expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: expect.any(String) });
      expect(refused.filter((status): boolean => status >= 500 && status !== 503)).toEqual([]);
      expect([ ...(await world.contents()).keys() ]).toEqual([]);
      expect((await answerTo(undefined, { method: 'GET', target: world.pod })).status).toBe(404);
      expect(kept).not.toEqual([]);
      for (const target of kept) {
        await expect(world.send(world.stranger, { method: 'GET', target })).resolves.toMatchObject({ status: 200 });
      }
    });
  });
}
