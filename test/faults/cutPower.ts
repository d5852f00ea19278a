import { existsSync } from 'node:fs';
import { cp, rename, rm, truncate } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Step } from './KillableServer';

/**
 * Leaves of what a server wrote what a power cut could leave at worst: contents that were not flushed are empty, and
 * names that were made, changed or removed are as before unless their folder was flushed since.
 *
 * The database is left alone: SQLite flushes by itself, which no step shows; `powerCutRecords.test.ts` cuts its power.
 *
 * @param steps - All since a moment when everything was on the disk, with copies of what was replaced or removed.
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

/** The name that a step makes, changes or removes. */
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
  // Not in a folder that is itself gone for good.
  if (step.kept && existsSync(dirname(name))) {
    await cp(step.kept, name, { recursive: true });
  }
}

async function emptyIfThere(path: string): Promise<void> {
  if (existsSync(path)) {
    await truncate(path, 0);
  }
}
