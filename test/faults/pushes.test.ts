import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { databaseUrl } from '../support/postgres';
import { until } from '../support/sharingWorld';
import { expectSound, killPoints } from './killAtEveryStep';
import type { Step } from './KillableServer';
import { bodyOf, KillWorld } from './KillWorld';
import type { Engine } from './killStorage';

const engines: Engine[] = databaseUrl === undefined ? [ 'SQLite' ] : [ 'SQLite', 'PostgreSQL' ];

describe.each(engines)('Pushed events, on %s,', (engine): void => {
  let world: KillWorld;
  let receiver: Server;
  /** Ids of events, in order of arrival. */
  let received: string[];
  const bodies = new Map<string, string>();
  /** Kills the pushing process, if set. */
  let kill: (() => Promise<void>) | undefined;

  beforeAll(async(): Promise<void> => {
    received = [];
    receiver = createServer((request, response): void => {
      text(request).then(async(body): Promise<void> => {
        const { data: { challenge }, id } = JSON.parse(body) as { id: string; data: { challenge?: string }};
        if (challenge === undefined) {
          const isAltered = (bodies.get(id) ?? body) !== body;
          bodies.set(id, body);
          received.push(isAltered ? `altered: ${id}` : id);
          await kill?.();
        }
        response.end(JSON.stringify({ challenge }));
      }).catch((error: unknown): unknown => response.destroy(error as Error));
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    world = await KillWorld.start(engine);
    bodyOf(await world.subscribe(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`));
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    receiver.closeAllConnections();
    receiver.close();
  });

  /** Returns the ids of all events, in order. */
  async function feed(): Promise<string[]> {
    return (await world.sql('select id from events order by number')).map(({ id }): string => String(id));
  }

  /** True when all events are recorded as pushed. */
  async function isDone(): Promise<boolean> {
    return world.has(`subscriptions join event_feeds on event_feeds.data_user = subscriptions.data_user
      where position = last and due_at is null`);
  }

  /** Lets another process push at once, as if the lease of a lost one had expired. */
  async function endDuties(): Promise<void> {
    await world.sql('update duties set until = 0');
  }

  async function expectAllPushed(when: string): Promise<void> {
    await until(isDone);
    expect({ when, pushed: [ ...new Set(received) ]}).toEqual({ when, pushed: await feed() });
    await expectSound(world, when);
  }

  /** Steps from the commit of a share until its event is recorded as pushed. */
  async function stepsOfPush(): Promise<{ first: number; steps: Step[] }> {
    await world.running.arm({ at: 0 });
    await world.shareNew(await world.anyCitizen());
    await until(isDone);
    const steps = (await world.running.disarm()).filter(({ isFlush }): boolean => !isFlush);
    // The push begins before or after the response to the share.
    const event = steps.findIndex(({ path }): boolean => path.startsWith('insert into "events"'));
    const commit = steps.findIndex(({ path }, index): boolean => index > event && path === 'commit');
    expect(event).toBeGreaterThan(0);
    return { steps, first: commit + 1 };
  }

  /** Shares a new diploma. The process that pushes its event may be killed before or after its response. */
  async function shareUntilPushed(): Promise<void> {
    const citizen = await world.anyCitizen();
    await world.writeDiploma(citizen, world.newDiploma());
    await world.share(citizen, await world.listValues(citizen));
    await world.running.gone();
  }

  it('all arrive in order, even if the server is killed at any step.', async(): Promise<void> => {
    const { first, steps } = await stepsOfPush();
    const points = killPoints(steps).filter((at): boolean => at >= first);
    expect(points.length).toBeGreaterThan(3);
    for (const at of points) {
      const citizen = await world.anyCitizen();
      await world.writeDiploma(citizen, world.newDiploma());
      const ids = await world.listValues(citizen);
      await world.running.arm({ at });
      let isGone = false;
      const gone = world.running.gone().then((): void => {
        isGone = true;
      });
      await world.share(citizen, ids);
      // It may need fewer steps this time.
      await until(async(): Promise<boolean> => isGone || isDone());
      await (isGone ? gone : world.running.kill());
      await world.restart();
      await endDuties();
      const { call, path } = steps[at - 1];
      await expectAllPushed(`killed before step ${at}: ${call} ${path}`);
    }
  });

  it('all arrive, one of them twice, when the server is killed during a delivery.', async(): Promise<void> => {
    const before = received.length;
    kill = async(): Promise<void> => {
      kill = undefined;
      await world.running.kill();
    };
    await shareUntilPushed();
    await world.restart();
    await endDuties();
    await expectAllPushed('killed while an event was on its way');
    const [ id, again ] = received.slice(before);
    expect(again).toBe(id);
  });

  const itOnNodes = engine === 'PostgreSQL' ? it : it.skip;

  itOnNodes('are taken over by another node.', async(): Promise<void> => {
    const other = await world.startNode();
    kill = async(): Promise<void> => {
      kill = undefined;
      await world.running.kill();
    };
    await shareUntilPushed();
    await endDuties();
    await other.world.shareNew(await other.world.anyCitizen());
    await expectAllPushed('the node that pushed was killed');
  });
});
