import { UnsupportedAsyncHandler } from '@solid/community-server';
import { MailSender } from '../../server/mail/MailSender';
import { ServicePages } from '../../server/pages/ServicePages';

/** An invitation to create an account, and settings for mailing it. */
export interface MailedInvitation {
  address: string;
  link: string;
  lapsesAt: Date;
  baseUrl: string;
  smtp: string;
  mailFrom: string;
  serviceName?: string;
}

/**
 * Mails an invitation.
 *
 * @throws Error when the mail server refuses it. The message names nobody.
 */
export async function mailInvitation(invitation: MailedInvitation): Promise<void> {
  const { address, baseUrl, lapsesAt, link, mailFrom, serviceName = 'Data sharing', smtp } = invitation;
  const pages = new ServicePages({ baseUrl, serviceName });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- never asked: there is --smtp
  const mail = new MailSender({ smtp, mailFrom, pages, source: new UnsupportedAsyncHandler() });
  await mail.handle({
    to: address,
    subject: pages.text('mail.inviteSubject'),
    text: pages.text('mail.inviteText').replaceAll('{until}', lapsesAt.toISOString()).replaceAll('{link}', link),
  });
}
