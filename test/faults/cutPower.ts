import { existsSync } from 'node:fs';
import { cp, rename, rm, truncate } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Step } from './KillableServer';

/**
 * Reduces what a server wrote to the worst outcome of a power cut: contents that were not flushed are empty, and
 * created, changed or removed names are as before unless their folder was flushed since.
 *
 * Leaves the database alone: SQLite flushes by itself, in no visible step; see `powerCutRecords.test.ts`.
 *
 * @param steps - All steps since everything was on the disk, with copies of replaced and removed files.
 */
export async function cutPower(steps: Step[]): Promise<void> {
  for (const [ index, step ] of [ ...steps.entries() ].reverse()) {
    const after = steps.slice(index + 1);
    if (changesName(step) && !isFlushed(dirname(nameOf(step)), after)) {
      await takeBack(step);
    } else if (step.call === 'rename' && !isContentFlushed(step.path, steps.slice(0, index))) {
      await emptyIfThere(nameOf(step));
    }
  }
  for (const [ index, step ] of steps.entries()) {
    if (step.call.startsWith('write') && !isMoved(step.path, steps) && !isFlushed(step.path, steps.slice(index + 1))) {
      await emptyIfThere(step.path);
    }
  }
}

/** Returns the name that a step creates, changes or removes. */
function nameOf({ path, to }: Step): string {
  return resolve(to ?? path);
}

function changesName({ call, isNew }: Step): boolean {
  return [ 'mkdir', 'rename', 'rm', 'rmdir', 'unlink' ].includes(call) || (call === 'open' && isNew === true);
}

function isFlushed(path: string, after: Step[]): boolean {
  return after.some((step): boolean => step.isFlush === true && resolve(step.path) === resolve(path));
}

function isContentFlushed(path: string, before: Step[]): boolean {
  const lastWrite = before.findLastIndex((step): boolean => step.call.startsWith('write') && step.path === path);
  return lastWrite < 0 || isFlushed(path, before.slice(lastWrite + 1));
}

function isMoved(path: string, steps: Step[]): boolean {
  return steps.some((step): boolean => step.call === 'rename' && step.path === path);
}

async function takeBack(step: Step): Promise<void> {
  const name = nameOf(step);
  if (step.call === 'rename' && existsSync(name) && existsSync(dirname(step.path))) {
    await rename(name, step.path);
  }
  await rm(name, { recursive: true, force: true });
  // Not in a folder that is gone permanently.
  if (step.kept && existsSync(dirname(name))) {
    await cp(step.kept, name, { recursive: true });
  }
}

async function emptyIfThere(path: string): Promise<void> {
  if (existsSync(path)) {
    await truncate(path, 0);
  }
}
