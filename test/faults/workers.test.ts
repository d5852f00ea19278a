import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { TestCitizen } from '../support/callers';
import { clientOf } from '../support/callers';
import { operate } from '../support/commandLine';
import { databaseUrl } from '../support/postgres';
import { sqlOf } from '../support/recordsSql';
import type { RunSql } from '../support/recordsSql';
import type { Shared } from '../support/sharing';
import { revocationUrl } from '../support/sharing';
import { json, SharingWorld, until } from '../support/sharingWorld';
import type { TestStorage } from '../support/storage';
import { postgresStorage } from '../support/storage';
import { Workers } from '../support/Workers';
import type { AccountHolder, Client } from '../support/world';
import { accountWithPod, removeFolder, temporaryFolder } from '../support/world';
import { dice } from './dice';
import type { Fate } from './Register';
import { fateOf, Register } from './Register';

jest.setTimeout(900_000);

/** `FAULT_SEED` chooses other sequences and moments, `FAULT_KILLS` the number of killed workers. */
const seed = Number(process.env.FAULT_SEED ?? 20_261_123);
const kills = Number(process.env.FAULT_KILLS ?? 4);
const workerCount = 3;
const callerCount = 6;
const presets = databaseUrl === undefined ? [ 'file.json' ] : [ 'file.json', 'postgres.json' ];
/** Time after which nothing of a killed process is under way any more, such as a statement in the database. */
const overMs = 1000;
const text = { 'content-type': 'text/plain' };
const update = { 'content-type': 'application/sparql-update' };

/** Additions to a shared document, by outcome. */
type Added = Record<Fate, string[]>;

/** A response whose rest may have been cut off. */
interface Heard {
  status: number;
  location?: string;
  body?: string;
}

/** A diploma as it was shared. */
interface SharedDiploma {
  place?: string;
  /** True for a grant in force. */
  grants: Map<string, Register<boolean>>;
}

describe.each(presets)(`Workers with %s that are killed under load (seed ${seed})`, (config): void => {
  let folder: string;
  let storage: TestStorage | undefined;
  let world: SharingWorld;
  let workers: Workers;
  let sql: RunSql;
  let alice: AccountHolder;
  let consumer: AccountHolder;
  const findings: string[] = [];
  const outcomes: (number | undefined)[] = [];
  const patches: Added = { done: [], refused: [], unknown: []};
  const posts: Added = { done: [], refused: [], unknown: []};
  const locations = new Map<string, string | undefined>();

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    storage = config === 'postgres.json' ? await postgresStorage(folder) : undefined;
    const { flags } = storage?.options({}) ?? {};
    const own = { ...flags, workers: String(workerCount), logFormat: 'json' };
    world = await SharingWorld.start({ usual: {}}, 'info', own, config);
    workers = new Workers(world.server.log);
    sql = sqlOf(records());
    alice = await accountWithPod(world.base, 'alice', 'Bearer');
    consumer = await accountWithPod(world.base, 'consumer', 'Bearer');
    for (const name of [ 'patched', 'posted/' ]) {
      const headers = { 'content-type': 'text/turtle' };
      await alice.client.request('PUT', alice.podUrl + name, { headers, body: '' });
    }
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await world?.remove();
    await storage?.remove();
    await removeFolder(folder);
  });

  function records(): string {
    return storage?.place ?? join(world.server.folder, 'records.sqlite');
  }

  function note(answer: Heard | undefined): Fate {
    outcomes.push(answer?.status);
    return fateOf(answer?.status);
  }

  function expectPossible(isPossible: boolean, what: string): void {
    if (!isPossible) {
      findings.push(what);
    }
  }

  /** A person who writes their own documents, and to shared ones. */
  async function write(caller: number, over: AbortSignal): Promise<() => Promise<void>> {
    const throwDice = dice(seed + caller);
    const documents = [ 0, 1, 2 ].map((at): { url: string; content: Register<string | undefined> } =>
      ({ url: `${alice.podUrl}own-${caller}-${at}`, content: new Register<string | undefined>(undefined) }));
    async function look({ url, content }: typeof documents[number]): Promise<void> {
      const answer = await ask(alice.client, 'GET', url);
      note(answer);
      if (answer?.status === 404 || (answer?.status === 200 && answer.body !== undefined)) {
        const found = answer.status === 200 ? answer.body : undefined;
        expectPossible(content.see((one): boolean => one === found), `${url} is ${found}`);
      }
    }
    for (let serial = 0; !over.aborted; serial += 1) {
      const [ body, document ] = [ `${caller}-${serial}`, documents[throwDice(documents.length)] ];
      const { url, content } = document;
      const kind = throwDice(10);
      if (kind < 4) {
        const answer = await ask(alice.client, 'PUT', url, { headers: text, body });
        if (answer?.status === 201 || answer?.status === 205) {
          const isNew = answer.status === 201;
          const isPossible = content.see((one): boolean => (one === undefined) === isNew);
          expectPossible(isPossible, `${url} was ${isNew ? 'made' : 'replaced'}`);
        }
        content.write(body, note(answer));
      } else if (kind < 5) {
        const answer = await ask(alice.client, 'DELETE', url);
        if (answer?.status === 205 || answer?.status === 404) {
          const wasGone = answer.status === 404;
          const isPossible = content.see((one): boolean => (one === undefined) === wasGone);
          expectPossible(isPossible, `${url} was ${wasGone ? 'gone' : 'removed'}`);
        }
        content.write(undefined, note(answer));
      } else if (kind < 6) {
        await look(document);
      } else if (kind < 8) {
        const patch = { headers: update, body: `INSERT DATA { <#a> <#b> <#n${body}> }` };
        patches[note(await ask(alice.client, 'PATCH', `${alice.podUrl}patched`, patch))].push(body);
      } else {
        const added = { headers: { ...text, slug: 'm' }, body };
        const answer = await ask(alice.client, 'POST', `${alice.podUrl}posted/`, added);
        posts[note(answer)].push(body);
        locations.set(body, answer?.location);
      }
    }
    return async(): Promise<void> => {
      for (const document of documents) {
        await look(document);
      }
    };
  }

  /** A citizen who shares diplomas, new versions of them, and revokes. Returns what to expect in the end. */
  async function share(citizen: TestCitizen, client: Client, throwDice: (limit: number) => number, over: AbortSignal):
  Promise<() => Promise<void>> {
    const diplomas = [ 1, 2 ].map((): SharedDiploma => ({ grants: new Map() }));
    function noteShared(body: string): void {
      const [{ accessGrant, podResource }] = JSON.parse(body) as Shared[];
      const diploma = diplomas.find(({ place }): boolean => place === podResource) ??
        diplomas.find(({ place }): boolean => place === undefined);
      expectPossible(diploma !== undefined, `shared twice: ${podResource}`);
      if (diploma) {
        diploma.place = podResource;
        const inForce = diploma.grants.get(accessGrant) ?? new Register(true);
        expectPossible(inForce.see((one): boolean => one), `${accessGrant} was revoked`);
        diploma.grants.set(accessGrant, inForce);
      }
    }
    async function shareOne(at: number): Promise<void> {
      const listed = await ask(client, 'GET', world.dataUrl('usual'));
      if (note(listed) === 'done' && listed!.body !== undefined) {
        const { dataValues } = JSON.parse(listed!.body) as { dataValues: { id: string }[] };
        const body = { dataValues: [ dataValues[at].id ]};
        const answer = await ask(client, 'POST', world.dataUrl('usual'), { body });
        if (note(answer) === 'done' && answer!.body !== undefined) {
          noteShared(answer!.body);
        }
      }
    }
    for (let version = 2; !over.aborted; version += 1) {
      const at = throwDice(2);
      const kind = throwDice(4);
      if (kind === 0) {
        await world.writeDiploma(citizen, at + 1, String(version));
      }
      if (kind < 3) {
        await shareOne(at);
      } else {
        const [ accessGrant, inForce ] = [ ...diplomas[at].grants ].at(-1) ?? [];
        if (inForce) {
          const url = revocationUrl(world.base, { podResource: diplomas[at].place!, accessGrant: accessGrant! });
          inForce.write(false, note(await ask(client, 'DELETE', url)));
        }
      }
    }
    return async(): Promise<void> => {
      for (const { grants, place } of diplomas) {
        for (const [ accessGrant, inForce ] of grants) {
          const { status } = await world.read(consumer.client, { podResource: place!, accessGrant });
          expectPossible(inForce.see((one): boolean => status === (one ? 200 : 403)), `${accessGrant} reads ${status}`);
        }
      }
      const again = await world.shareAll({ ...citizen, client });
      for (const one of again) {
        expect((await world.read(consumer.client, one, '&verified=true')).status).toBe(200);
      }
      const places = again.map(({ podResource }): string => podResource);
      for (const { place } of diplomas) {
        expectPossible(place === undefined || places.includes(place), `shared twice: ${place}`);
      }
      const listed = await client.request('GET', `${world.base}v1/pods/${citizen.podId}/resources`);
      const { resources } = await json<{ resources: { uri: string }[] }>(listed);
      expect(resources.map(({ uri }): string => uri).sort()).toEqual([ ...places ].sort());
    };
  }

  it('lose nothing acknowledged, keep nothing refused, and do nothing twice.', async():
  Promise<void> => {
    const over = new AbortController();
    const sharing = await Promise.all([ 0, 1 ].map(async(index): Promise<() => Promise<() => Promise<void>>> => {
      const citizen = await world.citizen(2);
      const claims = { citizen_national_id: citizen.nationalNumber, webid: citizen.webId };
      const client = await clientOf(world.issuer, claims);
      return async(): Promise<() => Promise<void>> =>
        share(citizen, client, dice(seed + callerCount + index), over.signal);
    }));
    const working = [
      ...Array.from({ length: callerCount }, async(_, caller): Promise<() => Promise<void>> =>
        write(caller, over.signal)),
      ...sharing.map(async(begin): Promise<() => Promise<void>> => begin()),
    ];
    const throwDice = dice(seed);
    for (let count = 0; count < kills; count += 1) {
      await workers.untilServing(workerCount);
      const before = outcomes.length;
      const some = 5 + throwDice(60);
      while (outcomes.length < before + some) {
        await setTimeout(5);
      }
      await setTimeout(throwDice(40));
      workers.kill(workers.serving()[throwDice(workerCount)]);
    }
    await workers.untilServing(workerCount);
    over.abort();
    const looks = await Promise.all(working);
    // Interrupted shares are finished or undone within a minute.
    await until(async(): Promise<boolean> => (await sql('select 1 from share_intents')).length === 0);
    for (const look of looks) {
      await look();
    }

    expect(findings).toEqual([]);
    const odd = outcomes.filter((status): boolean => ![ 200, 201, 205, 404, 503, undefined ].includes(status));
    expect(odd).toEqual([]);
    expect(outcomes).toContain(undefined);
    expect(patches.done.length * posts.done.length).toBeGreaterThan(0);
    const counted = outcomes.filter((status): boolean => status === undefined).length;
    process.stderr.write(`${config}: ${kills} kills, ${outcomes.length} requests, ${counted} without an answer\n`);
  });

  it('leave every acknowledged change to a shared document, once, and no refused one.', async():
  Promise<void> => {
    const patched = await (await alice.client.request('GET', `${alice.podUrl}patched`)).text();
    const found = new Set([ ...patched.matchAll(/#n(?<body>\d+-\d+)/gu) ].map(({ groups }): string => groups!.body));
    expect(patches.done.filter((body): boolean => !found.has(body))).toEqual([]);
    expect(patches.refused.filter((body): boolean => found.has(body))).toEqual([]);

    const headers = { accept: 'application/n-triples' };
    const listing = await (await alice.client.request('GET', `${alice.podUrl}posted/`, { headers })).text();
    const members = [ ...listing.matchAll(/ldp#contains> <(?<url>[^>]+)>/gu) ].map(({ groups }): string => groups!.url);
    const bodies = new Map<string, string>();
    for (const url of members) {
      const body = await (await alice.client.request('GET', url)).text();
      expect(bodies.get(body)).toBeUndefined();
      bodies.set(body, url);
    }
    expect(posts.done.filter((body): boolean => bodies.get(body) !== locations.get(body))).toEqual([]);
    expect(posts.refused.filter((body): boolean => bodies.has(body))).toEqual([]);
    const known = new Set([ ...posts.done, ...posts.unknown ]);
    expect([ ...bodies.keys() ].filter((body): boolean => !known.has(body))).toEqual([]);
  });

  it('leave pods and records consistent, and the audit record intact.', async(): Promise<void> => {
    const place = { records: records(), keys: join(world.server.folder, 'keys') };
    const swept = await operate(place, [ 'sweep' ]);
    const nothing = expect.stringMatching(/not on record: 0\..*back: 0\. Failed: 0\./su);
    expect(swept).toMatchObject({ code: 0, output: nothing });
    await expect(operate(place, [ 'audit', 'verify' ])).resolves.toMatchObject({ code: 0 });
  });
});

/**
 * Sends a request on a new connection, and so to any worker; `undefined` if no response came. By then its effect has
 * happened or never will.
 */
async function ask(client: Client, method: string, url: string, sent: { headers?: object; body?: unknown } = {}):
Promise<Heard | undefined> {
  const headers = { ...sent.headers, connection: 'close' };
  const answer = await client.request(method, url, { ...sent, headers }).catch((): undefined => undefined);
  if (!answer) {
    await setTimeout(overMs);
  }
  return answer && {
    status: answer.status,
    location: answer.headers.get('location') ?? undefined,
    body: await answer.text().catch((): undefined => undefined),
  };
}
