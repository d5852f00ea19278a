import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FolderIndex } from '../../../../src/server/files/FolderIndex';
import { isMarked } from '../../../../src/server/files/MarkedFiles';
import { letTimePass } from '../../../support/letTimePass';
import { array, assert, asyncProperty, boolean, constantFrom, record } from '../../../support/properties';
import { removeFolder, temporaryFolder } from '../../../support/world';

const names = [ 'a', 'b', 'a$.x' ];
const files = names.flatMap((name): string[] => [ `${name}$.ttl`, `${name}$.jsonld` ]);
/** Milliseconds for which a file of another process may be missed. */
const missedMs = 100;
const hourMs = 3_600_000;

let readings = 0;
/** Keeps lists back that were read already. */
let held: Promise<void> | undefined;

jest.mock<typeof import('node:fs/promises')>('node:fs/promises', (): typeof import('node:fs/promises') => {
  const actual = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
  return { ...actual, readdir: (async(path: string): Promise<string[]> => {
    readings += 1;
    const read = readdirSync(path);
    await held;
    return read;
  }) as typeof actual.readdir };
});

/** A step of this process, or of another one. */
interface Step {
  does: 'act' | 'begin' | 'change' | 'end' | 'foreign' | 'look' | 'pass' | 'read';
  deed: 'add' | 'move' | 'remove';
  file: string;
  target: string;
  name: string;
  /** Milliseconds that pass. */
  ms: number;
}

const step = record<Step>({
  does: constantFrom<Step['does']>(
    'act',
    'begin',
    'change',
    'change',
    'end',
    'foreign',
    'look',
    'look',
    'look',
    'pass',
    'read',
  ),
  deed: constantFrom<Step['deed']>('add', 'add', 'move', 'remove'),
  file: constantFrom(...files),
  target: constantFrom(...files),
  name: constantFrom(...names),
  ms: constantFrom(1, 60, missedMs + 1),
});

/** A change of this process that is under way. */
interface Change {
  step: Step;
  end: () => void;
  done: Promise<void>;
}

/** A folder that is changed from here and from elsewhere, and what may be found in it. */
class Model {
  public readonly index: FolderIndex;
  private now: number;
  /** Files of other processes that may be missed, and when they were added. */
  private readonly foreign = new Map<string, number>();
  private readonly changes: Change[] = [];
  private readonly reads: Promise<unknown>[] = [];
  private release?: () => void;

  /**
   * @param folder - The folder.
   * @param isTimely - Whether each change gives the folder another time, which the clock shows to be old at once.
   */
  public constructor(private readonly folder: string, private readonly isTimely: boolean) {
    this.now = Date.now() + (isTimely ? hourMs : -hourMs);
    this.index = new FolderIndex({ now: (): Date => new Date(this.now) });
    this.index.trustOwnChanges();
  }

  public async take(each: Step): Promise<void> {
    const steps: Record<Step['does'], () => Promise<void> | void> = {
      act: (): void => this.act(this.changes[0]?.step),
      begin: (): void => this.begin(each),
      change: async(): Promise<void> => this.index.change(this.pathsOf(each), async(): Promise<void> => this.act(each)),
      end: async(): Promise<void> => this.end(),
      foreign: (): void => this.actElsewhere(each),
      look: async(): Promise<void> => this.look(each.name),
      pass: (): void => {
        this.now += each.ms;
      },
      read: (): void => this.read(each.name),
    };
    await steps[each.does]();
  }

  public async finish(): Promise<void> {
    while (this.changes.length > 0) {
      await this.end();
    }
    this.now += missedMs + 1;
    for (const name of names) {
      await this.look(name);
    }
  }

  private begin(each: Step): void {
    const ends: (() => void)[] = [];
    const ended = new Promise<void>((resolve): void => {
      ends.push(resolve);
    });
    const done = this.index.change(this.pathsOf(each), async(): Promise<void> => ended);
    this.changes.push({ step: each, end: ends[0], done });
  }

  private async end(): Promise<void> {
    const change = this.changes.shift();
    change?.end();
    await change?.done;
  }

  private act({ deed, file, target }: Step | undefined = { deed: 'remove', file: 'none' } as Step): void {
    const path = join(this.folder, file);
    if (this.isTimely) {
      letTimePass(this.folder);
    }
    if (deed === 'add') {
      writeFileSync(path, '');
      this.foreign.delete(file);
    } else if (deed === 'remove') {
      rmSync(path, { force: true });
    } else if (readdirSync(this.folder).includes(file)) {
      renameSync(path, join(this.folder, target));
      this.foreign.delete(target);
    }
  }

  private actElsewhere(each: Step): void {
    const before = readdirSync(this.folder);
    const known = new Map(this.foreign);
    this.act(each);
    for (const [ file, at ] of known) {
      this.foreign.set(file, at);
    }
    // Without a change under way, and with another time, a change of others is seen at once.
    for (const file of readdirSync(this.folder).filter((one): boolean => !before.includes(one))) {
      if (!this.isTimely || this.changes.length > 0) {
        this.foreign.set(file, this.now);
      }
    }
  }

  /** Starts a look-up; a list that it reads is kept back until the next one. */
  private read(name: string): void {
    if (!this.release) {
      held = new Promise((resolve): void => {
        this.release = resolve;
      });
      this.reads.push(this.index.find(this.folder, name));
    }
  }

  private async look(name: string): Promise<void> {
    this.release?.();
    this.release = undefined;
    held = undefined;
    await Promise.all(this.reads.splice(0));
    const found = await this.index.find(this.folder, name);
    const there = readdirSync(this.folder).filter((file): boolean => isMarked(file, name));
    const mayBeMissed = [ ...this.foreign.values() ].some((at): boolean => this.now - at <= missedMs);
    const others = there.filter((file): boolean => !this.foreign.has(file));
    const mayBeNone = mayBeMissed && others.length === 0;
    const isRight = found === there[0] || (found === undefined ? mayBeNone : mayBeMissed && there.includes(found));
    if (!isRight) {
      throw new Error(`Found ${found} of ${there.join(', ')}`);
    }
  }

  private pathsOf({ deed, file, target }: Step): string[] {
    return (deed === 'move' ? [ file, target ] : [ file ]).map((one): string => join(this.folder, one));
  }
}

describe('Changes of a process that is the only user of a folder', (): void => {
  let root: string;
  let folder: string;

  beforeAll(async(): Promise<void> => {
    root = await temporaryFolder();
    folder = join(root, 'large');
    mkdirSync(folder);
    for (let index = 0; index < 300; index += 1) {
      writeFileSync(join(folder, `${'filler'.repeat(10)}${index}$.ttl`), '');
    }
  });

  beforeEach((): void => {
    for (const file of files) {
      rmSync(join(folder, file), { force: true });
    }
    readings = 0;
    held = undefined;
  });

  afterAll(async(): Promise<void> => {
    await removeFolder(root);
  });

  it('are found at once, and those of others soon, in any order.', async(): Promise<void> => {
    const manySteps = array(step, { minLength: 10, maxLength: 60, size: 'max' });
    await assert(asyncProperty(boolean(), manySteps, async(isTimely, steps): Promise<void> => {
      for (const file of files) {
        rmSync(join(folder, file), { force: true });
      }
      const model = new Model(folder, isTimely);
      for (const each of steps) {
        await model.take(each);
      }
      await model.finish();
    }), { numRuns: 100 });
  });

  it('do not make the folder be read again until a file of others could be missed.', async(): Promise<void> => {
    let now = Date.now() - hourMs;
    const index = new FolderIndex({ now: (): Date => new Date(now) });
    index.trustOwnChanges();
    async function write(name: string): Promise<void> {
      const path = join(folder, `${name}$.ttl`);
      await index.change([ path ], async(): Promise<void> => writeFileSync(path, ''));
      await expect(index.find(folder, name)).resolves.toBe(`${name}$.ttl`);
      await expect(index.find(folder, `${name}.acl`)).resolves.toBeUndefined();
    }
    for (let count = 0; count < 50; count += 1) {
      await write(`a${count % 2}`);
    }
    expect(readings).toBe(1);
    now += missedMs + 1;
    await write('a0');
    await write('a1');
    expect(readings).toBe(2);
    now -= 1000;
    await write('a0');
    expect(readings).toBe(3);
    rmSync(join(folder, 'a0$.ttl'));
    rmSync(join(folder, 'a1$.ttl'));
  });

  it('are found through a link, and when made through one.', async(): Promise<void> => {
    const link = join(root, 'link');
    symlinkSync(folder, link);
    const index = new FolderIndex({ now: (): Date => new Date(Date.now() - hourMs) });
    index.trustOwnChanges();
    for (const [ place, file ] of [[ folder, 'a$.ttl' ], [ link, 'b$.ttl' ], [ folder, 'a$.x$.ttl' ]]) {
      await index.change([ join(place, file) ], async(): Promise<void> => writeFileSync(join(place, file), ''));
      for (const other of [ folder, link ]) {
        await expect(index.find(other, file.slice(0, -5))).resolves.toBe(file);
      }
    }
  });

  it('are limited in number, after which the folder is read again.', async(): Promise<void> => {
    const index = new FolderIndex({ now: (): Date => new Date(Date.now() - hourMs) });
    index.trustOwnChanges();
    for (let count = 0; count < 600; count += 1) {
      const path = join(folder, `many${count}$.ttl`);
      await index.change([ path ], async(): Promise<void> => writeFileSync(path, ''));
      await expect(index.find(folder, `many${count}`)).resolves.toBe(`many${count}$.ttl`);
    }
    expect(readings).toBeGreaterThan(2);
    for (let count = 0; count < 600; count += 1) {
      rmSync(join(folder, `many${count}$.ttl`));
    }
  });

  it('make a folder be read at each call if others may change it, too.', async(): Promise<void> => {
    const index = new FolderIndex({ now: (): Date => new Date(Date.now() - hourMs) });
    const path = join(folder, 'a$.ttl');
    await index.change([ path ], async(): Promise<void> => writeFileSync(path, ''));
    await index.find(folder, 'a');
    await index.find(folder, 'a');
    expect(readings).toBe(2);
  });
});
