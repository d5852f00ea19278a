import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { MemoryProofStore } from '../../../src/tokens/MemoryProofStore';
import { answerWorker, WorkerProofs } from '../../../src/tokens/WorkerProofs';

const now = new Date('2026-11-21T12:00:00Z');
const expiresAt = new Date(now.getTime() + 60_000);

describe('WorkerProofs', (): void => {
  let server: Server;
  let sockets: Socket[];
  let written: string[];

  beforeEach(async(): Promise<void> => {
    const store = new MemoryProofStore(100, (): number => 0);
    sockets = [];
    written = [];
    server = createServer((socket): void => {
      sockets.push(socket);
      socket.on('data', (chunk): unknown => written.push(chunk.toString()));
      answerWorker(socket, store, (): Date => now);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async(): Promise<void> => {
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
    await once(server, 'close');
  });

  async function startWorker(): Promise<WorkerProofs> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    sockets.push(socket);
    return new WorkerProofs(socket);
  }

  it('accept a proof once, at any worker, also after a worker restart.', async(): Promise<void> => {
    const [ one, other ] = [ await startWorker(), await startWorker() ];
    await expect(one.remember('bob', 'a', expiresAt)).resolves.toBe('fresh');
    await expect(other.remember('bob', 'a', expiresAt)).resolves.toBe('replayed');
    await expect(other.remember('alice', 'a', expiresAt)).resolves.toBe('fresh');
    const again = await startWorker();
    await expect(again.remember('bob', 'a', expiresAt)).resolves.toBe('replayed');
  });

  it('check many at once, each with its own result, counted by caller.', async(): Promise<void> => {
    const workers = [ await startWorker(), await startWorker() ];
    // Bob uses ids once at each of the workers, and has room for 100.
    const ids = Array.from({ length: 120 }, (_, index): string => String(index));
    const outcomes = await Promise.all(workers.flatMap((worker): Promise<string>[] =>
      ids.map(async(id): Promise<string> => worker.remember('bob', id, expiresAt))));
    const counts = [ 'fresh', 'replayed', 'too-many' ].map((outcome): number =>
      outcomes.filter((each): boolean => each === outcome).length);
    expect(counts).toEqual([ 100, 100, 40 ]);
    // One line for all requests of a turn.
    expect(written.join('').match(/\n/gu)).toHaveLength(2);
    await expect(Promise.all([
      workers[0].remember('bob', '0\n["fresh"]', expiresAt),
      workers[0].remember('alice', '0\n["fresh"]', expiresAt),
      workers[1].remember('bob', '0', expiresAt),
    ])).resolves.toEqual([ 'too-many', 'fresh', 'replayed' ]);
  });

  it('accept ids of any characters, including line ends.', async(): Promise<void> => {
    const worker = await startWorker();
    for (const id of [ 'a\nb', 'a\u2028b', 'a\u2029b', '"', '\u{10FFFF}' ]) {
      await expect(worker.remember(`https://${id}`, id, expiresAt)).resolves.toBe('fresh');
      await expect(worker.remember(`https://${id}`, id, expiresAt)).resolves.toBe('replayed');
      // Some versions of Node end lines at more characters than others.
      expect(written.join('')).toMatch(/^[\w\n"+,/=[\]]+$/u);
    }
  });

  it('treat a lost primary process as an outage, not a fresh proof.', async(): Promise<void> => {
    const worker = await startWorker();
    await worker.remember('bob', 'a', expiresAt);
    const waiting = worker.remember('bob', 'b', expiresAt);
    sockets[0].destroy();
    await expect(waiting).rejects.toMatchObject({ code: 'EPIPE' });
    await expect(worker.remember('bob', 'c', expiresAt)).rejects.toMatchObject({ code: 'EPIPE' });
  });
});
