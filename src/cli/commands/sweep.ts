import { setTimeout } from 'node:timers/promises';
import { beginSweep } from '../../operations/beginSweep';
import type { Sweep } from '../../resources/SweepStore';
import type { Command } from './Command';
import { exitCodes, UsageError } from './Command';
import { findValue } from './options';

function inWords({ failed, marked, pods, removed }: Sweep): string {
  return `Pods: ${pods}. Removed, as nothing on record knew them: ${removed}. ` +
    `Shares marked as gone, or as there again: ${marked}. Failed: ${failed}.`;
}

/** Compares all pods with the records now. */
export const sweep: Command = {
  name: 'sweep',
  summary: 'Compares shared data in all pods with the records now, as is done by itself about once a day.',
  details: `A serving process does it, and the command waits for it. Removed is what stands in the place of shared data
and was never shared, and what there is of pods that were erased. Shares whose data is gone are marked so.
Exits with ${exitCodes.finding} when it is not done in time, or a pod could not be looked at: the log says why.`,
  options: { wait: { value: 'seconds', describe: 'How long to wait until it is done. Default: 600.' }},
  run: async(call): Promise<number | undefined> => {
    const seconds = Number(findValue(call, 'wait') ?? 600);
    if (!(seconds >= 0)) {
      throw new UsageError('--wait must be a number of seconds');
    }
    const { records } = await call.open();
    await beginSweep(records, call);
    const deadline = call.now().getTime() + (seconds * 1000);
    for (;;) {
      const found = (await records.sweeps.find())!;
      if (found.endedAt) {
        await call.print(inWords(found));
        return found.failed > 0 ? exitCodes.finding : undefined;
      }
      if (call.now().getTime() >= deadline) {
        await call.print(`It has begun, and goes on while a server runs. ${inWords(found)}`);
        return exitCodes.finding;
      }
      await setTimeout(200);
    }
  },
};
