import { joinUrl } from '@solid/community-server';
import type { MailSender } from '../mail/MailSender';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { readPasswordLogin } from '../../platform/passwordLogin';

/** Options of {@link AccountOffers}. */
export interface AccountOffersArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** Sends mails. */
  mail: MailSender;
  /** Rule on new accounts: `open` to everybody, `closed` for invited people only; empty for the default. */
  registration: string;
  /** Accounts that may have a password: of `everybody`, of `others` than people who log in elsewhere, of `nobody`. */
  passwordLogin: string;
  /** True where registration is closed by default. */
  closedUnlessSaid?: boolean;
}

const password = '.account/login/password/';
const forgot = `${password}forgot/`;
/** Paths for creating accounts. Always served, because people with an invitation need them. */
const registering = [ '.account/account/', `${password}register/` ];

/** Paths that only serve log-in with a password. */
const withPasswords = [ password, forgot, `${password}reset/`, ...registering ];

/**
 * Selects the pages and operations of accounts that this server offers: without a mail server none that sends mail, and
 * without password log-in none for passwords.
 */
export class AccountOffers {
  /** True when everybody may create an account. */
  public readonly isOpen: boolean;

  /** True when accounts have passwords. */
  public readonly hasPasswords: boolean;

  private readonly withheld: ReadonlySet<string>;
  private readonly unnamed: string[];

  public constructor(args: AccountOffersArgs) {
    const { baseUrl, closedUnlessSaid = false, mail, passwordLogin, registration } = args;
    if (![ '', 'open', 'closed' ].includes(registration)) {
      throw new RefusedSetting('--registration must be open or closed');
    }
    this.hasPasswords = readPasswordLogin(passwordLogin) !== 'nobody';
    if (registration === 'open' && !this.hasPasswords) {
      throw new RefusedSetting('--registration open needs passwords: not together with --passwordLogin nobody');
    }
    this.isOpen = this.hasPasswords && (registration === '' ? !closedUnlessSaid : registration === 'open');
    const unmailed = mail.isOffered ? [] : [ forgot ];
    const absent = this.hasPasswords ? unmailed : withPasswords;
    this.withheld = new Set(absent.map((path): string => `/${path}`));
    this.unnamed = [ ...absent, ...this.isOpen ? [] : registering ].map((path): string => joinUrl(baseUrl, path));
  }

  /** Returns true for a path of the underlying server that is not offered. */
  public isWithheld(path: string): boolean {
    return this.withheld.has(path);
  }

  /** URLs that responses must not contain. */
  public withheldUrls(): Set<string> {
    return new Set(this.unnamed);
  }
}
