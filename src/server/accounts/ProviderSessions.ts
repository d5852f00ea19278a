import { setTimeout } from 'node:timers/promises';
import type { KeyValueStorage } from '@solid/community-server';
import type { TokenEnds } from './TokenEnds';

/** Whose sessions end. */
export interface EndedHolder {
  webIds: string[];
  /** Ids of clients that act as these WebIDs. */
  clients?: string[];
  accountId?: string;
  /** A log-in of the account that stays. */
  exceptCookie?: string;
}

/** Options of {@link ProviderSessions}. */
export interface ProviderSessionsArgs {
  /** Grants, sessions, tokens and codes of the server's identity provider. */
  providerStorage: KeyValueStorage<string, unknown>;
  /** Log-in cookies of accounts. */
  cookieStorage: KeyValueStorage<string, unknown>;
  /** Where it is noted that tokens are good no more. */
  ends: TokenEnds;
}

/** Ends what was issued to a WebID or account, wherever it is in use: at once, and for whoever has it. */
export class ProviderSessions {
  private readonly args: ProviderSessionsArgs;

  public constructor(args: ProviderSessionsArgs) {
    this.args = args;
  }

  /**
   * Ends log-ins, sessions, grants, refresh tokens, codes and access tokens. Tokens have times in seconds: it resolves
   * in the second after, so that what is issued from then on is good.
   */
  public async end({ webIds, clients = [], accountId, exceptCookie }: EndedHolder): Promise<void> {
    const { cookieStorage, ends, providerStorage } = this.args;
    if (accountId !== undefined) {
      await removeEntries(cookieStorage, (value, key): boolean => value === accountId && key !== exceptCookie);
    }
    await removeEntries(providerStorage, (value): boolean => concernsWebId(value, webIds));
    await ends.endTokens([ ...webIds, ...clients ]);
    await setTimeout(1000 - (Date.now() % 1000));
  }
}

/** Removes the entries of a storage of the server by their contents, which may be wrapped for their expiry. */
export async function removeEntries(
  storage: KeyValueStorage<string, unknown>,
  matches: (value: unknown, key: string) => boolean,
): Promise<void> {
  const keys: string[] = [];
  for await (const [ key, value ] of storage.entries()) {
    if (matches(unwrap(value), key)) {
      keys.push(key);
    }
  }
  await Promise.all(keys.map(async(key): Promise<boolean> => storage.delete(key)));
}

function unwrap(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'payload' in value ? value.payload : value;
}

/** Wherever it stands: an interaction that goes on has it in its result, for one. */
function concernsWebId(value: unknown, webIds: string[]): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return Object.entries(value).some(([ name, member ]): boolean =>
    (name === 'accountId' && webIds.includes(member as string)) || concernsWebId(member, webIds));
}
