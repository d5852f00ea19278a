import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { tooBusy } from '../tooBusy';

/** Values as text, by the names under which they are stored. */
export interface Texts {
  get: (name: string) => Promise<string | undefined>;
  set: (name: string, text: string) => Promise<void>;
  /** Returns whether there was one. */
  delete: (name: string) => Promise<boolean>;
}

/** The same at one moment; `undefined` where there is none. */
export type TextsAtOnce = ReadonlyMap<string, string | undefined>;

/** Where values are stored that can change together. */
export interface ValueRoom extends Texts {
  /**
   * Writes and removes values, all or none.
   *
   * @param seen - What must still be stored.
   * @param written - New value.
   *
   * @returns False when something else is stored than was seen: then nothing has changed.
   */
  replace: (seen: TextsAtOnce, written: TextsAtOnce) => Promise<boolean>;
}

const changes = new AsyncLocalStorage<ValueChange>();
/** Maximum attempts of a change that others overtake. */
const maxAttempts = 10;
const pauseMs = 20;

/** Values that a change has read, and those that it is going to write. */
class ValueChange {
  public isOver = false;
  private readonly seen = new Map<string, string | undefined>();
  private readonly written = new Map<string, string | undefined>();
  private room?: ValueRoom;

  /** The values of a room as this change leaves them. */
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

  /** Returns false when it was overtaken, and has changed nothing. */
  public async takePlace(): Promise<boolean> {
    return this.room === undefined || this.room.replace(this.seen, this.written);
  }

  private async get(room: ValueRoom, name: string): Promise<string | undefined> {
    if (!this.written.has(name) && !this.seen.has(name)) {
      const text = await room.get(name);
      // The first value found counts.
      this.seen.set(name, this.seen.has(name) ? this.seen.get(name) : text);
    }
    return (this.written.has(name) ? this.written : this.seen).get(name);
  }

  private write(room: ValueRoom, name: string, text?: string): void {
    this.room = room;
    this.written.set(name, text);
  }
}

/** The values of a room, by way of the change that is being made; timers that one has started are no part of it. */
export function throughChange(room: ValueRoom): Texts {
  const change = changes.getStore();
  return change && !change.isOver ? change.on(room) : room;
}

/**
 * Makes an atomic change of the server's own values: the values that it read are compared when it writes, and if
 * another process was faster, the work is done anew on the new values. So a process that was frozen, or lost its locks,
 * undoes nothing. A change within a change is part of it.
 *
 * @param work - Reads and writes values of one room, and has no other effect that can't be repeated.
 *
 * @throws HttpError 503 when it was overtaken again and again: nothing has changed then.
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
