import { inviteToAccount, withdrawInvitation } from '../../operations/inviteToAccount';
import { requirePods } from '../backup/checkPods';
import type { Command } from './Command';
import { UsageError } from './Command';
import { findValue } from './options';
import { readSecrets } from './readSecrets';

const defaultHours = '72';

/** Invites somebody to create an account. */
export const accountsInvite: Command = {
  name: 'accounts invite',
  summary: 'Makes a link that creates one account, once, for servers with --registration closed.',
  details: `Anybody with the link can use it. --for-address binds it to one e-mail address, which is typed unseen,
piped in, or read from a file. With --smtp as well, the link is mailed there instead of printed. Neither
the link nor the address is stored.`,
  options: {
    baseUrl: { value: 'URL', environment: 'CSS_BASE_URL', describe: 'Base URL of the server. Required.' },
    hours: { value: 'hours', describe: `How long the link is valid. Default: ${defaultHours}; at most 744.` },
    'for-address': { describe: 'Reads the e-mail address that the link is for.' },
    file: { value: 'file', describe: 'File with that address.' },
    smtp: { value: 'URL or file', environment: 'CSS_SMTP', describe: 'The mail server, as the server has it.' },
    mailFrom: { value: 'address', environment: 'CSS_MAIL_FROM', describe: 'Sender address of the mail.' },
    serviceName: { value: 'name', environment: 'CSS_SERVICE_NAME', describe: 'Name of the service in the mail.' },
  },
  run: async(call): Promise<undefined> => {
    const baseUrl = findValue(call, 'baseUrl');
    if (baseUrl === undefined) {
      throw new UsageError('--baseUrl is required: the base URL of the server');
    }
    const hours = Number(findValue(call, 'hours') ?? defaultHours);
    const { records } = await call.open();
    const [ address ] = call.options['for-address'] === true ? await readSecrets(call, [ 'The e-mail address' ]) : [];
    const smtp = findValue(call, 'smtp');
    const { id, link, lapsesAt } = await inviteToAccount(records, { ...call, address, baseUrl, hours });
    if (address === undefined || smtp === undefined) {
      await call.print(link);
      call.note(`Valid once, until ${lapsesAt.toISOString()}. Its id is ${id}.`);
      return;
    }
    // It takes seconds to load the server.
    const { mailInvitation } = await import('./mailInvitation.js');
    const mailFrom = findValue(call, 'mailFrom') ?? '';
    const serviceName = findValue(call, 'serviceName');
    try {
      await mailInvitation({ address, baseUrl, link, lapsesAt, mailFrom, serviceName, smtp });
    } catch (error: unknown) {
      // Nobody has the link.
      await withdrawInvitation(records, id, call);
      throw error;
    }
    await call.print(`The invitation was mailed. It is valid once, until ${lapsesAt.toISOString()}. Its id is ${id}.`);
  },
};

/** Lists invitations that nobody has used yet. */
export const accountsInvitations: Command = {
  name: 'accounts invitations',
  summary: 'Lists the open invitations as NDJSON: id and expiry. No links and no e-mail addresses.',
  run: async({ now, open, print }): Promise<undefined> => {
    const { records } = await open();
    for (const { id, lapsesAt } of await records.invitations.listOpen(now())) {
      await print(JSON.stringify({ id, lapses: lapsesAt.toISOString() }));
    }
  },
};

/** Withdraws an invitation. */
export const accountsWithdraw: Command = {
  name: 'accounts withdraw',
  summary: 'Withdraws an open invitation, from the next request on.',
  details: 'Existing accounts stay as they are.',
  operands: [ 'id' ],
  run: async(call): Promise<undefined> => {
    const { records } = await call.open();
    const [ id ] = call.operands;
    await withdrawInvitation(records, id, call);
    await call.print(`The invitation ${id} is withdrawn.`);
  },
};

/** Lists accounts without their e-mail addresses. */
export const accountsList: Command = {
  name: 'accounts list',
  summary: 'Lists the accounts of the server as NDJSON: id, login methods, WebIDs, pods. No e-mail addresses.',
  details: 'Accounts of citizens have the login method "citizen".',
  run: async(call): Promise<undefined> => {
    const { records, pods, serverSecrets } = await call.open();
    if (!pods) {
      await requirePods(call.settings.rootFilePath, { citizens: records.citizens, serverSecrets });
    }
    // It takes seconds to load the server.
    const { listAccounts } = await import('./listAccounts.js');
    for await (const account of listAccounts(pods ?? call.settings.rootFilePath, serverSecrets)) {
      await call.print(JSON.stringify(account));
    }
  },
};
