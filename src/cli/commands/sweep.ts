import { setTimeout } from 'node:timers/promises';
import { beginSweep } from '../../operations/beginSweep';
import type { Sweep } from '../../resources/SweepStore';
import type { Command } from './Command';
import { exitCodes, UsageError } from './Command';
import { findValue } from './options';

function inWords({ failed, marked, pods, removed }: Sweep): string {
  return `Pods: ${pods}. Removed, as they are not on record: ${removed}. ` +
    `Shares marked as gone or back: ${marked}. Failed: ${failed}.`;
}

/** Compares all pods with the records now. */
export const sweep: Command = {
  name: 'sweep',
  summary: 'Compares shared data in all pods with the records now, not only once a day.',
  details: `A running server does it, and the command waits for it. It removes resources with names of shared data
that were never shared, and remains of erased pods, and marks shares whose data is gone.
Exits with ${exitCodes.finding} if it is not done in time, or if a pod could not be read: the log says
why.`,
  options: { wait: { value: 'seconds', describe: 'Maximum time to wait for the result. Default: 600.' }},
  run: async(call): Promise<number | undefined> => {
    const seconds = Number(findValue(call, 'wait') ?? 600);
    if (!(seconds >= 0)) {
      throw new UsageError('--wait must be a number of seconds');
    }
    const { records } = await call.open();
    await beginSweep(records, call);
    const deadline = call.now().getTime() + (seconds * 1000);
    for (;;) {
      // Begun above.
      const found = (await records.sweeps.find())!;
      if (found.endedAt) {
        await call.print(inWords(found));
        return found.failed > 0 ? exitCodes.finding : undefined;
      }
      if (call.now().getTime() >= deadline) {
        await call.print(`It has begun, and continues while a server runs. ${inWords(found)}`);
        return exitCodes.finding;
      }
      await setTimeout(200);
    }
  },
};
