import { AsyncHandler, UnsupportedAsyncHandler } from '@solid/community-server';
import type { EmailSender } from '@solid/community-server';
import { createTransport } from 'nodemailer';
import type { Transporter } from 'nodemailer';
import type { ServicePages } from '../pages/ServicePages';
import { isLoopback } from '../../platform/loopback';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { readRegularFileSync, whyUnreadable } from '../../platform/readRegularFile';
import { isRecord } from '../../platform/isRecord';

/** Options of {@link MailSender}. */
export interface MailSenderArgs {
  /** `smtp://` or `smtps://` URL of a mail server, or a file whose first line is that URL; empty for none. */
  smtp: string;
  /** Sender address of mails, with or without a name; empty for `no-reply` at the host of the server. */
  mailFrom: string;
  /** Name of the service and address of the server. */
  pages: ServicePages;
  /** The server's own way of sending mail, used without `smtp`. */
  source: EmailSender;
}

/** A mail in plain text, and optionally as HTML. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** Id of the mail. When a mail is sent again with the same id, mail programs show it once. */
  id?: string;
}

const timeoutMs = 20_000;

/**
 * Sends mails through the operator's mail server. Its URL, which may contain a password, and addresses are never
 * logged.
 */
export class MailSender extends AsyncHandler<Mail> {
  /** True when mails can be sent. */
  public readonly isOffered: boolean;
  /** Name of the service that mails are from. */
  public readonly serviceName: string;

  private readonly source: EmailSender;
  private readonly transport?: Transporter;
  private readonly from: string;
  private readonly host: string;

  public constructor(args: MailSenderArgs) {
    super();
    const { mailFrom, pages, smtp, source } = args;
    this.source = source;
    this.serviceName = pages.serviceName;
    this.from = readFrom(mailFrom, pages);
    this.host = new URL(pages.baseUrl).hostname;
    const url = readSmtp(smtp);
    this.transport = url && createTransport(url.href, { from: this.from });
    this.isOffered = this.transport !== undefined || !(source instanceof UnsupportedAsyncHandler);
  }

  /**
   * Resolves when the mail server has accepted the mail.
   *
   * @throws Error, without an address, when it has not.
   */
  public async handle({ html, id, subject, text, to }: Mail): Promise<void> {
    if (!this.transport) {
      await this.source.handleSafe({ recipient: to, subject, text, html: html ?? '' });
      return;
    }
    try {
      const messageId = id === undefined ? undefined : `<${id}@${this.host}>`;
      await this.transport.sendMail({
        from: this.from,
        to: { name: '', address: to },
        subject: withoutEncodedWords(subject),
        text,
        html,
        messageId,
      });
    } catch (error: unknown) {
      // The message may contain the address.
      const { code = 'no code', responseCode = 'no answer' } = isRecord(error) ? error : {};
      throw new Error(`the mail server did not accept it (${String(code)}, ${String(responseCode)})`);
    }
  }
}

/**
 * Separates the characters that begin an encoded word: mail programs would show other text, with any characters.
 *
 * @see [RFC 2047, section 2](https://www.rfc-editor.org/rfc/rfc2047#section-2)
 */
function withoutEncodedWords(subject: string): string {
  return subject.replaceAll('=?', '= ?');
}

function readSmtp(smtp: string): URL | undefined {
  if (smtp === '') {
    return;
  }
  const text = /^smtps?:/iu.test(smtp) ? smtp : readFirstLine(smtp);
  // Not in the message, because it may contain a password.
  if (!/^smtps?:\/\/./iu.test(text) || !URL.canParse(text)) {
    throw new RefusedSetting('--smtp must be an smtp:// or smtps:// URL, or a file that has one in its first line');
  }
  const url = new URL(text);
  for (const name of [ 'connectionTimeout', 'greetingTimeout', 'socketTimeout' ]) {
    url.searchParams.set(name, url.searchParams.get(name) ?? String(timeoutMs));
  }
  // Never send a password in clear text over a network, even if an attacker hides STARTTLS.
  if (url.username !== '' && !isLoopback(url) && !url.searchParams.has('requireTLS')) {
    url.searchParams.set('requireTLS', 'true');
  }
  return url;
}

function readFirstLine(file: string): string {
  try {
    return readRegularFileSync(file).toString().split('\n', 1)[0].trim();
  } catch (error: unknown) {
    throw new RefusedSetting(`--smtp names a file that ${whyUnreadable(error)}`, { cause: error });
  }
}

function readFrom(mailFrom: string, { baseUrl, serviceName }: ServicePages): string {
  if (mailFrom === '') {
    return `"${serviceName.replaceAll(/["\\]/gu, '')}" <no-reply@${new URL(baseUrl).hostname}>`;
  }
  if (!/^(?:[^<>@\p{Cc}]* )?<?[^\s<>@]+@[^\s<>@]+>?$/u.test(mailFrom)) {
    throw new RefusedSetting('--mailFrom must be an address, such as "Data sharing <no-reply@example.org>"');
  }
  return mailFrom;
}
