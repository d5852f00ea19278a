import type { Clock, NewId } from '../platform/clock';
import type { KeyStore } from '../credentials/KeyStore';
import { PermissionTickets } from './PermissionTickets';
import { RequestingPartyTokens } from './RequestingPartyTokens';
import { umaConfiguration } from './umaConfiguration';
import { deriveUmaKeys } from './umaKeys';

/** Parts and settings of {@link UmaSigners}. */
export interface UmaSignersOptions {
  keys: Pick<KeyStore, 'getSecret'>;
  /** Of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
  newId: NewId;
}

interface Signers {
  tickets: PermissionTickets;
  tokens: RequestingPartyTokens;
}

/**
 * What makes and reads tickets and tokens, under the secret in use. That may be replaced while this serves: what was
 * made under the one before is void.
 */
export class UmaSigners {
  private readonly options: UmaSignersOptions;
  private readonly issuer: string;
  private secret?: Buffer;
  private signers!: Signers;

  public constructor(options: UmaSignersOptions) {
    this.options = options;
    this.issuer = umaConfiguration(options.baseUrl).issuer;
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
    if (!this.secret || (secret !== this.secret && !secret.equals(this.secret))) {
      const { tickets, tokens } = deriveUmaKeys(secret);
      this.signers = {
        tickets: new PermissionTickets(tickets, now, newId),
        tokens: new RequestingPartyTokens(this.issuer, `${baseUrl}.uma/resources`, tokens, now),
      };
      this.secret = secret;
    }
    return this.signers;
  }
}
