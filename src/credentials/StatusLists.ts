import type { Clock } from '../platform/clock';
import type { OwnIris } from '../vocabulary';
import { CONTEXTS } from '../platform/contextFiles';
import type { DocumentLoader } from './documentLoader';
import { issuerOf, verificationMethodOf } from './KeyDocuments';
import type { KeyStore } from './KeyStore';
import { addProof } from './proofs';
import { packBits, statusListUrl } from './statusEntries';
import type { StatusListKind, StatusListStore } from './StatusListStore';

/** A status list credential, ready to be served to anybody. */
export interface StatusListDocument {
  /** JSON of the signed credential. */
  text: string;
  modified: Date;
}

/** Dependencies and settings of {@link StatusLists}. */
export interface StatusListsOptions {
  store: Pick<StatusListStore, 'read'>;
  keys: KeyStore;
  iris: OwnIris;
  load: DocumentLoader;
  now: Clock;
}

/**
 * The status lists of this server as signed credentials. A changed list is signed on the next request; the same list
 * gives the same bytes in every process with the same keys.
 */
export class StatusLists {
  private readonly options: StatusListsOptions;
  /** Signed lists, with their key and number of set bits: bits are never unset, so the number identifies the state. */
  private readonly signed = new Map<string, StatusListDocument & { revoked: number; keyId: string }>();

  public constructor(options: StatusListsOptions) {
    this.options = options;
  }

  /** Returns the status list credential with this id; `undefined` when there is no such list of this kind. */
  public async find(kind: StatusListKind, listId: string): Promise<StatusListDocument | undefined> {
    const list = await this.options.store.read(kind, listId);
    if (!list) {
      return undefined;
    }
    const url = statusListUrl(kind, listId, this.options.iris);
    await this.options.keys.refresh();
    const [{ id: keyId }] = this.options.keys.getSigningKeys(kind);
    const known = this.signed.get(url);
    if (known?.revoked === list.revoked.length && known.keyId === keyId && known.modified <= this.options.now()) {
      return known;
    }
    const { revoked } = list;
    const modified = this.pastOf(list.modified);
    const document = {
      text: await this.sign(kind, url, { revoked, modified }),
      modified,
      revoked: list.revoked.length,
      keyId,
    };
    this.signed.set(url, document);
    return document;
  }

  /** Replaces a date in the future, made while the clock was ahead, by now: nobody accepts a list that begins later. */
  private pastOf(date: Date): Date {
    const now = this.options.now();
    return date > now ? now : date;
  }

  private async sign(kind: StatusListKind, url: string, list: { revoked: number[]; modified: Date }): Promise<string> {
    const { keys, iris, load } = this.options;
    const [ key ] = keys.getSigningKeys(kind);
    const issuer = issuerOf(kind, iris);
    const bits = packBits(list.revoked);
    const unsigned = kind === 'grants' ?
        revocationList(url, issuer, bits, list.modified) :
        bitstringStatusList(url, issuer, bits, list.modified);
    return JSON.stringify(await addProof(unsigned, {
      form: kind === 'grants' ? 'Ed25519Signature2020' : 'eddsa-rdfc-2022',
      verificationMethod: verificationMethodOf(kind, key, iris),
      created: list.modified,
    }, key, load));
  }
}

/** @see [Revocation List 2020, section 4.2](https://w3c-ccg.github.io/vc-status-rl-2020/#revocationlist2020credential) */
function revocationList(id: string, issuer: string, bits: Buffer, modified: Date): Record<string, unknown> {
  return {
    '@context': [ CONTEXTS.credentialsV1, CONTEXTS.revocationList, CONTEXTS.ed25519Suite ],
    id,
    type: [ 'VerifiableCredential', 'RevocationList2020Credential' ],
    issuer,
    issuanceDate: modified.toISOString(),
    credentialSubject: { id: `${id}#list`, type: 'RevocationList2020', encodedList: bits.toString('base64') },
  };
}

/** @see [Bitstring Status List v1.0, section 2.2](https://www.w3.org/TR/vc-bitstring-status-list/#bitstringstatuslistcredential) */
function bitstringStatusList(id: string, issuer: string, bits: Buffer, modified: Date): Record<string, unknown> {
  return {
    '@context': [ CONTEXTS.credentialsV2 ],
    id,
    type: [ 'VerifiableCredential', 'BitstringStatusListCredential' ],
    issuer,
    validFrom: modified.toISOString(),
    credentialSubject: {
      id: `${id}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: `u${bits.toString('base64url')}`,
    },
  };
}
