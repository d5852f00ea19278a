import { setTimeout } from 'node:timers/promises';
import type { CitizenState } from '../../identity/CitizenStore';
import { redactNumbers } from '../../identity/redact';
import { markForErasure } from '../../operations/eraseCitizen';
import type { ExportedItem } from '../../operations/exportCitizen';
import { exportCitizen } from '../../operations/exportCitizen';
import type { CitizenName } from '../../operations/findCitizen';
import { findCitizen } from '../../operations/findCitizen';
import { citizenStates, listCitizens } from '../../operations/listCitizens';
import { relinkCitizen } from '../../operations/relinkCitizen';
import { podIdOf } from '../../pods/resourceUri';
import { requirePods } from '../backup/checkPods';
import { readExtensions } from '../readExtensions';
import type { Command, CommandCall, CommandOption } from './Command';
import { exitCodes, UsageError } from './Command';
import { findValue, serverOptions } from './options';
import { readSecrets } from './readSecrets';

function findState(call: CommandCall): CitizenState | undefined {
  const given = findValue(call, 'state');
  const state = citizenStates.find((one): boolean => one === given);
  if (given !== undefined && !state) {
    throw new UsageError(`--state must be one of ${citizenStates.join(', ')}`);
  }
  return state;
}

/** Options that name a citizen. */
const citizenOptions = {
  pod: { value: 'pod id', describe: 'The citizen: the id of their pod.' },
  webid: { value: 'WebID', describe: 'The citizen: their WebID.' },
};

/** Returns the citizen that the options name; `undefined` when they name none. */
export function findName(call: CommandCall): CitizenName | undefined {
  const podId = findValue(call, 'pod');
  const webId = findValue(call, 'webid');
  if (podId !== undefined && webId !== undefined) {
    throw new UsageError('Give either --pod or --webid, not both');
  }
  return podId === undefined && webId === undefined ? undefined : { podId, webId };
}

function getName(call: CommandCall): CitizenName {
  const name = findName(call);
  if (!name) {
    throw new UsageError('Either --pod or --webid is required');
  }
  return name;
}

/** Gives a citizen another national number. */
export const citizensRelink: Command = {
  name: 'citizens relink',
  summary: 'Replaces the number of a citizen: WebID, pod and grants stay.',
  details: `Reads two lines, the current number and the new one; with --pod or --webid only the new one. They are typed
unseen, piped in, or read from a file, but never arguments, which others on the machine can see.`,
  get options(): Record<string, CommandOption> {
    return {
      ...citizenOptions,
      file: { value: 'file', describe: 'File with the numbers.' },
      ...serverOptions([ 'nationalNumbers', 'config', 'mainModulePath' ]),
    };
  },
  run: async(call): Promise<undefined> => {
    const name = findName(call);
    const { nationalNumbers: numbers } = await readExtensions(call);
    const { records } = await call.open();
    const [ newNumber, nationalNumber ] = name ?
        await readSecrets(call, [ 'The new number' ]) :
        (await readSecrets(call, [ 'The current number', 'The new number' ])).reverse();
    const by = { ...call, numbers };
    const { podUrl } = await relinkCitizen(records, name ?? { nationalNumber }, newNumber, by);
    await call.print(`The citizen of the pod ${podIdOf(podUrl)} is linked to the new number.`);
  },
};

/** Exports everything about a citizen. */
export const citizensExport: Command = {
  name: 'citizens export',
  summary: 'Writes all stored data about a citizen, except the number, as NDJSON. Personal data.',
  details: `One line each for the citizen, every file of the pod (by name), shares, grants given and received, copies
that data users reported, and audit rows, the last of which is that of this command. It reads the whole
audit record. With --with-contents, each file is followed by its bytes in base64, in lines of kind
"content": joined, the texts of one path are the whole file.
In names of files, national numbers are [number]. Numbers within files stay.`,
  options: {
    ...citizenOptions,
    'with-contents': { describe: 'Writes the bytes of the files, too.' },
  },
  run: async(call): Promise<undefined> => {
    const name = getName(call);
    const { records, pods, serverSecrets } = await call.open();
    const citizen = await findCitizen(records.citizens, name);
    if (!pods) {
      await requirePods(call.settings.rootFilePath, { citizens: records.citizens, serverSecrets });
    }
    const withContents = call.options['with-contents'] === true;
    const places = { folder: call.settings.rootFilePath, database: pods?.resources, withContents };
    const number = await records.citizens.getNationalNumber(citizen.id);
    const { now, operator } = call;
    await records.audit.append({ type: 'citizen.exported', at: now(), personal: { operator }, citizenId: citizen.id });
    for await (const item of exportCitizen(records, citizen, places, call.now)) {
      const line = JSON.stringify(item, withoutNumbers(item.kind, number.reveal()));
      await call.print(item.kind === 'content' ? line : line.replaceAll(number.reveal(), '[number]'));
    }
  },
};

/**
 * Returns a replacer for JSON. In names of files, it removes all national numbers, as in messages of other commands;
 * elsewhere that of the citizen, in any spelling: a source may have put it into the id of a record. In base64, the same
 * digits mean something else.
 */
function withoutNumbers(kind: ExportedItem['kind'], number: string): (key: string, value: unknown) => unknown {
  const own = number.replaceAll(/\W|_/gu, '');
  return (key, value): unknown => {
    if (typeof value !== 'string' || key === 'base64') {
      return value;
    }
    return kind === 'file' || kind === 'content' ?
        redactNumbers(value) :
        redactNumbers(value, (digits): boolean => digits === own);
  };
}

/** Erases a citizen. */
export const citizensErase: Command = {
  name: 'citizens erase',
  summary: 'Erases a citizen, pod and account, as DELETE /v1/webids does. Cannot be undone.',
  details: `The citizen's tokens are refused at once. A running server, or the next one to start, does the rest within
seconds; the command waits for it. Audit rows stay verifiable, but become unreadable.`,
  options: {
    ...citizenOptions,
    yes: { describe: 'Confirms the erasure.' },
    wait: { value: 'seconds', describe: 'Maximum time to wait for the result. Default: 30.' },
  },
  run: async(call): Promise<number | undefined> => {
    const name = getName(call);
    const seconds = Number(findValue(call, 'wait') ?? 30);
    if (!(seconds >= 0)) {
      throw new UsageError('--wait must be a number of seconds');
    }
    if (call.options.yes !== true) {
      throw new UsageError('This cannot be undone: --yes is required');
    }
    const { records } = await call.open();
    const { id, podUrl } = await markForErasure(records, name, call);
    const podId = podIdOf(podUrl);
    const deadline = call.now().getTime() + (seconds * 1000);
    while (await records.citizens.findById(id)) {
      if (call.now().getTime() >= deadline) {
        await call.print(
          `The pod ${podId} is marked for erasure: its tokens are refused, and a running server will do the rest.`,
        );
        return exitCodes.finding;
      }
      await setTimeout(200);
    }
    await call.print(`The citizen of the pod ${podId} is erased.`);
  },
};

/** Lists citizens without their numbers. */
export const citizensList: Command = {
  name: 'citizens list',
  summary: 'Lists citizens as NDJSON: pod id, WebID, state, creation time. No numbers.',
  details: `For a linked WebID, "brought" is what the citizen had before, WEBID or POD, and "citizen" is the id in
the audit record; for others, that is the pod id.`,
  options: { state: { value: 'state', describe: `Only citizens in this state: ${citizenStates.join(', ')}.` }},
  run: async(call): Promise<undefined> => {
    const state = findState(call);
    const { records } = await call.open();
    for await (const { id, brought, podUrl, webId, state: current, createdAt }
      of listCitizens(records.citizens, state)) {
      await call.print(JSON.stringify({
        podId: podIdOf(podUrl),
        webId,
        ...brought && { brought, citizen: id },
        state: current,
        created: createdAt.toISOString(),
      }));
    }
  },
};
