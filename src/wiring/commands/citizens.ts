import type { CitizenState } from '../../identity/CitizenStore';
import { citizenStates, listCitizens } from '../../operations/listCitizens';
import type { Command, CommandCall } from './Command';
import { UsageError } from './Command';
import { findValue } from './options';

function findState(call: CommandCall): CitizenState | undefined {
  const given = findValue(call, 'state');
  const state = citizenStates.find((one): boolean => one === given);
  if (given !== undefined && !state) {
    throw new UsageError(`--state must be one of ${citizenStates.join(', ')}`);
  }
  return state;
}

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
