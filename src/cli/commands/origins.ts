import { setTimeout } from 'node:timers/promises';
import { Refused } from '../../operations/Refused';
import { originInvalidSince } from '../../personal-data/invalidity';
import type { Share, ShareStore } from '../../personal-data/ShareStore';
import { findResourceUri } from '../../pods/resourceUri';
import type { Command, CommandCall } from './Command';
import { exitCodes, UsageError } from './Command';
import { findValue } from './options';

/** Returns the fault of a share; `undefined` when it has none. */
function problemOf(share: Share, now: Date): string | undefined {
  const since = originInvalidSince(share, now);
  if (since) {
    const reason = share.invalidReason ?? 'expired';
    return `It has been invalid, and copies of it due for deletion, since ${since.toISOString()} (${reason}).`;
  }
  return share.absentAt && `It has been missing from the pod since ${share.absentAt.toISOString()}.`;
}

async function getShare({ operands: [ resource ] }: CommandCall, { shares }: { shares: ShareStore }): Promise<Share> {
  const uri = URL.canParse(resource) ? findResourceUri(resource, resource) : undefined;
  const share = uri && await shares.findByResource(uri);
  if (!share) {
    throw new Refused('There is no shared data at this URI.');
  }
  return share;
}

/** Schedules an immediate check of a share at its origin. */
export const originsCheck: Command = {
  name: 'origins check',
  summary: 'Checks a shared credential at its origin now, not only once per --originChecks.',
  details: `A running server does it within seconds, and the command waits for it. Exits with ${exitCodes.finding} if
the credential is not valid, or if that is unknown because its origin cannot be reached.`,
  operands: [ 'resource' ],
  options: { wait: { value: 'seconds', describe: 'Maximum time to wait for the result. Default: 30.' }},
  run: async(call): Promise<number | undefined> => {
    const seconds = Number(findValue(call, 'wait') ?? 30);
    if (!(seconds >= 0)) {
      throw new UsageError('--wait must be a number of seconds');
    }
    const { records } = await call.open();
    const before = await getShare(call, records);
    await records.shares.requestCheck(before.resource);
    const deadline = call.now().getTime() + (seconds * 1000);
    for (;;) {
      const share = await getShare(call, records);
      const problem = problemOf(share, call.now());
      if (problem !== undefined) {
        await call.print(problem);
        return exitCodes.finding;
      }
      if (share.checkAt?.getTime() !== 0) {
        const isGood = share.checkedAt?.getTime() !== before.checkedAt?.getTime();
        await call.print(isGood ? 'It is valid: its origin confirms it.' : 'Its origin cannot be reached now.');
        return isGood ? undefined : exitCodes.finding;
      }
      if (call.now().getTime() >= deadline) {
        await call.print('It is marked for a check by a running server that has a source of this kind of data.');
        return exitCodes.finding;
      }
      await setTimeout(200);
    }
  },
};
