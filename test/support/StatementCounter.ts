import { once } from 'node:events';
import type { Server } from 'node:net';
import { connect, createServer } from 'node:net';

const lengthBytes = 4;

/**
 * Forwards connections to PostgreSQL, and records the text of each statement that is run on them.
 *
 * @see [Message formats](https://www.postgresql.org/docs/15/protocol-message-formats.html)
 */
export class StatementCounter {
  private readonly noted: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly database: string,
  ) {}

  /**
   * Listens on a free port of loopback.
   *
   * @param database - URL of the server that connections go to.
   */
  public static async start(database: string): Promise<StatementCounter> {
    const { hostname, port } = new URL(database);
    const server = createServer();
    const counter = new StatementCounter(server, database);
    server.on('connection', (client): void => {
      const upstream = connect(Number(port), hostname);
      const messages = new Messages((text): void => {
        counter.noted.push(text);
      });
      client.on('data', (bytes): void => messages.add(bytes));
      client.pipe(upstream).pipe(client);
      client.on('error', (): unknown => upstream.destroy()).on('close', (): unknown => upstream.destroy());
      upstream.on('error', (): unknown => client.destroy()).on('close', (): unknown => client.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return counter;
  }

  /** URL of the same database through the counter. */
  public get url(): string {
    const url = new URL(this.database);
    const address = this.server.address();
    url.hostname = '127.0.0.1';
    url.port = String(typeof address === 'object' && address ? address.port : 0);
    return url.href;
  }

  /** Texts of the statements that run while work is done. */
  public async during(work: () => Promise<unknown>): Promise<string[]> {
    const before = this.noted.length;
    await work();
    return this.noted.slice(before);
  }

  /**
   * Returns the least number of statements with a text in one run, of as many runs as it takes to find one, up to ten.
   * Background work of the server can only add to a run, and on a slow machine it does to several.
   *
   * @param text - Text of the statements that count.
   * @param work - Done in each run.
   * @param undo - Undoes a run, so that the next one does the same.
   */
  public async fewestDuring(
    text: RegExp,
    work: () => Promise<unknown>,
    undo?: () => Promise<unknown>,
  ): Promise<number> {
    let fewest = Infinity;
    for (let run = 0; run < 10 && fewest > 1; run += 1) {
      const statements = await this.during(work);
      fewest = Math.min(fewest, statements.filter((statement): boolean => text.test(statement)).length);
      await undo?.();
    }
    return fewest;
  }

  public async stop(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Bytes that a client sends on one connection. */
class Messages {
  private pending = Buffer.alloc(0);
  private isStarted = false;
  /** Texts of prepared statements by name. */
  private readonly prepared = new Map<string, string>();

  public constructor(private readonly note: (text: string) => void) {}

  public add(bytes: Buffer): void {
    this.pending = Buffer.concat([ this.pending, bytes ]);
    // All messages but the first begin with their type, which their length does not count.
    for (;;) {
      const typeBytes = this.isStarted ? 1 : 0;
      if (this.pending.length < typeBytes + lengthBytes) {
        return;
      }
      const length = typeBytes + this.pending.readInt32BE(typeBytes);
      if (this.pending.length < length) {
        return;
      }
      if (this.isStarted) {
        this.read(this.pending.toString('latin1', 0, 1), this.pending.toString('utf8', 1 + lengthBytes, length));
      }
      this.isStarted = true;
      this.pending = this.pending.subarray(length);
    }
  }

  private read(type: string, content: string): void {
    const [ first, second ] = content.split('\0', 2);
    if (type === 'Q') {
      this.note(first);
    } else if (type === 'P') {
      this.prepared.set(first, second);
    } else if (type === 'B') {
      this.note(this.prepared.get(second) ?? second);
    }
  }
}
