import type { Clock, NewId } from '../platform/clock';
import type { KeyStore, SigningKey } from '../credentials/KeyStore';
import { localKey } from '../credentials/localKey';
import { PermissionTickets } from './PermissionTickets';
import { RequestingPartyTokens } from './RequestingPartyTokens';
import { deriveUmaKeys } from './umaKeys';

/** Dependencies and settings of {@link UmaSigners}. */
export interface UmaSignersOptions {
  keys: Pick<KeyStore, 'getSecret' | 'getTokenKeys'>;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
  newId: NewId;
}

interface Signers {
  tickets: PermissionTickets;
  tokens: RequestingPartyTokens;
}

/**
 * Makes and reads tickets and tokens with the current secret, or the keys of a `Signer`. Either may be replaced while
 * the server runs: tickets and tokens made with the earlier one become invalid.
 */
export class UmaSigners {
  private readonly options: UmaSignersOptions;
  private secret?: Buffer;
  private outside?: readonly SigningKey[];
  private signers!: Signers;

  public constructor(options: UmaSignersOptions) {
    this.options = options;
  }

  public get tickets(): PermissionTickets {
    return this.current().tickets;
  }

  public get tokens(): RequestingPartyTokens {
    return this.current().tokens;
  }

  private current(): Signers {
    const { baseUrl, keys, newId, now } = this.options;
    const secret = keys.getSecret('tokens');
    const outside = keys.getTokenKeys();
    if (!this.secret || outside !== this.outside || (secret !== this.secret && !secret.equals(this.secret))) {
      const { tickets, tokens } = deriveUmaKeys(secret);
      const keysOfTokens = outside.length > 0 ? outside : [ localKey(tokens) ];
      this.signers = {
        tickets: new PermissionTickets(tickets, baseUrl, now, newId),
        tokens: new RequestingPartyTokens(baseUrl, keysOfTokens, now),
      };
      this.secret = secret;
      this.outside = outside;
    }
    return this.signers;
  }
}
