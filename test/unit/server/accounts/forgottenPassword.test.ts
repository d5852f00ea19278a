import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BadRequestHttpError,
  MemoryMapStorage,
  UnsupportedAsyncHandler,
  WrappedExpiringStorage,
} from '@solid/community-server';
import { EndingResetPasswordHandler } from '../../../../src/server/accounts/EndingResetPasswordHandler';
import { PasswordLinks } from '../../../../src/server/accounts/PasswordLinks';
import { PatientForgotPasswordHandler } from '../../../../src/server/accounts/PatientForgotPasswordHandler';
import { MailSender } from '../../../../src/server/mail/MailSender';
import { inLanguageOf } from '../../../../src/server/pages/language';
import { ServicePages } from '../../../../src/server/pages/ServicePages';
import type { SmtpServer } from '../../../support/SmtpServer';
import { startSmtpServer } from '../../../support/SmtpServer';
import { removeFolder, temporaryFolder } from '../../../support/world';

interface Login {
  id: string;
  email: string;
  accountId: string;
}

const pages = new ServicePages({ baseUrl: 'https://data.example/', serviceName: 'Vaults' });
const nowhere = new UnsupportedAsyncHandler('none') as never;
const minute = 60_000;

function pass(milliseconds: number): void {
  jest.setSystemTime(Date.now() + milliseconds);
}

describe('A forgotten password', (): void => {
  let smtp: SmtpServer;
  let logins: Map<string, Login>;
  let passwords: Map<string, string>;
  let ended: string[];
  /** Takes as long as hashing a password. */
  let hashed: () => Promise<void>;
  let forgot: PatientForgotPasswordHandler;
  let reset: EndingResetPasswordHandler;

  async function ask(email: unknown, language = 'en'): Promise<unknown> {
    return inLanguageOf({ headers: { 'accept-language': language }}, async(): Promise<unknown> =>
      (await forgot.handle({ json: { email }} as never)).json);
  }

  async function choose(recordId: unknown, password = 'a new and long password'): Promise<unknown> {
    return reset.handle({ json: { recordId, password }} as never);
  }

  /** Returns the link in the last of a number of mails. */
  async function linkOf(count: number): Promise<string> {
    await smtp.arrived(count);
    const { text } = smtp.mails[count - 1];
    return decodeURIComponent(/https:\/\/data\.example\/reset\?rid=(?<id>[\w%-]+)/u.exec(text)!.groups!.id);
  }

  beforeEach(async(): Promise<void> => {
    jest.useFakeTimers({
      doNotFake: [ 'nextTick', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout', 'clearTimeout' ],
    });
    smtp = await startSmtpServer();
    passwords = new Map();
    ended = [];
    hashed = async(): Promise<void> => undefined;
    logins = new Map([
      { id: 'anna', accountId: 'a' },
      { id: 'carl', accountId: 'ruled out' },
      { id: 'mike', accountId: 'm' },
      ...[ 1, 2, 3, 4 ].map((index): Omit<Login, 'email'> => ({ id: `bob${index}`, accountId: 'b' })),
    ].map((each): [string, Login] => [ `${each.id}@example.org`, { ...each, email: `${each.id}@example.org` }]));
    const passwordStore = {
      findByEmail: async(email: string): Promise<Login | undefined> => logins.get(email.toLowerCase()),
      get: async(id: string): Promise<Login | undefined> =>
        [ ...logins.values() ].find((each): boolean => each.id === id),
      async requireFit(_id: string, password: string): Promise<void> {
        if (password === 'short') {
          throw new BadRequestHttpError('too short');
        }
      },
      async update(id: string, password: string): Promise<void> {
        await hashed();
        passwords.set(id, password);
      },
    } as never;
    const forgotPasswordStore =
      new PasswordLinks(new WrappedExpiringStorage<string, string[] | string>(new MemoryMapStorage()));
    const mail = new MailSender({
      smtp: `smtp://mailer:secret@127.0.0.1:${smtp.port}`,
      mailFrom: '',
      pages,
      source: nowhere,
    });
    const resetRoute = { getPath: (): string => 'https://data.example/reset' } as never;
    const rule = {
      mayHavePassword: async(accountId: string): Promise<boolean> => accountId !== 'ruled out',
      requirePassword: async(): Promise<void> => undefined,
    };
    forgot = new PatientForgotPasswordHandler({ passwordStore, forgotPasswordStore, mail, pages, resetRoute, rule });
    reset = new EndingResetPasswordHandler(passwordStore, forgotPasswordStore, {
      end: async(account: string): Promise<unknown> => ended.push(account),
    } as never);
  });

  afterEach(async(): Promise<void> => {
    jest.useRealTimers();
    await smtp.stop();
  });

  it('gets the same response for an account that cannot have one, and no mail is sent.', async(): Promise<void> => {
    await expect(ask('carl@example.org')).resolves.toEqual({ email: 'carl@example.org' });
    await ask('anna@example.org');
    await smtp.arrived(1);
    expect(smtp.mails.map(({ to }): string => to)).toEqual([ 'anna@example.org' ]);
  });

  it('is replaced by a mailed link, once, which ends everything acting for the account.', async(): Promise<void> => {
    await ask(' Anna@example.org ');
    const id = await linkOf(1);
    expect(smtp.mails[0]).toMatchObject({
      from: 'no-reply@data.example',
      to: 'anna@example.org',
      login: '\0mailer\0secret',
      text: expect.stringMatching(/Subject: A new password for Vaults/u),
    });
    await choose(id);
    expect([ ...passwords ]).toEqual([[ 'anna', 'a new and long password' ]]);
    expect(ended).toEqual([ 'a' ]);
    await expect(choose(id, 'another password of mine')).rejects.toThrow('no longer valid');
    expect(passwords.get('anna')).toBe('a new and long password');
    expect(ended).toEqual([ 'a' ]);
  });

  it('keeps its link when the new one is weak.', async(): Promise<void> => {
    await ask('anna@example.org');
    const id = await linkOf(1);
    await expect(choose(id, 'short')).rejects.toThrow('too short');
    await choose(id);
    expect(passwords.get('anna')).toBe('a new and long password');
  });

  it('uses its link up before the new one is hashed, which takes long.', async(): Promise<void> => {
    await ask('anna@example.org');
    const id = await linkOf(1);
    const [ begun, finished ] = [ new EventEmitter(), new EventEmitter() ];
    hashed = async(): Promise<void> => {
      begun.emit('now');
      await once(finished, 'now');
    };
    const isBegun = once(begun, 'now');
    const first = choose(id);
    await isBegun;
    await expect(choose(id, 'another password of mine')).rejects.toThrow('no longer valid');
    finished.emit('now');
    await first;
    expect([ ...passwords ]).toEqual([[ 'anna', 'a new and long password' ]]);
  });

  it('is not replaced by a link that is 15 minutes old, or without one.', async(): Promise<void> => {
    await ask('anna@example.org');
    const id = await linkOf(1);
    pass((15 * minute) + 1);
    for (const wrong of [ id, 'x', '', undefined, {}, [ id ]]) {
      await expect(choose(wrong)).rejects.toThrow(/./u);
    }
    expect(passwords.size + ended.length).toBe(0);
  });

  it('gets the same response for an unknown address, and no mail is sent.', async(): Promise<void> => {
    await expect(ask('nobody@example.org')).resolves.toEqual({ email: 'nobody@example.org' });
    await expect(ask('anna@example.org')).resolves.toEqual({ email: 'anna@example.org' });
    await smtp.arrived(1);
    expect(smtp.mails.map(({ to }): string => to)).toEqual([ 'anna@example.org' ]);
  });

  it('is mailed to the address on record, not to another that is the same in lower case.', async(): Promise<void> => {
    // The Kelvin sign, whose lower case is a k: at their provider, this may be the address of somebody else.
    await ask('mi\u212Ae@example.org');
    await smtp.arrived(1);
    expect(smtp.mails[0].to).toBe('mike@example.org');
  });

  it('is mailed at most three times an hour to an address, however it is spelled.', async(): Promise<void> => {
    for (const email of [ 'anna@example.org', 'ANNA@example.org', ' anna@Example.org', 'Anna@example.org' ]) {
      await ask(email);
    }
    await smtp.arrived(3);
    // One that comes after all of them.
    await ask('bob1@example.org');
    await smtp.arrived(4);
    expect(smtp.mails.map(({ to }): string => to.toLowerCase()).sort())
      .toEqual([ 'anna@example.org', 'anna@example.org', 'anna@example.org', 'bob1@example.org' ]);
    pass(60 * minute);
    await ask('anna@example.org');
    await smtp.arrived(5);
    expect(smtp.mails[4].to).toBe('anna@example.org');
  });

  it('is mailed at most three times an hour to an account, over all its addresses.', async(): Promise<void> => {
    for (const index of [ 1, 2, 3, 4 ]) {
      await ask(`bob${index}@example.org`);
    }
    await smtp.arrived(3);
    await ask('anna@example.org');
    await smtp.arrived(4);
    expect(smtp.mails.filter(({ to }): boolean => to.startsWith('bob'))).toHaveLength(3);
  });

  it.each([
    [ 'nl', 'Een nieuw wachtwoord', 'werkt één keer' ],
    [ 'fr', 'Un nouveau mot de passe', 'Quelqu’un' ],
    [ 'de', 'Ein neues Passwort', 'Wählen Sie' ],
  ])('is mailed in the language of the request: %s.', async(language, subject, text): Promise<void> => {
    await ask('anna@example.org', language);
    await smtp.arrived(1);
    expect(smtp.mails[0].text).toContain(text);
    expect(smtp.mails[0].text).toContain(language === 'de' ? 'Subject: ' : subject);
  });

  it.each([
    'x',
    '@',
    'a@b@c',
    'a b@c.example',
    'a@b.example\r\nBcc: evil@example.org',
    '"a"@b.example',
    'a@b.example,c@d.example',
    `${'a'.repeat(250)}@example.org`,
    7,
    null,
    {},
    [ 'anna@example.org' ],
    undefined,
  ])('needs an address: not %j.', async(email): Promise<void> => {
    await expect(ask(email)).rejects.toThrow(/^email must be a (?:text|valid email)/u);
  });
});

describe('A mail server', (): void => {
  const args = { mailFrom: '', pages, source: nowhere };

  it.each([
    'http://mail.example/',
    'smtp:',
    'smtp://',
    'smtps://user:hunter2@',
    '/nowhere/at/all',
  ])('is refused without revealing its password: %s.', (smtp): void => {
    let message = '';
    try {
      // eslint-disable-next-line no-new -- looks at what it says
      new MailSender({ ...args, smtp });
    } catch (error: unknown) {
      ({ message } = error as Error);
    }
    expect(message).toMatch(/^--smtp /u);
    expect(message).not.toContain('hunter2');
  });

  it('can be configured in a file.', async(): Promise<void> => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'smtp'), 'smtp://127.0.0.1:1\n');
    expect(new MailSender({ ...args, smtp: join(folder, 'smtp') }).isOffered).toBe(true);
    await removeFolder(folder);
  });

  it('is absent unless configured, here or in the configuration of the server.', (): void => {
    expect(new MailSender({ ...args, smtp: '' }).isOffered).toBe(false);
    expect(new MailSender({ ...args, smtp: '', source: {} as never }).isOffered).toBe(true);
  });

  it.each([ 'nobody', 'a@b@c', 'A <a@b.example> <c@d.example>', 'a@b.example\r\nBcc: x@y.example' ])(
    'needs an address to send from: not %j.',
    (mailFrom): void => {
      expect((): unknown => new MailSender({ ...args, mailFrom, smtp: 'smtp://127.0.0.1' })).toThrow('--mailFrom');
    },
  );

  it('that accepts no mail does not make the response reveal for whom it was.', async(): Promise<void> => {
    const server = await startSmtpServer();
    server.refusal = '550 5.1.1 no such user anna@example.org';
    const mail = new MailSender({ ...args, smtp: `smtp://127.0.0.1:${server.port}` });
    await expect(mail.handle({ to: 'anna@example.org', subject: 'x', text: 'y' })).rejects
      .toThrow('the mail server did not accept it (EENVELOPE, 550)');
    await server.stop();
    await expect(mail.handle({ to: 'anna@example.org', subject: 'x', text: 'y' })).rejects
      .toThrow(/^the mail server did not accept it \(\w+, no answer\)$/u);
  });
});
