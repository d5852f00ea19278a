/* eslint-disable jest/no-standalone-expect -- of a test that is skipped where it is not possible */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Answered } from './caller';
import { mountSmallDisk } from './fullDisk';
import { expectSound, shareReadAndCopy } from './killAtEveryStep';
import { KillWorld } from './KillWorld';
import type { CitizenWithPod, SharedRecord } from './KillWorld';

const megabyte = 1024 * 1024;
/** Time after which a server closes a connection without a whole request. */
const patienceMs = 20_000;
const disk = mountSmallDisk();
/** Suffix of the test's name where no disk can be filled, and it is skipped. */
const onDisk = disk ? '' : ' (skipped: only root may mount a small one)';
const itOnDisk = disk ? it : it.skip;

describe('A server', (): void => {
  let world: KillWorld;
  let citizen: CitizenWithPod;
  let shared: SharedRecord;

  beforeAll(async(): Promise<void> => {
    world = await KillWorld.start('SQLite', { folder: disk?.folder });
    citizen = await world.citizen();
    shared = await world.shareNew(citizen);
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    disk?.remove();
  });

  itOnDisk(`whose disk is full${onDisk} says so, reads on, and writes when there is room.`, async(): Promise<void> => {
    await world.writeDiploma(citizen, world.newDiploma());
    const ids = await world.listValues(citizen);
    disk!.fill();
    const answers = [
      await world.createWebId(world.newNumber()),
      await world.share(citizen, ids),
      await world.revoke(shared),
      await world.reportCopy(shared),
      await world.deleteWebId(citizen.number),
    ];
    expect(answers.map((answer): unknown => answer?.status)).toEqual([ 503, 503, 503, 503, 503 ]);
    expect((await world.read(shared))?.status).toBe(200);
    disk!.makeRoom();
    await world.running.passMinute();
    while (await world.has(`citizens where state <> 'ACTIVE'`) || await world.has('share_intents')) {
      await setTimeout(50);
    }
    await expectSound(world, 'the disk was full');
    expect((await world.revoke(shared))?.status).toBe(200);
    await shareReadAndCopy(world);
  });

  itOnDisk(`on whose disk no file can be made any more${onDisk} says so, and keeps what was there whole.`, async():
  Promise<void> => {
    const kept = await world.citizen();
    await world.keep(kept, Buffer.from('before'));
    disk!.useUpFiles();
    // Not even a lock can be taken.
    const [ refused ] = await world.keep(kept, Buffer.from('{}'), 'application/json');
    expect(refused?.status).toBe(503);
    expect((await world.createWebId(world.newNumber()))?.status).toBe(503);
    disk!.makeRoom();
    await world.running.passMinute();
    while (await world.has(`citizens where state <> 'ACTIVE'`)) {
      await setTimeout(50);
    }
    await expect(world.kept(kept)).resolves.toMatchObject({ status: 200, body: 'before' });
    await expectSound(world, 'no file could be made');
    const [ put, get ] = await world.keep(kept, Buffer.from('{}'), 'application/json');
    expect([ put?.status, get?.status, get?.body ]).toEqual([ 205, 200, {}]);
    await shareReadAndCopy(world);
  });

  it('stores documents of 10 MB in pods, refuses other bodies of that size, and uses no more memory.', async():
  Promise<void> => {
    const body = Buffer.alloc(10 * megabyte, 'x');
    const before = await world.running.memory();
    const pods = await Promise.all(Array.from({ length: 4 }, async(): Promise<(Answered | undefined)[]> =>
      world.keep(await world.citizen(), body)));
    for (const [ put, get ] of pods) {
      expect(put?.status).toBe(201);
      expect(String(get?.body)).toHaveLength(body.length);
    }
    const others = await Promise.all(Array.from({ length: 8 }, async(): Promise<Answered | undefined> =>
      world.share(citizen, [ body.toString() ])));
    expect(others.map((other): unknown => other?.status)).toEqual(Array.from({ length: 8 }).fill(413));
    expect(await world.running.memory() - before).toBeLessThan(150 * megabyte);
  });

  it('keeps serving while 10,000 connections are open.', async(): Promise<void> => {
    // Almost as many as the server accepts; this process needs as many.
    const most = Math.min(10_000, Math.floor(maxOpenFiles() * 0.75)) - 50;
    const before = await world.running.memory();
    const sockets: Socket[] = [];
    const closedAfterMs: number[] = [];
    while (sockets.length < most) {
      const begin = performance.now();
      const some = Array.from({ length: Math.min(500, most - sockets.length) }, (): Socket => open(world.port));
      for (const socket of some) {
        socket.on('close', (): unknown => closedAfterMs.push(performance.now() - begin));
      }
      await Promise.all(some.map(async(socket): Promise<unknown> => once(socket, 'connect')));
      sockets.push(...some);
    }
    const held = await world.running.memory() - before;
    await shareReadAndCopy(world);
    expect(closedAfterMs.filter((ms): boolean => ms < patienceMs)).toEqual([]);
    for (const socket of sockets) {
      socket.resetAndDestroy();
    }
    expect(held).toBeLessThan(300 * megabyte);
    await expectSound(world, 'there were many connections');
  });
});

/** A connection with an unfinished request. */
function open(port: number): Socket {
  const socket = connect(port, 'localhost');
  socket.on('error', (): undefined => undefined);
  socket.resume();
  socket.write('GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nX-');
  return socket;
}

function maxOpenFiles(): number {
  const [ , limit ] = /^Max open files\s+(\d+)/mu.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(limit ?? Infinity);
}
