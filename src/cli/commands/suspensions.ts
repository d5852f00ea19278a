import type { GrantSummary } from '../../grants/GrantStore';
import type { Suspended } from '../../operations/SuspensionService';
import { describe, SuspensionService } from '../../operations/SuspensionService';
import type { Command, CommandCall } from './Command';
import { UsageError } from './Command';
import { findValue } from './options';

const options = {
  'data-user': { value: 'WebID', describe: 'The data user.' },
  contract: { value: 'id', describe: 'The contract.' },
};

function getSuspended(call: CommandCall): Suspended {
  const dataUser = findValue(call, 'data-user');
  const contract = findValue(call, 'contract');
  if (dataUser !== undefined && contract === undefined) {
    return { dataUser };
  }
  if (contract !== undefined && dataUser === undefined) {
    return { contract };
  }
  throw new UsageError('Either --data-user or --contract is required');
}

function inWords({ grants, subjects, contracts }: GrantSummary): string {
  return `${plural(grants, 'grant')} of ${plural(subjects, 'citizen')} under ${plural(contracts, 'contract')}`;
}

function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

async function open({ open: openRecords, operator, now }: CommandCall): Promise<SuspensionService> {
  const { records } = await openRecords();
  return new SuspensionService(records, operator, now);
}

/** Suspends a data user or a contract. */
export const suspend: Command = {
  name: 'suspend',
  summary: 'Suspends a data user or a contract, from the next request on.',
  details: `Until it is resumed, no grant to that data user, or under that contract, has any effect: on /v1, on pod
resources, and with tokens issued before. Nothing can be listed or shared under it. The grants stay as they are.
WebIDs are compared in any spelling.
Prints the number of grants in force that it disables; if there are none, as after a typo, nothing is suspended.`,
  options: {
    ...options,
    force: { describe: 'Suspends even if there is no grant yet.' },
  },
  run: async(call): Promise<undefined> => {
    const named = getSuspended(call);
    const { what, isNew, stopped } = await (await open(call)).suspend(named, call.options.force === true);
    await call.print(`${describe(what)} is suspended${isNew ? '' : ' already'}. ` +
      `Without effect until it is resumed: ${inWords(stopped)}.`);
  },
};

/** Resumes a data user or a contract. */
export const resume: Command = {
  name: 'resume',
  summary: 'Resumes a suspended data user or contract, from the next request on.',
  details: 'Grants that ended meanwhile stay ended.',
  options,
  run: async(call): Promise<undefined> => {
    const named = getSuspended(call);
    const what = await (await open(call)).resume(named);
    await call.print(`${describe(what)} is resumed.`);
  },
};

/** Lists the suspended data users and contracts. */
export const suspensionsList: Command = {
  name: 'suspensions',
  summary: 'Lists suspended data users and contracts as NDJSON.',
  run: async({ open: openRecords, print }): Promise<undefined> => {
    const { records } = await openRecords();
    for (const { name, suspendedAt } of await records.suspensions.list()) {
      const kind = name.includes(':') ? 'dataUser' : 'contract';
      await print(JSON.stringify({ [kind]: name, suspended: suspendedAt.toISOString() }));
    }
  },
};
