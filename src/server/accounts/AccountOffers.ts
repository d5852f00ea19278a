import { joinUrl } from '@solid/community-server';
import type { MailSender } from '../mail/MailSender';

const forgot = '.account/login/password/forgot/';

/** Which pages and operations of accounts this server has: none that promises a mail when no mail can be sent. */
export class AccountOffers {
  private readonly withheld: ReadonlyMap<string, string>;

  /**
   * @param baseUrl - Base URL of the server.
   * @param mail - Sends mails.
   */
  public constructor(baseUrl: string, mail: MailSender) {
    const paths = mail.isOffered ? [] : [ forgot ];
    this.withheld = new Map(paths.map((path): [string, string] => [ `/${path}`, joinUrl(baseUrl, path) ]));
  }

  /** Returns true for a path that is not offered, though the server beneath has something there. */
  public isWithheld(path: string): boolean {
    return this.withheld.has(path);
  }

  /** URLs that are not to be named. */
  public withheldUrls(): Set<string> {
    return new Set(this.withheld.values());
  }
}
