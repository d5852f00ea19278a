import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate disk that can be filled. */
export interface SmallDisk {
  /** Folder for a server. */
  folder: string;
  /** Writes until not another byte fits. */
  fill: () => void;
  /** Creates files until no other fits. */
  useUpFiles: () => void;
  /** Removes what filled it. */
  makeRoom: () => void;
  remove: () => void;
}

/** Mounts a small disk in memory. Returns undefined where that is not allowed; it takes root. */
export function mountSmallDisk(): SmallDisk | undefined {
  const mounted = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', [ '-t', 'tmpfs', '-o', 'size=64m,nr_inodes=20000', 'tmpfs', mounted ], { stdio: 'ignore' });
  } catch {
    rmSync(mounted, { recursive: true });
    return;
  }
  const filler = join(mounted, 'filler');
  const many = join(mounted, 'many');
  const folder = join(mounted, 'server');
  mkdirSync(folder);
  return {
    folder,
    fill: (): void => writeToTheEnd(filler),
    useUpFiles: (): void => makeFiles(many),
    makeRoom(): void {
      rmSync(filler, { force: true });
      rmSync(many, { recursive: true, force: true });
    },
    remove(): void {
      execFileSync('umount', [ '--lazy', mounted ]);
      rmSync(mounted, { recursive: true });
    },
  };
}

function makeFiles(folder: string): void {
  mkdirSync(folder);
  untilFull((): void => {
    for (let number = 0; ; number += 1) {
      closeSync(openSync(join(folder, String(number)), 'wx'));
    }
  });
}

function writeToTheEnd(name: string): void {
  const file = openSync(name, 'a');
  try {
    for (const size of [ 1 << 20, 1 << 12, 1 ]) {
      writeUntilItFails(file, Buffer.alloc(size));
    }
  } finally {
    closeSync(file);
  }
}

function writeUntilItFails(file: number, bytes: Buffer): void {
  untilFull((): void => {
    while (writeSync(file, bytes) > 0) {
      // There is still space.
    }
  });
}

function untilFull(work: () => void): void {
  try {
    work();
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') {
      throw error;
    }
  }
}
