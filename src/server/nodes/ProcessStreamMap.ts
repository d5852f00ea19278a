import { WrappedSetMultiMap } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';

/** Operations on a stream. */
interface Endable {
  end: () => void;
}

/** Open notification streams of this process. Every process receives all changes. */
export class ProcessStreamMap extends WrappedSetMultiMap<string, Endable> implements Finalizable {
  public constructor() {
    super();
  }

  /** Ends all streams, which would otherwise keep the server from stopping. */
  public async finalize(): Promise<void> {
    for (const stream of new Set(this.values())) {
      stream.end();
    }
  }
}
