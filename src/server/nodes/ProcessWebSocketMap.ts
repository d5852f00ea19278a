import { WrappedSetMultiMap } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';

/** Operations on a WebSocket. */
interface Closable {
  close: (code: number) => void;
}

/** RFC 6455: the server is going down. */
const goingAway = 1001;

/** Open WebSockets of this process. Every process receives all changes. */
export class ProcessWebSocketMap extends WrappedSetMultiMap<string, Closable> implements Finalizable {
  public constructor() {
    super();
  }

  /** Closes all WebSockets, which would otherwise keep the server from stopping. */
  public async finalize(): Promise<void> {
    for (const socket of new Set(this.values())) {
      socket.close(goingAway);
    }
  }
}
