import cluster from 'node:cluster';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../platform/clock';
import { MemoryProofStore } from './MemoryProofStore';
import type { ProofStore } from './ProofStore';
import { answerWorker, WorkerProofs } from './WorkerProofs';

/**
 * File descriptor of the pipe from each worker to the primary process, after the standard ones and the one for
 * messages.
 */
const descriptor = 4;

/**
 * Creates the memory of DPoP proofs that all processes of one machine share: in the primary process, which outlives its
 * workers. Workers have their own pipe to it, because the server logs everything on the one for messages.
 *
 * Call in the primary process before it starts its workers.
 *
 * @param workers - Number of processes; one remembers for itself.
 * @param clock - Time of the machine.
 */
export function proofsOfMachine(workers: number, clock: Clock): ProofStore {
  if (workers === 1) {
    return new MemoryProofStore();
  }
  if (cluster.isWorker) {
    return new WorkerProofs(new Socket({ fd: descriptor, readable: true, writable: true }));
  }
  const store = new MemoryProofStore();
  cluster.setupPrimary({ stdio: [ 'inherit', 'inherit', 'inherit', 'ipc', 'pipe' ]});
  // The pipe is a Duplex, although its type does not say so.
  cluster.on('fork', ({ process }): void => answerWorker(process.stdio[descriptor] as Duplex, store, clock));
  return store;
}
