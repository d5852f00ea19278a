import cluster from 'node:cluster';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../platform/clock';
import { MemoryProofStore } from './MemoryProofStore';
import type { ProofStore } from './ProofStore';
import { answerWorker, WorkerProofs } from './WorkerProofs';

/** Of the pipe that each worker has to the primary process, beside the standard ones and that for messages. */
const descriptor = 4;

/**
 * The memory of DPoP proofs that all processes of one machine share: in the primary process, which outlives any of its
 * workers. Workers have a pipe of their own to it: whatever goes over the one for messages, the server logs.
 *
 * To be called in the primary process before it starts its workers.
 */
export function proofsOfMachine(clock: Clock): ProofStore {
  if (cluster.isWorker) {
    return new WorkerProofs(new Socket({ fd: descriptor, readable: true, writable: true }));
  }
  const store = new MemoryProofStore();
  cluster.setupPrimary({ stdio: [ 'inherit', 'inherit', 'inherit', 'ipc', 'pipe' ]});
  // A pipe is a Duplex, whatever the type says.
  cluster.on('fork', ({ process }): void => answerWorker(process.stdio[descriptor] as Duplex, store, clock));
  return store;
}
