import type { KeyKind } from '../../storage/keys/FileKeyStore';
import { secretNames, signingPurposes } from '../../storage/keys/FileKeyStore';
import { eventsKind, providerKind } from '../../storage/keys/ServerSecretRotation';
import { isOneOf } from '../../platform/lists';
import type { Command, CommandCall } from './Command';
import { UsageError } from './Command';
import { findValue } from './options';

const kinds: readonly KeyKind[] = [ ...secretNames, ...signingPurposes ];

/** Reads a kind of key that has files; `others` are the kinds without, which the command takes as well. */
function getKind({ operands: [ given ] }: CommandCall, others: string[] = []): KeyKind {
  const kind = kinds.find((one): boolean => one === given);
  if (!kind) {
    throw new UsageError(`The kind of key is one of ${[ ...kinds, ...others ].join(', ')}`);
  }
  return kind;
}

/** Lists keys. */
export const keysList: Command = {
  name: 'keys list',
  summary: 'Lists keys as NDJSON: file, kind, use. No secrets.',
  run: async({ open, print }): Promise<undefined> => {
    const { rotation } = await open();
    for (const key of await rotation.list()) {
      await print(JSON.stringify(key));
    }
  },
};

/** Creates a key file. */
export const keysMake: Command = {
  name: 'keys make',
  summary: 'Makes a key file without using it, to copy it to other machines first.',
  operands: [ 'kind' ],
  run: async(call): Promise<undefined> => {
    const kind = getKind(call);
    await call.print(await (await call.open()).keyFiles.make(kind));
  },
};

/** Starts using a new key. */
export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'Puts a new key into use while servers run, and rewrites rows under the previous one.',
  details: `Kinds: ${[ ...kinds, providerKind, eventsKind ].join(', ')}.
With servers on several machines: run keys make, copy the file to the keys of each, then run keys rotate
with --file.
A signing key is published at once and signs two minutes later; earlier ones still verify.
${providerKind}: keys for tokens and cookies of the server's own identity provider, in the records; no
file to copy.
${eventsKind}: key for pushed events, in the records. The previous one also signs, until a rotation at
least a day later.
After an interruption, run keys rewrite. If the new key is not among those that it names as in use, run keys rotate
again, with --file if keys list names the new one.`,
  operands: [ 'kind' ],
  options: { file: { value: 'name', describe: 'Name of a file in the folder of keys. Default: a new one.' }},
  run: async(call): Promise<undefined> => {
    if (call.operands[0] === providerKind) {
      await (await call.open()).secretRotation.rotateProvider(call.operator);
      await call.print('The identity provider has new keys, and uses them in two minutes.');
      return;
    }
    if (call.operands[0] === eventsKind) {
      await (await call.open()).secretRotation.rotateEvents(call.operator);
      await call.print('Pushed events are signed with a new key too, within seconds.');
      return;
    }
    const kind = getKind(call, [ providerKind, eventsKind ]);
    const { rewriting, rotation } = await call.open();
    const file = await rotation.rotate(kind, findValue(call, 'file'), call.operator);
    await call.print(isOneOf(signingPurposes, kind) ?
      `${file} is published for ${kind} now, and signs in two minutes.` :
      `${file} is the key for ${kind} now.`);
    await call.print(`${await rewriting.rewrite()} rows were rewritten.`);
  },
};

/** Continues an interrupted rotation. */
export const keysRewrite: Command = {
  name: 'keys rewrite',
  summary: 'Rewrites rows that are still under an earlier secret. Continues an interrupted run.',
  details: 'Names the secrets in use: an interrupted rotation may have ended before its key was among them.',
  run: async({ open, print }): Promise<undefined> => {
    const { rewriting, rotation } = await open();
    await print(`${await rewriting.rewrite()} rows were rewritten.`);
    for (const { file, inUse, kind } of await rotation.list()) {
      if (isOneOf(secretNames, kind) && inUse.length > 0) {
        await print(`${file} is in use for ${inUse.join(' and ')}.`);
      }
    }
  },
};

/** Retires an earlier secret. */
export const keysRetire: Command = {
  name: 'keys retire',
  summary: 'Removes an earlier secret from the records, if no row needs it.',
  details: `Older backups of the records cannot be read without the file: keep it as long as you need them.`,
  operands: [ 'file' ],
  run: async({ open, operands: [ file ], operator, print }): Promise<undefined> => {
    await (await open()).rotation.retire(file, operator);
    await print(`${file} is no longer needed by the records. Servers drop it within seconds.`);
  },
};
