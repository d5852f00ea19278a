/* eslint-disable jest/require-top-level-describe, jest/consistent-test-it -- within describeOnBoth */
import { setTimeout } from 'node:timers/promises';
import { describeOnBoth } from '../support/postgres';
import type { Answered } from './caller';
import type { KillableServer } from './KillableServer';
import { expectSound } from './killAtEveryStep';
import { bodyOf, KillWorld } from './KillWorld';
import type { CitizenWithPod, KnownAccount, Loss, SharedRecord } from './KillWorld';

jest.setTimeout(600_000);

/** `FREEZE_SEED` chooses other moments, `FREEZE_ROUNDS` the number of each kind of write. */
let seed = Number(process.env.FREEZE_SEED ?? 20_261_122);
const rounds = Number(process.env.FREEZE_ROUNDS ?? 3);

/** How long the other node may wait for locks of the frozen one in the database. */
const patienceMs = 1000;

/** After this, interrupted work is no longer finished: nodes look for it every minute, and wait for locks. */
const finishedMs = 240_000;

const text = { 'content-type': 'text/plain' };
const turtle = { 'content-type': 'text/turtle' };
const update = { 'content-type': 'application/sparql-update' };

/** The same write by two nodes: the first is frozen in it, the second takes over. */
interface Contest {
  first: (world: KillWorld) => Promise<Answered | undefined>;
  second: (world: KillWorld) => Promise<Answered | undefined>;
  /** Compares the stored state with what was acknowledged; returns the differences. */
  findWrong: (first: boolean, second: boolean, answers: (Answered | undefined)[]) => Promise<string[]>;
}

type Prepare = (world: KillWorld) => Promise<Contest>;

/** Returns a random integer below a limit. */
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) % 2 ** 31;
  return Math.floor((Math.abs(seed) / 2 ** 31) * below);
}

function isSuccess(answer?: Answered): boolean {
  return answer !== undefined && answer.status < 300;
}

/** Refusals other than 503, of writes that only the other node can prevent. */
function refusals(answers: (Answered | undefined)[]): string[] {
  return answers.filter((answer): boolean => answer !== undefined && !isSuccess(answer) && answer.status !== 503)
    .map((answer): string => `refused: ${JSON.stringify(answer)}`);
}

/** Returns the findings whose condition holds. */
function findings(...found: [ isWrong: boolean, what: string ][]): string[] {
  return found.filter(([ isWrong ]): boolean => isWrong).map(([ , what ]): string => what);
}

async function textOf(world: KillWorld, citizen: CitizenWithPod, url: string): Promise<string> {
  const answer = await world.ask(citizen, 'GET', url);
  return answer?.status === 200 ? String(answer.body) : '';
}

async function put(world: KillWorld): Promise<Contest> {
  const citizen = await world.anyCitizen();
  const url = `${citizen.podUrl}put`;
  async function write(by: KillWorld, body: string): Promise<Answered | undefined> {
    return by.ask(citizen, 'PUT', url, { raw: Buffer.from(body), headers: text });
  }
  await write(world, 'before');
  return {
    first: async(by): Promise<Answered | undefined> => write(by, 'first'),
    second: async(by): Promise<Answered | undefined> => write(by, 'second'),
    async findWrong(first, second): Promise<string[]> {
      const found = await textOf(world, citizen, url);
      return findings(
        [ !first && found === 'first', 'a refused PUT is there' ],
        [ !second && found === 'second', 'a refused PUT is there' ],
        [ (first || second) && found === 'before', 'no acknowledged PUT is there' ],
      );
    },
  };
}

async function patchOf(world: KillWorld, name: string, before: string): Promise<Contest> {
  const citizen = await world.anyCitizen();
  const url = `${citizen.podUrl}${name}`;
  async function patch(by: KillWorld, what: string): Promise<Answered | undefined> {
    return by.ask(citizen, 'PATCH', url, { raw: Buffer.from(what), headers: update });
  }
  // The same document each time: what was added to it before is removed.
  const prepared = await patch(world, `DELETE DATA { <#a> <#b> <#first> }; INSERT DATA { ${before} }`);
  expect(prepared?.status).toBeLessThan(300);
  return {
    first: async(by): Promise<Answered | undefined> => patch(by, 'INSERT DATA { <#a> <#b> <#first> }'),
    // A removed statement must not come back.
    second: async(by): Promise<Answered | undefined> => patch(by, `DELETE DATA { ${before} }`),
    async findWrong(first, second): Promise<string[]> {
      const found = await textOf(world, citizen, url);
      return findings(
        [ found.includes('#first') !== first, `an addition was ${first ? 'acknowledged' : 'refused'}` ],
        [ found.includes('#before') === second, `a removal was ${second ? 'acknowledged' : 'refused'}` ],
      );
    },
  };
}

async function patch(world: KillWorld): Promise<Contest> {
  return patchOf(world, 'patched', '<#a> <#b> <#before> .');
}

async function patchAccess(world: KillWorld): Promise<Contest> {
  return patchOf(world, '.acl', '<#a> <#b> <#before> .');
}

async function patchDescription(world: KillWorld): Promise<Contest> {
  return patchOf(world, '.meta', '<#a> <#b> <#before> .');
}

/** Changes the description of a container, while members are added. */
async function addBesideDescription(world: KillWorld): Promise<Contest> {
  const citizen = await world.anyCitizen();
  const container = `${citizen.podUrl}said-${random(2 ** 30)}/`;
  const [ description, member ] = [ `${container}.meta`, `${container}member` ];
  expect((await world.ask(citizen, 'PUT', container, { headers: turtle, raw: Buffer.from('') }))?.status).toBe(201);
  return {
    first: async(by): Promise<Answered | undefined> =>
      by.ask(citizen, 'PUT', member, { raw: Buffer.from('first'), headers: text }),
    second: async(by): Promise<Answered | undefined> => by.ask(citizen, 'PATCH', description, {
      raw: Buffer.from('INSERT DATA { <#a> <#b> <#second> }'),
      headers: update,
    }),
    async findWrong(first, second, answers): Promise<string[]> {
      const [ said, added ] = [ await textOf(world, citizen, description), await textOf(world, citizen, member) ];
      return [ ...refusals(answers), ...findings(
        [ said.includes('#second') !== second, `a description was ${second ? 'acknowledged' : 'refused'}` ],
        [ (added === 'first') !== first, `a member was ${first ? 'acknowledged' : 'refused'}` ],
      ) ];
    },
  };
}

async function post(world: KillWorld): Promise<Contest> {
  const citizen = await world.anyCitizen();
  const container = `${citizen.podUrl}posted-${random(2 ** 30)}/`;
  expect((await world.ask(citizen, 'PUT', container, { headers: turtle, raw: Buffer.from('') }))?.status).toBe(201);
  async function add(by: KillWorld, body: string): Promise<Answered | undefined> {
    return by.ask(citizen, 'POST', container, { raw: Buffer.from(body), headers: { ...text, slug: 'member' }});
  }
  return {
    first: async(by): Promise<Answered | undefined> => add(by, 'first'),
    second: async(by): Promise<Answered | undefined> => add(by, 'second'),
    async findWrong(first, second, answers): Promise<string[]> {
      const locations = answers.filter(isSuccess).map((answer): string => answer!.location!);
      const bodies = await Promise.all(locations.map(async(url): Promise<string> => textOf(world, citizen, url)));
      const wanted = [ ...first ? [ 'first' ] : [], ...second ? [ 'second' ] : [] ];
      const listed = await textOf(world, citizen, container);
      const rows = await world.sql(`select path from pod_resources where parent = '${new URL(container).pathname}'`);
      const documents = rows.filter(({ path }): boolean => !/\.(?:acl|meta)$/u.test(String(path)));
      return findings(
        [ JSON.stringify(bodies) !== JSON.stringify(wanted), `members are ${JSON.stringify(bodies)}` ],
        [ documents.length !== wanted.length, `${documents.length} members, ${wanted.length} acknowledged` ],
        [ wanted.length > 0 && !listed.includes('contains'), 'members are not listed' ],
      );
    },
  };
}

async function remove(world: KillWorld): Promise<Contest> {
  const citizen = await world.anyCitizen();
  const url = `${citizen.podUrl}removed`;
  await world.ask(citizen, 'PUT', url, { raw: Buffer.from('before'), headers: text });
  return {
    first: async(by): Promise<Answered | undefined> => by.ask(citizen, 'DELETE', url),
    second: async(by): Promise<Answered | undefined> =>
      by.ask(citizen, 'PUT', url, { raw: Buffer.from('second'), headers: text }),
    async findWrong(first, second): Promise<string[]> {
      const found = await textOf(world, citizen, url);
      return findings(
        [ !first && found === '', 'a refused DELETE was done' ],
        [ second && found === 'before', 'an acknowledged PUT is not there' ],
        [ !second && found === 'second', 'a refused PUT is there' ],
      );
    },
  };
}

/** The same values, shared by both. */
async function contestOfShares(world: KillWorld, citizen: CitizenWithPod): Promise<Contest> {
  const ids = await world.listValues(citizen);
  async function run(by: KillWorld): Promise<Answered | undefined> {
    return by.share(citizen, ids);
  }
  return {
    first: run,
    second: run,
    async findWrong(...[ ,, answers ]): Promise<string[]> {
      const shared = answers.filter(isSuccess).map((answer): SharedRecord =>
        ({ ...(answer!.body as SharedRecord[])[0], citizen }));
      const reads = await Promise.all(shared.map(async(one): Promise<unknown> =>
        (await world.read(one, { verified: true }))?.status));
      return findings(
        [ new Set(shared.map(({ podResource }): string => podResource)).size > 1, 'shared twice' ],
        [ reads.some((status): boolean => status !== 200), `what was shared reads ${JSON.stringify(reads)}` ],
      );
    },
  };
}

async function share(world: KillWorld): Promise<Contest> {
  const citizen = await world.anyCitizen();
  await world.writeDiploma(citizen, world.newDiploma());
  return contestOfShares(world, citizen);
}

async function shareAgain(world: KillWorld): Promise<Contest> {
  const citizen = await world.anyCitizen();
  const name = world.newDiploma();
  await world.writeDiploma(citizen, name);
  await world.shared(citizen);
  await world.writeDiploma(citizen, name, '2');
  return contestOfShares(world, citizen);
}

async function revoke(world: KillWorld): Promise<Contest> {
  const shared = await world.shareNew(await world.anyCitizen());
  return {
    first: async(by): Promise<Answered | undefined> => by.revoke(shared),
    second: async(by): Promise<Answered | undefined> => by.revoke(shared),
    async findWrong(first, second): Promise<string[]> {
      const status = (await world.read(shared))?.status;
      return findings([ (status === 403) !== (first || second), `a grant reads ${status} after all` ]);
    },
  };
}

async function create(world: KillWorld): Promise<Contest> {
  const number = world.newNumber();
  async function run(by: KillWorld): Promise<Answered | undefined> {
    return by.createWebId(number);
  }
  return {
    first: run,
    second: run,
    async findWrong(...[ ,, answers ]): Promise<string[]> {
      const uris = answers.filter(isSuccess).map((answer): string => (answer!.body as { uri: string }).uri);
      const made = answers.filter((answer): boolean => answer?.status === 201);
      const { uri } = bodyOf<{ uri: string }>(await world.createWebId(number));
      return findings(
        [ uris.some((one): boolean => one !== uri), 'a citizen has several WebIDs' ],
        [ made.length > 1, 'a citizen was made twice' ],
      );
    },
  };
}

/** A citizen who is erased while the pod is created. */
async function createAndErase(world: KillWorld): Promise<Contest> {
  const number = world.newNumber();
  return {
    first: async(by): Promise<Answered | undefined> => by.createWebId(number),
    second: async(by): Promise<Answered | undefined> => by.deleteWebId(number),
    async findWrong(first, second): Promise<string[]> {
      const there = (await world.deleteWebId(number))?.status === 200;
      // The last one decides.
      return findings([ first && !second && !there, 'a citizen was made, and is not there' ]);
    },
  };
}

/** A pod that the other node finishes first, and whose owner has changed its initial contents. */
async function finishLate(world: KillWorld): Promise<Contest> {
  const number = world.newNumber();
  const addition = { raw: Buffer.from('INSERT DATA { <#a> <#b> <#second> }'), headers: update };
  const names = [ '.meta', 'profile/card', '.acl' ];
  function owner(made: Answered | undefined): CitizenWithPod {
    const { uri: webId } = bodyOf<{ uri: string }>(made);
    return { number, webId, podUrl: webId.slice(0, -'profile/card#me'.length) };
  }
  return {
    first: async(by): Promise<Answered | undefined> => by.createWebId(number),
    async second(by): Promise<Answered | undefined> {
      const made = await by.createWebId(number);
      if (!isSuccess(made)) {
        return made;
      }
      const citizen = owner(made);
      const answers = await Promise.all(names.map(async(name): Promise<Answered | undefined> =>
        by.ask(citizen, 'PATCH', `${citizen.podUrl}${name}`, addition)));
      return answers.find((answer): boolean => !isSuccess(answer)) ?? answers[0];
    },
    async findWrong(...[ , second, answers ]): Promise<string[]> {
      const citizen = owner(await world.createWebId(number));
      const texts = await Promise.all(names.map(async(name): Promise<string> =>
        textOf(world, citizen, `${citizen.podUrl}${name}`)));
      return [ ...refusals(answers), ...findings(
        [ second && texts.some((found): boolean => !found.includes('#second')), 'an acknowledged addition is gone' ],
        [ !texts[0].includes('Storage'), 'a pod is not described' ],
      ) ];
    },
  };
}

/** A citizen who is erased during a share. */
async function shareAndErase(world: KillWorld): Promise<Contest> {
  const citizen = await world.citizen();
  await world.writeDiploma(citizen, world.newDiploma());
  const ids = await world.listValues(citizen);
  return {
    first: async(by): Promise<Answered | undefined> => by.share(citizen, ids),
    second: async(by): Promise<Answered | undefined> => by.deleteWebId(citizen.number),
    async findWrong(...[ ,, [ shared ]]): Promise<string[]> {
      await world.deleteWebId(citizen.number);
      const { pathname } = new URL(citizen.podUrl);
      const rows = await world.sql(`select path from pod_resources where path like '${pathname}%'`);
      const records = isSuccess(shared) ? shared!.body as SharedRecord[] : [];
      const reads = await Promise.all(records.map(async(record): Promise<unknown> =>
        (await world.read({ ...record, citizen }))?.status));
      return findings(
        [ rows.length > 0, `of an erased pod there is ${JSON.stringify(rows)}` ],
        [ reads.includes(200), 'what an erased citizen shared is read' ],
      );
    },
  };
}

async function erase(world: KillWorld): Promise<Contest> {
  const citizen = await world.citizen();
  const shared = await world.shareNew(citizen);
  return {
    first: async(by): Promise<Answered | undefined> => by.deleteWebId(citizen.number),
    second: async(by): Promise<Answered | undefined> => by.ask(
      citizen,
      'PUT',
      `${citizen.podUrl}late`,
      { raw: Buffer.from('late'), headers: text },
    ),
    async findWrong(first): Promise<string[]> {
      await world.deleteWebId(citizen.number);
      const { pathname } = new URL(citizen.podUrl);
      const rows = await world.sql(`select path from pod_resources where path like '${pathname}%'`);
      const status = (await world.read(shared))?.status;
      return findings(
        [ rows.length > 0, `of an erased pod there is ${JSON.stringify(rows)}` ],
        [ status === 200, `what an erased citizen shared reads ${status} (${first ? 'acknowledged' : 'again'})` ],
      );
    },
  };
}

async function report(world: KillWorld): Promise<Contest> {
  const shared = await world.shareNew(await world.anyCitizen());
  return {
    first: async(by): Promise<Answered | undefined> => by.reportCopy(shared),
    second: async(by): Promise<Answered | undefined> => by.reportCopy(shared),
    async findWrong(first, second): Promise<string[]> {
      const open = await world.sql(`select id from data_copies
        where resource = '${shared.podResource}' and deleted_at is null`);
      return findings([ open.length !== Number(first || second), `${open.length} copies of a kind` ]);
    },
  };
}

/** An account's client credentials: URLs by id. */
async function credentialsOf(world: KillWorld, account: KnownAccount): Promise<Record<string, string>> {
  const listed = await world.onAccount(account, 'GET', account.credentials);
  return bodyOf<{ clientCredentials: Record<string, string> }>(listed).clientCredentials;
}

async function addCredentials(by: KillWorld, account: KnownAccount): Promise<Answered | undefined> {
  return by.onAccount(account, 'POST', account.credentials, { name: 'script', webId: account.webId });
}

/** Client credentials in an account: both additions are kept, beside existing ones. */
async function credentials(world: KillWorld): Promise<Contest> {
  const account = await world.account();
  const existing = bodyOf<{ id: string }>(await addCredentials(world, account)).id;
  return {
    first: async(by): Promise<Answered | undefined> => addCredentials(by, account),
    second: async(by): Promise<Answered | undefined> => addCredentials(by, account),
    async findWrong(...[ ,, answers ]): Promise<string[]> {
      const added = answers.filter(isSuccess).map((answer): string => (answer!.body as { id: string }).id);
      const found = Object.keys(await credentialsOf(world, account)).sort();
      const wanted = [ existing, ...added ].sort();
      return [ ...refusals(answers), ...findings(
        [ found.join(' ') !== wanted.join(' '), `${found.length} client credentials, ${wanted.length} acknowledged` ],
      ) ];
    },
  };
}

async function subscribe(world: KillWorld): Promise<Contest> {
  const citizen = await world.anyCitizen();
  const topic = `${citizen.podUrl}topic-${random(2 ** 30)}`;
  await world.ask(citizen, 'PUT', topic, { raw: Buffer.from('before'), headers: text });
  const before = await countSubscriptions(world);
  async function run(by: KillWorld): Promise<Answered | undefined> {
    return by.ask(citizen, 'POST', `${world.base}.notifications/WebSocketChannel2023/`, {
      body: {
        '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
        type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
        topic,
      },
      headers: { 'content-type': 'application/ld+json' },
    });
  }
  return {
    first: run,
    second: run,
    async findWrong(...[ ,, answers ]): Promise<string[]> {
      // Encrypted: one entry for each subscription, and one list for the topic.
      const added = await countSubscriptions(world) - before;
      const wanted = answers.filter(isSuccess).length;
      return [ ...refusals(answers), ...findings(
        [ added !== (wanted === 0 ? 0 : wanted + 1), `${added} entries, ${wanted} subscriptions acknowledged` ],
      ) ];
    },
  };
}

async function countSubscriptions(world: KillWorld): Promise<number> {
  const rows = await world.sql(`select key from key_values where key like 'notifications/%'`);
  return rows.length;
}

/** Access rules with which an owner lets somebody read a resource. */
async function state(world: KillWorld): Promise<Contest> {
  const citizen = await world.anyCitizen();
  const resource = `${citizen.podUrl}stated-${random(2 ** 30)}`;
  await world.ask(citizen, 'PUT', resource, { raw: Buffer.from('before'), headers: text });
  const credential = {
    '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
    type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
    credentialSubject: {
      id: citizen.webId,
      providedConsent: {
        mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
        hasStatus: 'https://w3id.org/GConsent#ConsentStatusExplicitlyGiven',
        forPersonalData: [ resource ],
        isProvidedTo: 'https://reader.example/#me',
      },
    },
  };
  async function run(by: KillWorld): Promise<Answered | undefined> {
    return by.ask(citizen, 'POST', `${world.base}.access/issue`, { body: { credential }});
  }
  return {
    first: run,
    second: run,
    async findWrong(...[ ,, answers ]): Promise<string[]> {
      const rows = await world.sql(`select uri from access_grants where resources like '%${resource}%'`);
      const found = rows.map(({ uri }): string => String(uri)).sort();
      const wanted = answers.filter(isSuccess).map((answer): string => (answer!.body as { id: string }).id).sort();
      return [ ...refusals(answers), ...findings(
        [ found.join(' ') !== wanted.join(' '), `${found.length} grants, ${wanted.length} acknowledged` ],
      ) ];
    },
  };
}

const kinds: [ string, Prepare ][] = [
  [ 'PUT', put ],
  [ 'PATCH', patch ],
  [ 'PATCH of access rules', patchAccess ],
  [ 'PATCH of a description', patchDescription ],
  [ 'new member of a container that is described', addBesideDescription ],
  [ 'POST', post ],
  [ 'DELETE', remove ],
  [ 'share', share ],
  [ 'share of a new version', shareAgain ],
  [ 'revocation', revoke ],
  [ 'new citizen', create ],
  [ 'new citizen who is erased', createAndErase ],
  [ 'erasure', erase ],
  [ 'report of a copy', report ],
  [ 'statement of access', state ],
  [ 'subscription', subscribe ],
  [ 'new client credential', credentials ],
  [ 'pod that is finished late', finishLate ],
  [ 'share of a citizen who is erased', shareAndErase ],
];

const losses: Loss[] = [ 'time passed', 'flushed', 'failed over' ];

describeOnBoth('A node that is frozen', (): void => {
  let world: KillWorld;
  let frozen: KillableServer;
  let through: KillWorld;

  beforeAll(async(): Promise<void> => {
    world = await KillWorld.start('PostgreSQL');
    ({ server: frozen, world: through } = await world.startNode());
    await world.anyCitizen();
  });

  afterAll(async(): Promise<void> => {
    frozen?.thaw();
    await world?.stop();
  });

  /** Maximum number of steps of a write. */
  async function countSteps(prepare: Prepare): Promise<number> {
    const { first } = await prepare(world);
    await frozen.arm({ at: 0 });
    await first(through);
    return (await frozen.disarm()).filter(({ isFlush }): boolean => !isFlush).length;
  }

  /** Waits until it stops, or has answered without stopping. */
  async function untilFrozen(answer: Promise<unknown>): Promise<void> {
    const isOver = answer.then((): boolean => true);
    while (!frozen.isFrozen && !await Promise.race([ isOver, setTimeout(5, false) ])) {
      // Checks again.
    }
  }

  /** Resumes it as often as it stops: its step may come after its response. */
  async function thawUntil<T>(done: Promise<T>): Promise<T> {
    const over = new AbortController();
    const thawing = (async(): Promise<void> => {
      while (!over.signal.aborted) {
        frozen.thaw();
        await setTimeout(5);
      }
    })();
    try {
      return await done;
    } finally {
      over.abort();
      await thawing;
    }
  }

  /** Waits until interrupted work is finished or undone; false if it is not. */
  async function untilFinished(): Promise<boolean> {
    const until = Date.now() + finishedMs;
    while (await world.has('share_intents') || await world.has(`citizens where state <> 'ACTIVE'`)) {
      if (Date.now() > until) {
        return false;
      }
      await setTimeout(50);
    }
    return true;
  }

  /** Freezes a node before a step of a write, has the other one write, and resumes the first. */
  async function contest(prepare: Prepare, at: number, loss: Loss): Promise<string[]> {
    const { first, second, findWrong } = await prepare(world);
    await frozen.arm({ at, isFrozen: true });
    const one = first(through);
    await untilFrozen(one);
    await world.loseLocks(loss);
    const other = second(world);
    await Promise.race([ other, setTimeout(patienceMs) ]);
    const answers = await thawUntil(Promise.all([ one, other ]));
    await thawUntil(frozen.disarm());
    await Promise.all([ frozen.passMinute(), world.running.passMinute() ]);
    const isFinished = await untilFinished();
    const told = answers.map((answer): number | undefined => answer?.status);
    const wrong = await findWrong(isSuccess(answers[0]), isSuccess(answers[1]), answers);
    return [
      ...isFinished ? [] : [ 'a share or the state of a citizen is left unfinished' ],
      ...wrong,
      ...told.filter((status): boolean => status === undefined || status === 500)
        .map((status): string => `answered ${status}`),
    ].map((what): string =>
      `${what}; frozen at ${at}, answered ${told.map(String).join(' and ')}, locks: ${loss}`);
  }

  it.each(kinds)('in a %s and overtaken overwrites nothing, and leaves nothing behind.', async(kind, prepare):
  Promise<void> => {
    const steps = await countSteps(prepare);
    const wrong: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      wrong.push(...await contest(prepare, 1 + random(steps), losses[random(losses.length)]));
    }
    expect(wrong).toEqual([]);
    await expectSound(world, `a node was frozen in a ${kind} (FREEZE_SEED)`);
  });

  it('shares once while Redis is flushed again and again.', async(): Promise<void> => {
    const citizen = await world.citizen();
    const over = new AbortController();
    const flushing = (async(): Promise<void> => {
      while (!over.signal.aborted) {
        await world.loseLocks('flushed');
        await setTimeout(random(20));
      }
    })();
    for (let round = 0; round < 3; round += 1) {
      await world.writeDiploma(citizen, world.newDiploma());
      const ids = await world.listValues(citizen);
      const nodes = [ world, through, world, through, world, through ];
      const answers = await Promise.all(nodes.map(async(node): Promise<Answered | undefined> =>
        node.share(citizen, ids)));
      expect(answers.map((answer): unknown => answer?.status).filter((status): boolean =>
        status !== 200 && status !== 503)).toEqual([]);
    }
    over.abort();
    await flushing;
    await Promise.all([ frozen.passMinute(), world.running.passMinute() ]);
    const again = await world.shared(citizen);
    expect((await world.read(again, { verified: true }))?.status).toBe(200);
    await expectSound(world, 'Redis was flushed while values were shared');
  });
});
