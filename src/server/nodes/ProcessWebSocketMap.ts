import { WrappedSetMultiMap } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';

/** Operations on a WebSocket. */
interface Closable {
  readonly readyState: number;
  close: (code: number) => void;
}

/** State of a WebSocket that has closed. */
const closed = 3;
/** RFC 6455: the server is going down. */
const goingAway = 1001;

/** Open WebSockets of this process. Every process receives all changes. */
export class ProcessWebSocketMap extends WrappedSetMultiMap<string, Closable> implements Finalizable {
  public constructor() {
    super();
  }

  /** Adds WebSockets that are not closed: one that has closed already would never be removed. */
  public override add(id: string, added: Closable | ReadonlySet<Closable>): this {
    // TypeScript does not narrow a read-only set by its class.
    const all = added instanceof Set ? added as ReadonlySet<Closable> : [ added as Closable ];
    for (const socket of all) {
      if (socket.readyState !== closed) {
        super.add(id, socket);
      }
    }
    return this;
  }

  /** Closes all WebSockets, which would otherwise keep the server from stopping. */
  public async finalize(): Promise<void> {
    for (const socket of new Set(this.values())) {
      socket.close(goingAway);
    }
  }
}
