import { hash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { createInterface } from 'node:readline';
import type { Clock } from '../platform/clock';
import { parseOwn } from '../platform/ownJson';
import type { MemoryProofStore } from './MemoryProofStore';
import type { ProofOutcome, ProofStore } from './ProofStore';

/** A proof on the wire: digests of caller and `jti`, which may contain anything, and the end of its lifetime. */
type SentProof = [ caller: string, jti: string, expiresAt: number ];

/** A proof waiting for its outcome. */
interface Waiting {
  proof: SentProof;
  resolve: (outcome: ProofOutcome) => void;
  reject: (error: Error) => void;
}

/**
 * Proofs that several workers of one machine remember together, in the memory of the primary process.
 *
 * Queries of one turn of the event loop are one line of JSON, and so are their results, in the same order.
 */
export class WorkerProofs implements ProofStore {
  /** Proofs to send. */
  private next: Waiting[] = [];
  /** Sent proofs that wait for their outcomes, by line. */
  private readonly asked: Waiting[][] = [];
  private gone?: Error;

  /**
   * @param primary - Pipe to the primary process, which runs {@link answerWorker}.
   */
  public constructor(private readonly primary: Duplex) {
    createInterface({ input: primary }).on('line', (line): void => this.hear(parseOwn(line)));
    primary.on('error', (error): void => this.lose(error));
    primary.on('close', (): void => this.lose(new Error('closed')));
  }

  public async remember(caller: string, jti: string, expiresAt: Date): Promise<ProofOutcome> {
    if (this.gone) {
      throw this.gone;
    }
    return new Promise((resolve, reject): void => {
      if (this.next.length === 0) {
        setImmediate((): void => this.ask());
      }
      this.next.push({ proof: [ digest(caller), digest(jti), expiresAt.getTime() ], resolve, reject });
    });
  }

  private ask(): void {
    const asked = this.next;
    this.next = [];
    if (asked.length > 0) {
      this.asked.push(asked);
      this.primary.write(`${JSON.stringify(asked.map(({ proof }): SentProof => proof))}\n`);
    }
  }

  private hear(outcomes: ProofOutcome[]): void {
    for (const [ index, { resolve }] of this.asked.shift()?.entries() ?? []) {
      resolve(outcomes[index]);
    }
  }

  /** Rejects all waiting proofs: a proof that could not be remembered is not fresh. */
  private lose(cause: Error): void {
    this.gone ??= Object.assign(new Error('The process that remembers proofs is gone', { cause }), { code: 'EPIPE' });
    for (const { reject } of [ ...this.asked.splice(0).flat(), ...this.next.splice(0) ]) {
      reject(this.gone);
    }
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'base64');
}

/** Serves the {@link WorkerProofs} of a worker for as long as it lives. */
export function answerWorker(worker: Duplex, store: MemoryProofStore, clock: Clock): void {
  createInterface({ input: worker }).on('line', (line): void => {
    const now = clock();
    const outcomes = parseOwn<SentProof[]>(line).map(([ caller, jti, expiresAt ]): ProofOutcome =>
      store.rememberNow(caller, jti, new Date(expiresAt), now));
    worker.write(`${JSON.stringify(outcomes)}\n`);
  });
  worker.on('error', (): void => {
    // The worker has ended, and its waiting requests with it.
  });
}
