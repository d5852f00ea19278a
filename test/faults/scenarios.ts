import { accessRules } from '../support/accessRules';
import type { LoggingIn } from '../support/nationalLogin';
import type { Visited } from '../support/UserAgent';
import { call } from './caller';
import type { Answered } from './caller';
import { bodyOf } from './KillWorld';
import type { CitizenWithPod, KillWorld, KnownCitizen, OwnKind, OwnWebId } from './KillWorld';

/** One call, and its required outcome even if the server is killed meanwhile. */
export interface Attempt {
  run: () => Promise<Answered | undefined>;
  /** True when the returned result is recorded. */
  stands: (answered: Answered) => Promise<boolean>;
  /** Repeats the call until it succeeds; rejects if all calls together led to anything but one success. */
  again: () => Promise<unknown>;
}

/** An operation that is interrupted. */
export interface Scenario {
  name: string;
  /** Number of steps between kills; 1 by default. */
  stride?: number;
  /** Number of first and last steps before which it is always killed. */
  ends?: number;
  /** Creates everything that the call needs. */
  prepare: (world: KillWorld) => Promise<Attempt>;
}

async function create(world: KillWorld): Promise<Attempt> {
  const number = world.newNumber();
  return {
    run: async(): Promise<Answered | undefined> => world.createWebId(number),
    stands: async(answered): Promise<boolean> => {
      const { uri } = bodyOf<{ uri: string }>(answered);
      return world.has(`citizens where state = 'ACTIVE' and web_id = '${uri}'`);
    },
    async again(): Promise<void> {
      const { uri } = bodyOf<{ uri: string }>(await world.createWebId(number));
      expect(bodyOf(await world.createWebId(number))).toEqual({ uri });
    },
  };
}

/** A citizen's first log-in, from the response of the national provider to the session here. */
async function logIn(world: KillWorld): Promise<Attempt> {
  const number = world.newNumber();
  const citizen = world.atBrowser(number);
  const answer = await citizen.come();
  return {
    run: async(): Promise<Answered | undefined> => isAnswered(citizen.finish(answer)),
    stands: async(): Promise<boolean> => (await listWebIds(citizen)).length === 1,
    async again(): Promise<void> {
      const { json, status } = await world.atBrowser(number).logIn();
      expect([ status, json.type ]).toEqual([ 200, undefined ]);
      const other = world.atBrowser(number);
      expect((await other.bring(await other.come())).json).not.toHaveProperty('ticket');
      const answered = await world.createWebId(number);
      const { uri } = bodyOf<{ uri: string }>(answered);
      await expect(listWebIds(other)).resolves.toEqual([ uri ]);
      expect(answered!.status).toBe(200);
      const rows = await world.sql(`select 1 from citizens where web_id = '${uri}'`);
      expect(rows).toHaveLength(1);
    },
  };
}

/** Returns the response, unless the server is gone before. */
async function isAnswered(visit: Promise<Visited>): Promise<Answered | undefined> {
  const visited = await visit.catch((): undefined => undefined);
  return visited && { status: visited.status, body: visited.json };
}

/** Returns the WebIDs of the account that a browser is logged in to. */
async function listWebIds({ browser }: LoggingIn): Promise<string[]> {
  const { json: { controls }} = await browser.ask<{ controls: { account: { webId: string }}}>('.account/');
  const { json: { webIdLinks }} = await browser.ask<{ webIdLinks: object }>(controls.account.webId);
  return Object.keys(webIdLinks);
}

async function share(world: KillWorld): Promise<Attempt> {
  const citizen = await world.anyCitizen();
  await world.writeDiploma(citizen, world.newDiploma());
  const ids = await world.listValues(citizen);
  return {
    run: async(): Promise<Answered | undefined> => world.share(citizen, ids),
    stands: async(answered): Promise<boolean> => isShared(world, answered),
    async again(): Promise<void> {
      const shared = bodyOf(await world.share(citizen, ids));
      expect(bodyOf(await world.share(citizen, ids))).toEqual(shared);
    },
  };
}

async function replace(world: KillWorld): Promise<Attempt> {
  const citizen = await world.anyCitizen();
  const id = world.newDiploma();
  await world.writeDiploma(citizen, id);
  const { podResource } = await world.shared(citizen);
  await world.writeDiploma(citizen, id, '2');
  const ids = await world.listValues(citizen);
  return {
    run: async(): Promise<Answered | undefined> => world.share(citizen, ids),
    stands: async(answered): Promise<boolean> => isShared(world, answered),
    async again(): Promise<void> {
      const [ shared ] = bodyOf<object[]>(await world.share(citizen, ids));
      expect(shared).toMatchObject({ podResource });
    },
  };
}

async function revoke(world: KillWorld): Promise<Attempt> {
  const shared = await world.shareNew(await world.anyCitizen());
  return {
    run: async(): Promise<Answered | undefined> => world.revoke(shared),
    stands: async(): Promise<boolean> =>
      world.has(`access_grants where revoked_at is not null and uri = '${shared.accessGrant}'`),
    async again(): Promise<void> {
      expect(bodyOf(await world.revoke(shared))).toMatchObject({ status: 'REVOKED' });
    },
  };
}

async function report(world: KillWorld): Promise<Attempt> {
  const shared = await world.shareNew(await world.anyCitizen());
  return {
    run: async(): Promise<Answered | undefined> => world.reportCopy(shared),
    stands: async(): Promise<boolean> =>
      world.has(`data_copies where deleted_at is null and resource = '${shared.podResource}'`),
    async again(): Promise<void> {
      const copy = bodyOf<object>(await world.reportCopy(shared));
      expect(copy).toMatchObject({ status: 'STORED' });
      expect(bodyOf(await world.reportCopy(shared))).toEqual(copy);
    },
  };
}

async function reportDeletion(world: KillWorld): Promise<Attempt> {
  const shared = await world.shareNew(await world.anyCitizen());
  bodyOf(await world.reportCopy(shared));
  return {
    run: async(): Promise<Answered | undefined> => world.reportDeletion(shared),
    stands: async(): Promise<boolean> =>
      world.has(`data_copies where deleted_at is not null and resource = '${shared.podResource}'`),
    async again(): Promise<void> {
      expect(bodyOf(await world.reportDeletion(shared))).toMatchObject({ status: 'DELETED' });
    },
  };
}

async function erase(world: KillWorld): Promise<Attempt> {
  const citizen = await world.citizen();
  await world.shareNew(citizen);
  return {
    run: async(): Promise<Answered | undefined> => world.deleteWebId(citizen.number),
    stands: async(): Promise<boolean> => world.has(`pod_tombstones where pod_url = '${citizen.podUrl}'`),
    async again(): Promise<void> {
      const answered = await world.deleteWebId(citizen.number);
      expect([ 200, 404 ]).toContain(answered?.status);
      await expect(world.has(`pod_tombstones where pod_url = '${citizen.podUrl}'`)).resolves.toBe(true);
    },
  };
}

/** Links a WebID, and unlinks it in the end, so that the next one can link the same. */
async function link(world: KillWorld, kind: OwnKind): Promise<Attempt> {
  const own = await world.ownWebId(kind);
  const citizen = { number: world.newNumber(), webId: own.webId };
  return {
    run: async(): Promise<Answered | undefined> => world.link(citizen),
    stands: async(): Promise<boolean> => world.has(`citizens where state = 'ACTIVE' and web_id = '${own.webId}'`),
    async again(): Promise<void> {
      expect(bodyOf(await world.link(citizen))).toEqual({ uri: own.webId });
      await world.shareNew(citizen);
      await giveBack(world, citizen, own);
    },
  };
}

async function unlink(world: KillWorld, kind: OwnKind): Promise<Attempt> {
  const own = await world.ownWebId(kind);
  const citizen = { number: world.newNumber(), webId: own.webId };
  bodyOf(await world.link(citizen));
  await world.shareNew(citizen);
  return {
    run: async(): Promise<Answered | undefined> => world.deleteWebId(citizen.number),
    stands: async(): Promise<boolean> => !await world.has(`citizens where web_id = '${own.webId}'`),
    again: async(): Promise<void> => giveBack(world, citizen, own),
  };
}

/** Ends with the original contents, and nothing else. */
async function giveBack(world: KillWorld, { number }: KnownCitizen, own: OwnWebId): Promise<void> {
  const answered = await world.deleteWebId(number);
  expect([ 200, 404 ]).toContain(answered?.status);
  await expect(world.has(`citizens where web_id = '${own.webId}'`)).resolves.toBe(false);
  await expect(world.ownTexts(own)).resolves.toEqual(own.before);
}

/** A private document in a public container: it has its own access rules. */
interface PrivateDocument {
  ask: (method: string, text?: string, type?: string) => Promise<Answered | undefined>;
  /** Returns its text, if any; rejects if anybody else may read it, or if its access rules exist without it. */
  text: () => Promise<unknown>;
}

async function privateDocument(world: KillWorld): Promise<PrivateDocument> {
  const citizen = await world.anyCitizen();
  const shelf = `${citizen.podUrl}shelf/`;
  const url = `${shelf}${world.newNumber()}`;
  await put(world, citizen, url, 'before', 'text/plain');
  await put(world, citizen, `${url}.acl`, accessRules(false, url, citizen.webId, ''));
  await put(world, citizen, `${shelf}.acl`, accessRules(false, shelf, citizen.webId, 'acl:Read'));
  return {
    ask: async(method, text, type): Promise<Answered | undefined> => text === undefined ?
        world.ask(citizen, method, url) :
        put(world, citizen, url, text, type),
    async text(): Promise<unknown> {
      const [ document, rules ] = await Promise.all([ url, `${url}.acl` ].map(async(one): Promise<Answered> =>
        (await world.ask(citizen, 'GET', one))!));
      const anybody = await call('GET', url, '');
      expect([ document.status, rules.status, anybody?.status ])
        .toEqual(document.status === 404 ? [ 404, 404, 404 ] : [ 200, 200, 401 ]);
      return document.status === 404 ? undefined : document.body;
    },
  };
}

async function put(
  world: KillWorld,
  citizen: CitizenWithPod,
  url: string,
  text: string,
  type = 'text/turtle',
): Promise<Answered | undefined> {
  return world.ask(citizen, 'PUT', url, { raw: Buffer.from(text), headers: { 'content-type': type }});
}

/** The new one has a media type without an extension: it is in another file, with a description. */
async function replaceDocument(world: KillWorld): Promise<Attempt> {
  const { ask, text } = await privateDocument(world);
  return {
    run: async(): Promise<Answered | undefined> => ask('PUT', 'after', 'application/x-odd'),
    stands: async(): Promise<boolean> => await text() === 'after',
    async again(): Promise<void> {
      expect([ 'before', 'after' ]).toContain(await text());
      expect((await ask('PUT', 'after', 'application/x-odd'))?.status).toBe(205);
      await expect(text()).resolves.toBe('after');
    },
  };
}

async function removeDocument(world: KillWorld): Promise<Attempt> {
  const { ask, text } = await privateDocument(world);
  return {
    run: async(): Promise<Answered | undefined> => ask('DELETE'),
    stands: async(): Promise<boolean> => await text() === undefined,
    async again(): Promise<void> {
      const found = await text();
      expect((await ask('DELETE'))?.status).toBe(found === undefined ? 404 : 205);
      await expect(text()).resolves.toBeUndefined();
    },
  };
}

async function isShared(world: KillWorld, answered: Answered): Promise<boolean> {
  const [{ accessGrant, podResource }] = bodyOf<{ accessGrant: string; podResource: string }[]>(answered);
  return await world.has(`shares where absent_at is null and invalid_at is null and resource = '${podResource}'`) &&
    world.has(`access_grants where revoked_at is null and invalid_at is null and uri = '${accessGrant}'`);
}

export const scenarios: Scenario[] = [
  { name: 'creating a WebID', prepare: create },
  { name: 'sharing', prepare: share },
  { name: 'sharing a new version', prepare: replace },
  { name: 'revoking', prepare: revoke },
  { name: 'reporting a copy', prepare: report },
  { name: 'reporting that a copy is deleted', prepare: reportDeletion },
  { name: 'deleting a WebID', prepare: erase },
];

/** Changes of pods through the server's own interface. */
export const documents: Scenario[] = [
  { name: 'replacing a document', stride: 3, prepare: replaceDocument },
  { name: 'removing a document', prepare: removeDocument },
];

/** The same for a citizen who links a WebID. Without a pod here, they get one by the steps of {@link create}. */
export const linking: Scenario[] = ([[ 'a pod here', 1 ], [ 'nothing here', 3 ]] as const)
  .flatMap(([ kind, stride ]): Scenario[] => [
    { name: `linking a WebID with ${kind}`, stride, prepare: async(world): Promise<Attempt> => link(world, kind) },
    { name: `unlinking a WebID with ${kind}`, stride, prepare: async(world): Promise<Attempt> => unlink(world, kind) },
  ]);

/** In its middle are the steps of {@link create}. */
export const loggingIn: Scenario = { name: 'a first log-in', stride: 9, ends: 6, prepare: logIn };

const resumed = new Set([ create, share, replace, erase ]);

/** Scenarios that a start finishes or undoes. */
export const recovered = scenarios.filter(({ prepare }): boolean => resumed.has(prepare));
