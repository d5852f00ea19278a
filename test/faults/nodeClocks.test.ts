/* eslint-disable jest/require-top-level-describe, jest/consistent-test-it -- within describeOnBoth */
import { Client } from '../../demo/lib/Client';
import { logInByClientCredentials } from '../../demo/lib/tokens';
import { describeOnBoth } from '../support/postgres';
import type { Answered } from './caller';
import { expectSound } from './killAtEveryStep';
import { bodyOf, KillWorld } from './KillWorld';
import type { CitizenWithPod, SharedRecord } from './KillWorld';

/** The largest difference of clocks at which both accept the same tokens. */
const differences = [ 240, -50 ];
const text = { 'content-type': 'text/plain' };
const triples = { accept: 'application/n-triples' };
const update = { 'content-type': 'application/sparql-update' };

describeOnBoth('Two nodes, one of them with a clock', (): void => {
  let world: KillWorld;
  let other: KillWorld;
  let citizen: CitizenWithPod;

  beforeAll(async(): Promise<void> => {
    world = await KillWorld.start('PostgreSQL');
    ({ world: other } = await world.startNode());
    citizen = await world.citizen();
  });

  afterAll(async(): Promise<void> => world?.stop());

  /** Has both write in turn, and collects their states, which must be equal. */
  async function writeInTurn(write: (node: KillWorld, turn: number) => Promise<Answered | undefined>, url: string):
  Promise<Answered[]> {
    const found: Answered[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const nodes = turn % 2 === 0 ? [ world, other ] : [ other, world ];
      expect((await write(nodes[0], turn))?.status).toBeLessThan(300);
      const [ there, here ] = await Promise.all(nodes.map(async(node): Promise<Answered> =>
        (await node.ask(citizen, 'GET', url, { headers: triples }))!));
      expect(there.etag).toBe(here.etag);
      found.push(there);
    }
    return found;
  }

  it.each(differences)('%d s ahead, lose nothing, and tell versions apart.', async(seconds): Promise<void> => {
    await world.stepClock(seconds, false);
    const document = `${citizen.podUrl}document${seconds}`;
    const patched = await writeInTurn(async(node, turn): Promise<Answered | undefined> => {
      const raw = Buffer.from(`INSERT DATA { <#a> <#b> <#turn-${turn}> }`);
      return node.ask(citizen, 'PATCH', document, { raw, headers: update });
    }, document);
    const container = `${citizen.podUrl}container${seconds}/`;
    const added = await writeInTurn(async(node, turn): Promise<Answered | undefined> =>
      node.ask(citizen, 'PUT', `${container}turn-${turn}`, { raw: Buffer.from('x'), headers: text }), container);
    for (const found of [ patched, added ]) {
      expect(new Set(found.map(({ etag }): unknown => etag)).size).toBe(found.length);
      expect(new Set(String(found.at(-1)!.body).match(/turn-\d/gu)).size).toBe(found.length);
    }
  });

  it.each(differences)('%d s ahead, share once, and stop at once.', async(seconds): Promise<void> => {
    await world.stepClock(seconds, false);
    for (const [ one, two ] of [[ world, other ], [ other, world ]]) {
      await one.writeDiploma(citizen, one.newDiploma());
      const ids = await one.listValues(citizen);
      const shares = await Promise.all([ one, two, one, two ].map(async(node): Promise<Answered | undefined> =>
        node.share(citizen, ids)));
      const resources = shares.map((share): string => bodyOf<SharedRecord[]>(share)[0].podResource);
      expect(new Set(resources).size).toBe(1);
      // The node whose clock is behind may share again to get a grant that is in force.
      const shared = await two.shared(citizen);
      expect((await two.read(shared, { verified: true }))?.status).toBe(200);
      expect((await one.revoke(shared))?.status).toBe(200);
      const reads = await Promise.all([ one, two ].map(async(node): Promise<unknown> =>
        (await node.read(shared))?.status));
      expect(reads).toEqual([ 403, 403 ]);
    }
    await expectSound(world, 'the clocks of nodes were not the same');
  });

  it('50 s ahead, end the tokens of client credentials that the other deletes.', async(): Promise<void> => {
    await world.stepClock(50, false);
    const account = await world.account();
    const made = { name: 'script', webId: account.webId };
    const { resource, ...credentials } = bodyOf<{ id: string; secret: string; resource: string }>(
      await world.onAccount(account, 'POST', account.credentials, made),
    );
    const script = await logInByClientCredentials(Client.withBearer(), world.base, credentials);
    const url = `${world.base}v1/data-copies`;
    expect((await script.request('GET', url)).status).toBe(200);
    expect((await other.onAccount(account, 'DELETE', resource))?.status).toBe(200);
    expect((await script.request('GET', url)).status).toBe(401);
  });
});
