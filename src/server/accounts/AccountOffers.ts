import { joinUrl } from '@solid/community-server';
import type { MailSender } from '../mail/MailSender';
import { RefusedSetting } from '../../platform/RefusedSetting';

/** Options of {@link AccountOffers}. */
export interface AccountOffersArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** Sends mails. */
  mail: MailSender;
  /** Rule on new accounts: `open` to everybody, `closed` but for the invited; empty for what is usual here. */
  registration: string;
  /** True where registration is closed by default. */
  closedUnlessSaid?: boolean;
}

const forgot = '.account/login/password/forgot/';
/** Where accounts are made: still there for those with an invitation. */
const registering = [ '.account/account/', '.account/login/password/register/' ];

/** Which pages and operations of accounts this server has: none that promises a mail when no mail can be sent. */
export class AccountOffers {
  /** True when everybody may make an account. */
  public readonly isOpen: boolean;

  private readonly withheld: ReadonlySet<string>;
  private readonly unnamed: string[];

  public constructor(args: AccountOffersArgs) {
    const { baseUrl, mail, registration, closedUnlessSaid = false } = args;
    if (![ '', 'open', 'closed' ].includes(registration)) {
      throw new RefusedSetting('--registration must be open or closed');
    }
    this.isOpen = registration === '' ? !closedUnlessSaid : registration === 'open';
    const absent = mail.isOffered ? [] : [ forgot ];
    this.withheld = new Set(absent.map((path): string => `/${path}`));
    this.unnamed = [ ...absent, ...this.isOpen ? [] : registering ].map((path): string => joinUrl(baseUrl, path));
  }

  /** Returns true for a path that is not offered, though the server beneath has something there. */
  public isWithheld(path: string): boolean {
    return this.withheld.has(path);
  }

  /** URLs that are not to be named. */
  public withheldUrls(): Set<string> {
    return new Set(this.unnamed);
  }
}
