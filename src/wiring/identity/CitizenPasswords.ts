import type { WebIdStore } from '@solid/community-server';
import { PasswordLoginOff } from '../../problems';
import type { PasswordLogin } from '../../platform/passwordLogin';
import { readPasswordLogin } from '../../platform/passwordLogin';
import type { PasswordRule } from '../../server/accounts/PasswordRule';
import type { DataSharingRecords } from '../DataSharingRecords';
import { isWebId } from '../../platform/webId';
import type { CitizenLoginStore } from './CitizenLoginStore';
import { ProblemHttpError } from './loginInput';

/** Options of {@link CitizenPasswords}. */
export interface CitizenPasswordsArgs {
  /** Accounts that may have a password: those of `everybody`, of `others` than citizens, or of `nobody`. */
  passwordLogin: string;
  /** Records of this package. */
  records: DataSharingRecords;
  /** Login method of citizens' accounts. */
  logins: CitizenLoginStore;
  /** WebIDs of accounts. */
  webIdStore: WebIdStore;
}

/** Excludes the accounts of citizens, or all accounts, from password log-in. */
export class CitizenPasswords implements PasswordRule {
  private readonly args: CitizenPasswordsArgs;
  private readonly who: PasswordLogin;

  public constructor(args: CitizenPasswordsArgs) {
    this.args = args;
    this.who = readPasswordLogin(args.passwordLogin);
  }

  public async mayHavePassword(accountId: string): Promise<boolean> {
    return this.who === 'everybody' || (this.who === 'others' && !await this.isOfCitizen(accountId));
  }

  public async requirePassword(accountId: string): Promise<void> {
    if (!await this.mayHavePassword(accountId)) {
      throw new ProblemHttpError(new PasswordLoginOff());
    }
  }

  /** Returns true for an account that was made for a citizen, and for one with a WebID that a citizen brought. */
  private async isOfCitizen(accountId: string): Promise<boolean> {
    const { logins, records, webIdStore } = this.args;
    if (await logins.has(accountId)) {
      return true;
    }
    const { citizens } = await records.get();
    for (const { webId } of await webIdStore.findLinks(accountId)) {
      if (isWebId(webId) && await citizens.findByWebId(webId)) {
        return true;
      }
    }
    return false;
  }
}
