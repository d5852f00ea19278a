import { accountsInvitations, accountsInvite, accountsList, accountsWithdraw } from './accounts';
import { auditExport, auditVerify } from './audit';
import { backup, backupVerify } from './backup';
import { citizensErase, citizensExport, citizensList, citizensRelink } from './citizens';
import { check } from './check';
import { checkRecord } from './checkRecord';
import type { Command } from './Command';
import { completionOf } from './completion';
import { keysList, keysMake, keysRetire, keysRewrite, keysRotate } from './keys';
import { move } from './move';
import { newContract, newDataType, newSource } from './new';
import { originsCheck } from './origins';
import { subscriptionsList, subscriptionsPause, subscriptionsReplay } from './subscriptions';
import { resume, suspend, suspensionsList } from './suspensions';
import { sweep } from './sweep';

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [
  check,
  checkRecord,
  newContract,
  newDataType,
  newSource,
  auditVerify,
  auditExport,
  citizensList,
  citizensRelink,
  citizensExport,
  citizensErase,
  accountsInvite,
  accountsInvitations,
  accountsWithdraw,
  accountsList,
  suspend,
  resume,
  suspensionsList,
  subscriptionsList,
  subscriptionsPause,
  subscriptionsReplay,
  originsCheck,
  sweep,
  keysList,
  keysMake,
  keysRotate,
  keysRewrite,
  keysRetire,
  backup,
  backupVerify,
  move,
  completionOf((): readonly Command[] => commands),
];

/** Finds the command that the first words name, trying two words before one. */
export function findCommand(words: readonly string[]): Command | undefined {
  return [ words.slice(0, 2).join(' '), words[0] ]
    .map((name): Command | undefined => commands.find((command): boolean => command.name === name))
    .find(Boolean);
}
