import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { tooBusy } from '../tooBusy';

/** Values as text, by the names under which they are stored. */
export interface Texts {
  get: (name: string) => Promise<string | undefined>;
  set: (name: string, text: string) => Promise<void>;
  /** Returns true when the value existed. */
  delete: (name: string) => Promise<boolean>;
}

/** Values as of one moment; `undefined` for missing ones. */
export type TextsAtOnce = ReadonlyMap<string, string | undefined>;

/** A storage whose values can change together. */
export interface ValueRoom extends Texts {
  /**
   * Writes and removes values, all or none.
   *
   * @param seen - Values that must still be stored.
   * @param written - New values.
   *
   * @returns False, without any change, when the stored values differ from `seen`.
   */
  replace: (seen: TextsAtOnce, written: TextsAtOnce) => Promise<boolean>;
}

const changes = new AsyncLocalStorage<ValueChange>();
/** Maximum attempts for a change that is overtaken. */
const maxAttempts = 10;
const pauseMs = 20;

/** Values that a change has read, and those that it will write. */
class ValueChange {
  public isOver = false;
  private readonly seen = new Map<string, string | undefined>();
  private readonly written = new Map<string, string | undefined>();
  private room?: ValueRoom;

  /** Returns the values of a storage as changed so far. */
  public on(room: ValueRoom): Texts {
    return {
      get: async(name): Promise<string | undefined> => this.get(room, name),
      set: async(name, text): Promise<void> => this.write(room, name, text),
      delete: async(name): Promise<boolean> => {
        const existed = await this.get(room, name) !== undefined;
        this.write(room, name);
        return existed;
      },
    };
  }

  /** Writes the values; returns false, without any change, when it was overtaken. */
  public async takePlace(): Promise<boolean> {
    return this.room === undefined || this.room.replace(this.seen, this.written);
  }

  private async get(room: ValueRoom, name: string): Promise<string | undefined> {
    if (!this.written.has(name) && !this.seen.has(name)) {
      const text = await room.get(name);
      // Keep the value that was read first.
      this.seen.set(name, this.seen.has(name) ? this.seen.get(name) : text);
    }
    return (this.written.has(name) ? this.written : this.seen).get(name);
  }

  private write(room: ValueRoom, name: string, text?: string): void {
    this.room = room;
    this.written.set(name, text);
  }
}

/** Returns the values of a storage within the current change. Timers started by the change are not part of it. */
export function throughChange(room: ValueRoom): Texts {
  const change = changes.getStore();
  return change && !change.isOver ? change.on(room) : room;
}

/**
 * Makes an atomic change of the server's own values: the values that it read are compared when it writes, and if
 * another process was faster, the work is repeated on the new values. So a process that was frozen, or lost its locks,
 * overwrites nothing. A nested change is part of the outer one.
 *
 * @param work - Reads and writes values of one storage; its other effects must be repeatable.
 *
 * @throws HttpError 503, without any change, when it was overtaken too often.
 */
export async function changingValues<T>(work: () => Promise<T>): Promise<T> {
  const outer = changes.getStore();
  if (outer && !outer.isOver) {
    return work();
  }
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const change = new ValueChange();
    const result = await changes.run(change, work).finally((): void => {
      change.isOver = true;
    });
    if (await change.takePlace()) {
      return result;
    }
    await setTimeout(Math.random() * pauseMs * attempt);
  }
  throw tooBusy('The same values were changed elsewhere at the same time.');
}
