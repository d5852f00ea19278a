import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own, which can be full. */
export interface SmallDisk {
  /** For a server. */
  folder: string;
  /** Writes until there is no room for another byte. */
  fill: () => void;
  /** Takes away what filled it. */
  makeRoom: () => void;
  remove: () => void;
}

/** Mounts a small disk in memory. Answers none where that is not allowed, which takes root. */
export function mountSmallDisk(): SmallDisk | undefined {
  const mounted = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', [ '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', mounted ], { stdio: 'ignore' });
  } catch {
    rmSync(mounted, { recursive: true });
    return;
  }
  const filler = join(mounted, 'filler');
  const folder = join(mounted, 'server');
  mkdirSync(folder);
  return {
    folder,
    fill: (): void => writeToTheEnd(filler),
    makeRoom: (): void => rmSync(filler, { force: true }),
    remove(): void {
      execFileSync('umount', [ '--lazy', mounted ]);
      rmSync(mounted, { recursive: true });
    },
  };
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
  try {
    while (writeSync(file, bytes) > 0) {
      // There is still room.
    }
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') {
      throw error;
    }
  }
}
