import type { Suspended } from '../../operations/SuspensionService';
import { SuspensionService } from '../../operations/SuspensionService';
import type { Command, CommandCall } from './Command';
import { UsageError } from './Command';
import { findValue } from './options';

/* eslint-disable @typescript-eslint/naming-convention -- as they are typed */
const options = {
  'data-user': { value: 'WebID', describe: 'The data user.' },
  contract: { value: 'id', describe: 'The contract.' },
};
/* eslint-enable @typescript-eslint/naming-convention */

function getSuspended(call: CommandCall): Suspended {
  const dataUser = findValue(call, 'data-user');
  const contract = findValue(call, 'contract');
  if ((dataUser === undefined) === (contract === undefined)) {
    throw new UsageError('Either --data-user or --contract is needed');
  }
  return dataUser === undefined ? { contract: contract! } : { dataUser };
}

function describe(what: Suspended): string {
  return 'contract' in what ? `The contract ${what.contract}` : `The data user ${what.dataUser}`;
}

async function open({ open: openRecords, operator, now }: CommandCall): Promise<SuspensionService> {
  const { records } = await openRecords();
  return new SuspensionService(records, operator, now);
}

/** Suspends a data user or a contract. */
export const suspend: Command = {
  name: 'suspend',
  summary: 'Suspends a data user or a contract, from the next request on.',
  details: `No grant to that data user, or under that contract, has any effect until it is resumed:
on /v1, on pod resources, and with tokens that were given before. Nothing can be listed or shared under it.
The grants stay as they are. Whether the server knows such a data user or contract is not checked.`,
  options,
  run: async(call): Promise<undefined> => {
    const what = getSuspended(call);
    const isNew = await (await open(call)).suspend(what);
    await call.print(`${describe(what)} is suspended${isNew ? '' : ' already'}.`);
  },
};

/** Resumes a data user or a contract. */
export const resume: Command = {
  name: 'resume',
  summary: 'Resumes a suspended data user or contract, from the next request on.',
  details: 'Grants that have ended meanwhile stay ended.',
  options,
  run: async(call): Promise<undefined> => {
    const what = getSuspended(call);
    const wasSuspended = await (await open(call)).resume(what);
    await call.print(`${describe(what)} ${wasSuspended ? 'is resumed' : 'was not suspended'}.`);
  },
};

/** Lists what is suspended. */
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
