import type { CitizenState } from '../../identity/CitizenStore';
import type { CitizenName } from '../../operations/findCitizen';
import { citizenStates, listCitizens } from '../../operations/listCitizens';
import { relinkCitizen } from '../../operations/relinkCitizen';
import type { Command, CommandCall } from './Command';
import { UsageError } from './Command';
import { findValue } from './options';
import { readSecrets } from './readSecrets';

function findState(call: CommandCall): CitizenState | undefined {
  const given = findValue(call, 'state');
  const state = citizenStates.find((one): boolean => one === given);
  if (given !== undefined && !state) {
    throw new UsageError(`--state must be one of ${citizenStates.join(', ')}`);
  }
  return state;
}

/** How one citizen is named. */
export const citizenOptions = {
  pod: { value: 'pod id', describe: 'The citizen: the id of their pod.' },
  webid: { value: 'WebID', describe: 'The citizen: their WebID.' },
};

/** The citizen that the options name; nothing when they don't. */
export function findName(call: CommandCall): CitizenName | undefined {
  const podId = findValue(call, 'pod');
  const webId = findValue(call, 'webid');
  if (podId !== undefined && webId !== undefined) {
    throw new UsageError('Either --pod or --webid is given, not both');
  }
  return podId === undefined && webId === undefined ? undefined : { podId, webId };
}

/** Gives a citizen another national number. */
export const citizensRelink: Command = {
  name: 'citizens relink',
  summary: 'Gives a citizen whose number changed the new one: WebID, pod and grants stay.',
  details: `Reads two lines, the current number and the new one; with --pod or --webid the new one only. They are typed
unseen, piped in, or read from a file, and never arguments: others on the machine can see those.`,
  options: { ...citizenOptions, file: { value: 'file', describe: 'File with the numbers.' }},
  run: async(call): Promise<undefined> => {
    const name = findName(call);
    const { records } = await call.open();
    const [ newNumber, nationalNumber ] = name ?
        await readSecrets(call, [ 'The new number' ]) :
        (await readSecrets(call, [ 'The current number', 'The new number' ])).reverse();
    const { id } = await relinkCitizen(records, name ?? { nationalNumber }, newNumber, call);
    await call.print(`The citizen of the pod ${id} is linked to the new number.`);
  },
};

/** Lists citizens without their numbers. */
export const citizensList: Command = {
  name: 'citizens list',
  summary: 'Lists citizens as NDJSON: pod id, WebID, state, when they were made. No numbers.',
  options: { state: { value: 'state', describe: `Only those in a state: ${citizenStates.join(', ')}.` }},
  run: async(call): Promise<undefined> => {
    const state = findState(call);
    const { records } = await call.open();
    for await (const { id, webId, state: current, createdAt } of listCitizens(records.citizens, state)) {
      await call.print(JSON.stringify({ podId: id, webId, state: current, created: createdAt.toISOString() }));
    }
  },
};
