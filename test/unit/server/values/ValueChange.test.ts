import type { TextsAtOnce, ValueRoom } from '../../../../src/server/values/ValueChange';
import { changingValues, throughChange } from '../../../../src/server/values/ValueChange';

/** Values in memory. */
class MemoryRoom implements ValueRoom {
  public readonly stored = new Map<string, string>();
  /** Actions of others just before a change takes effect. */
  public before = (): void => undefined;

  public async get(name: string): Promise<string | undefined> {
    return this.stored.get(name);
  }

  public async set(name: string, text: string): Promise<void> {
    this.stored.set(name, text);
  }

  public async delete(name: string): Promise<boolean> {
    return this.stored.delete(name);
  }

  public async replace(seen: TextsAtOnce, written: TextsAtOnce): Promise<boolean> {
    this.before();
    if ([ ...seen ].some(([ name, text ]): boolean => this.stored.get(name) !== text)) {
      return false;
    }
    for (const [ name, text ] of written) {
      if (text === undefined) {
        this.stored.delete(name);
      } else {
        this.stored.set(name, text);
      }
    }
    return true;
  }
}

describe('A change of values', (): void => {
  let room: MemoryRoom;

  beforeEach((): void => {
    room = new MemoryRoom();
  });

  async function add(name: string, what: string): Promise<string> {
    return changingValues(async(): Promise<string> => {
      const texts = throughChange(room);
      const text = `${await texts.get(name) ?? ''}${what}`;
      await texts.set(name, text);
      return text;
    });
  }

  it('takes effect at its end, and sees itself before.', async(): Promise<void> => {
    await room.set('gone', 'before');
    await changingValues(async(): Promise<void> => {
      const texts = throughChange(room);
      await texts.set('new', 'text');
      await expect(texts.get('new')).resolves.toBe('text');
      await expect(texts.delete('gone')).resolves.toBe(true);
      await expect(texts.delete('gone')).resolves.toBe(false);
      await expect(texts.get('gone')).resolves.toBeUndefined();
      expect([ ...room.stored ]).toEqual([[ 'gone', 'before' ]]);
    });
    expect([ ...room.stored ]).toEqual([[ 'new', 'text' ]]);
  });

  it('is repeated if it was overtaken.', async(): Promise<void> => {
    room.before = (): void => {
      room.before = (): void => undefined;
      room.stored.set('list', 'theirs ');
    };
    await expect(add('list', 'ours')).resolves.toBe('theirs ours');
    expect(room.stored.get('list')).toBe('theirs ours');
  });

  it('depends on everything it has read, written or not.', async(): Promise<void> => {
    const seen: unknown[] = [];
    room.before = (): void => {
      room.before = (): void => undefined;
      room.stored.set('limit', 'reached');
    };
    await changingValues(async(): Promise<void> => {
      seen.push(await throughChange(room).get('limit'));
      await throughChange(room).set('new', 'text');
    });
    expect(seen).toEqual([ undefined, 'reached' ]);
  });

  it('is refused if it is overtaken again and again, and changes nothing.', async(): Promise<void> => {
    room.before = (): void => {
      room.stored.set('list', `${room.stored.get('list') ?? ''}+`);
    };
    await expect(add('list', 'ours')).rejects.toMatchObject({ statusCode: 503 });
    expect(room.stored.get('list')).toMatch(/^\++$/u);
  });

  it('changes nothing if its work fails.', async(): Promise<void> => {
    await expect(changingValues(async(): Promise<void> => {
      await throughChange(room).set('new', 'text');
      throw new Error('failed');
    })).rejects.toThrow('failed');
    expect(room.stored.size).toBe(0);
  });

  it('includes nested ones.', async(): Promise<void> => {
    await expect(changingValues(async(): Promise<void> => {
      await add('list', 'one ');
      await add('list', 'two ');
      expect(room.stored.size).toBe(0);
      throw new Error('failed');
    })).rejects.toThrow('failed');
    expect(room.stored.size).toBe(0);
  });

  it('does not include the work of a timer that it started.', async(): Promise<void> => {
    const later = await changingValues(async(): Promise<() => Promise<void>> => {
      let fire!: () => void;
      const fired = new Promise<void>((resolve): void => {
        fire = resolve;
      });
      const work = fired.then(async(): Promise<void> => throughChange(room).set('late', 'text'));
      return async(): Promise<void> => {
        fire();
        return work;
      };
    });
    await later();
    expect(room.stored.get('late')).toBe('text');
  });
});
