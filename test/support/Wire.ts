import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { freePort } from '../../demo/lib/freePort';

/** A connection to a server that a test can cut or stall. */
export class Wire {
  private readonly pairs = new Set<[Socket, Socket]>();
  private isStalled = false;
  private left = Infinity;
  private server?: Server;
  private port?: number;

  /**
   * @param target - URL of the server.
   * @param defaultPort - Used if the URL has none.
   */
  public constructor(private readonly target: URL, private readonly defaultPort: number) {}

  /** Starts to forward, also after a cut. */
  public async mend(): Promise<void> {
    this.isStalled = false;
    this.left = Infinity;
    for (const [ near, far ] of this.pairs) {
      join(near, far);
    }
    if (!this.server) {
      // The same port after each cut: outgoing connections do not use such ports.
      this.port ??= await freePort();
      this.server = createServer((near): void => this.carry(near)).listen(this.port, 'localhost');
      await once(this.server, 'listening');
    }
  }

  /** Closes all connections, and refuses new ones. */
  public async cut(): Promise<void> {
    if (this.server) {
      const closed = once(this.server, 'close');
      this.server.close();
      for (const socket of [ ...this.pairs ].flat()) {
        socket.destroy();
      }
      await closed;
      this.server = undefined;
    }
  }

  /** Closes all connections after this many more chunks from the client. */
  public cutAfter(pieces: number): void {
    this.left = pieces;
  }

  /** Keeps all connections, and accepts new ones, but forwards nothing. */
  public stall(): void {
    this.isStalled = true;
    for (const socket of [ ...this.pairs ].flat()) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** URL of the server through this connection. */
  public get url(): string {
    const url = new URL(this.target);
    url.hostname = 'localhost';
    url.port = String(this.port);
    return url.href;
  }

  private carry(near: Socket): void {
    const far = connect(Number(this.target.port || this.defaultPort), this.target.hostname);
    const pair: [Socket, Socket] = [ near, far ];
    this.pairs.add(pair);
    for (const [ socket, other ] of [ pair, [ far, near ]]) {
      socket.on('error', (): unknown => other.destroy());
      socket.on('close', (): void => {
        this.pairs.delete(pair);
        other.destroy();
      });
    }
    near.prependListener('data', (): void => {
      this.left -= 1;
      if (this.left === 0) {
        this.cut().catch((): undefined => undefined);
      }
    });
    if (!this.isStalled) {
      join(near, far);
    }
  }
}

function join(near: Socket, far: Socket): void {
  near.pipe(far);
  far.pipe(near);
}
