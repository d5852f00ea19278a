import {
  BadRequestHttpError,
  BasePasswordStore,
  ConflictHttpError,
  Initializer,
  PASSWORD_STORAGE_TYPE,
} from '@solid/community-server';
import type { PasswordStore } from '@solid/community-server';
import { opened } from '../../platform/opened';
import { changingValues } from '../values/ValueChange';
import { findWeakness } from './findWeakness';
import type { PasswordLinks } from './PasswordLinks';
import type { PasswordRule } from './PasswordRule';
import { maxPerAccount } from './maxPerAccount';

/** The part of the storage of accounts that finds hashes of passwords. A hash changes each time one is set. */
interface HashedPasswords {
  find: (type: string, query: { email: string }) => Promise<({ password: string } | undefined)[]>;
}

/** A bcrypt hash of random bytes that nobody knows, with as many rounds as real passwords have. */
const hashOfNobody = '$2a$10$hUTKD20Skb33FK71ot3QMuumdlzs60YeGn64EOVXwCY0Z/6uDf5W6';

/**
 * The server's passwords, a bounded number for each account that may have any. New passwords must be strong. Refusing
 * an unknown address takes as long as refusing a wrong password.
 */
export class CarefulPasswordStore extends Initializer implements PasswordStore {
  private readonly source: BasePasswordStore;
  private readonly rule: PasswordRule;
  private readonly links: PasswordLinks;
  /**
   * Always has a log-in that no password opens, so that unknown addresses take equally long. The store calls only
   * `find` of its storage.
   */
  private readonly nobody = new BasePasswordStore({
    find: async(): Promise<object[]> => [{ id: '', accountId: '', password: hashOfNobody, verified: true }],
  } as never);

  /**
   * @param source - The server's own store.
   * @param rule - Decides which accounts may have passwords and use them for log-in.
   * @param links - Links for replacing passwords, which end with the password.
   */
  public constructor(source: BasePasswordStore, rule: PasswordRule, links: PasswordLinks) {
    super();
    this.source = source;
    this.rule = rule;
    this.links = links;
  }

  public async handle(): Promise<void> {
    await this.source.handle();
  }

  public async create(email: string, accountId: string, password: string): Promise<string> {
    await this.rule.requirePassword(accountId);
    requireStrong(password, email);
    // One change, so that of simultaneous requests one gets the address.
    return changingValues(async(): Promise<string> => {
      if ((await this.source.findByAccount(accountId)).length >= maxPerAccount) {
        throw new ConflictHttpError(`An account has at most ${maxPerAccount} passwords.`);
      }
      return this.source.create(email, accountId, password);
    });
  }

  /**
   * Checks that a log-in can be created.
   *
   * @throws BadRequestHttpError for a weak password, or an address that already has a log-in.
   */
  public async check(email: string, password: string): Promise<void> {
    requireStrong(password, email);
    if (await this.source.findByEmail(email)) {
      throw new BadRequestHttpError('There already is a login for this e-mail address.');
    }
  }

  /** Returns a text that changes with the password of an address; undefined if there is none. */
  public async versionOf(email: string): Promise<string | undefined> {
    const { storage } = opened<{ storage: HashedPasswords }>(this.source);
    const [ login ] = await storage.find(PASSWORD_STORAGE_TYPE, { email: email.toLowerCase() });
    return login?.password;
  }

  public async get(id: string): ReturnType<PasswordStore['get']> {
    return this.source.get(id);
  }

  public async findByEmail(email: string): ReturnType<PasswordStore['findByEmail']> {
    return this.source.findByEmail(email);
  }

  public async findByAccount(accountId: string): ReturnType<PasswordStore['findByAccount']> {
    return this.source.findByAccount(accountId);
  }

  public async confirmVerification(id: string): Promise<void> {
    return this.source.confirmVerification(id);
  }

  public async authenticate(email: string, password: string): ReturnType<PasswordStore['authenticate']> {
    const isKnown = await this.source.findByEmail(email) !== undefined;
    const login = await (isKnown ? this.source : this.nobody).authenticate(email, password);
    // Only somebody with the right password learns that it is not accepted.
    await this.rule.requirePassword(login.accountId);
    return login;
  }

  /**
   * Checks that a password can be replaced by another one.
   *
   * @throws BadRequestHttpError for a weak password.
   */
  public async requireFit(id: string, password: string): Promise<void> {
    const login = await this.source.get(id);
    if (login) {
      await this.rule.requirePassword(login.accountId);
    }
    requireStrong(password, login?.email);
  }

  public async update(id: string, password: string): Promise<void> {
    await this.requireFit(id, password);
    await this.source.update(id, password);
    await this.links.endAll(id);
  }

  public async delete(id: string): Promise<void> {
    await this.source.delete(id);
    await this.links.endAll(id);
  }
}

function requireStrong(password: string, email: string | undefined): void {
  const weakness = findWeakness(password, email);
  if (weakness) {
    throw new BadRequestHttpError(weakness);
  }
}
