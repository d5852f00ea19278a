import { randomUUID } from 'node:crypto';
import type { ExpiringStorage, ForgotPasswordStore } from '@solid/community-server';
import { changingValues } from '../values/ValueChange';

const validMilliseconds = 15 * 60_000;

/**
 * Links for replacing forgotten passwords, valid once and for 15 minutes. With a new password, all links of its log-in
 * end: somebody else may have one.
 */
export class PasswordLinks implements ForgotPasswordStore {
  private readonly storage: ExpiringStorage<string, string[] | string>;

  /**
   * @param storage - The log-in of each link by its id, and the ids of each log-in's links.
   */
  public constructor(storage: ExpiringStorage<string, string[] | string>) {
    this.storage = storage;
  }

  public async generate(passwordId: string): Promise<string> {
    const id = randomUUID();
    await changingValues(async(): Promise<void> => {
      const others = await this.linksOf(passwordId);
      await this.storage.set(id, passwordId, validMilliseconds);
      await this.storage.set(listOf(passwordId), [ ...others, id ], validMilliseconds);
    });
    return id;
  }

  public async get(id: string): Promise<string | undefined> {
    const found = await this.storage.get(id);
    return typeof found === 'string' ? found : undefined;
  }

  /** Uses a link up. Of several calls at once, one gets its log-in. */
  public async take(id: string): Promise<string | undefined> {
    return changingValues(async(): Promise<string | undefined> => {
      const found = await this.get(id);
      return found !== undefined && await this.delete(id) ? found : undefined;
    });
  }

  public async delete(id: string): Promise<boolean> {
    return this.storage.delete(id);
  }

  /** Ends all links of a log-in. */
  public async endAll(passwordId: string): Promise<void> {
    await changingValues(async(): Promise<void> => {
      for (const id of await this.linksOf(passwordId)) {
        await this.storage.delete(id);
      }
      await this.storage.delete(listOf(passwordId));
    });
  }

  private async linksOf(passwordId: string): Promise<string[]> {
    const found = await this.storage.get(listOf(passwordId));
    return Array.isArray(found) ? found : [];
  }
}

function listOf(passwordId: string): string {
  return `links-of-${passwordId}`;
}
