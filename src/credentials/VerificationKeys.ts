import type { KeyObject } from 'node:crypto';
import type { OwnIris } from '../vocabulary';
import { isRecord } from '../platform/isRecord';
import { CheckUnavailable } from './Credential';
import { readDate } from './credentialShape';
import { asList, idOf } from './json';
import { issuerOf, verificationMethodOf } from './KeyDocuments';
import type { KeyStore, SigningPurpose } from './KeyStore';
import { decodeMultikey } from './multibase';

/**
 * Fetches a JSON document that a credential names. Rejects when there is no response; the implementation must refuse
 * addresses that strangers must not make this server call.
 */
export type FetchJson = (url: string) => Promise<unknown>;

const didKey = 'did:key:';
const purposes: SigningPurpose[] = [ 'grants', 'credentials' ];
const keyTypes = new Set<unknown>([ 'Multikey', 'Ed25519VerificationKey2020' ]);

/**
 * Finds the public key of a verification method, if the issuer lists it as its own. Keys of this server are known and
 * `did:key` needs no look-up; documents of other issuers are fetched.
 */
export class VerificationKeys {
  public constructor(
    private readonly keys: KeyStore,
    private readonly iris: OwnIris,
    private readonly fetchJson: FetchJson,
  ) {}

  /**
   * Returns the key; `undefined` when the issuer does not sign with it, or no longer does.
   *
   * @throws CheckUnavailable when a document of the issuer cannot be fetched.
   */
  public async find(issuer: string, verificationMethod: string, now: Date): Promise<KeyObject | undefined> {
    const purpose = purposes.find((one): boolean => issuer === issuerOf(one, this.iris));
    if (purpose) {
      return this.findOwn(purpose, verificationMethod) ??
        (await this.keys.refresh() ? this.findOwn(purpose, verificationMethod) : undefined);
    }
    if (issuer.startsWith(didKey)) {
      return findInDid(issuer, verificationMethod);
    }
    return this.findAbroad(issuer, verificationMethod, now);
  }

  private findOwn(purpose: SigningPurpose, verificationMethod: string): KeyObject | undefined {
    return this.keys.getSigningKeys(purpose)
      .find((key): boolean => verificationMethodOf(purpose, key, this.iris) === verificationMethod)?.publicKey;
  }

  private async findAbroad(issuer: string, verificationMethod: string, now: Date): Promise<KeyObject | undefined> {
    if (!isWebUrl(issuer) || !isWebUrl(verificationMethod)) {
      return undefined;
    }
    const location = verificationMethod.split('#')[0];
    const controller = await this.fetchDocument(issuer);
    if (controller.id !== issuer || !asserts(controller, verificationMethod)) {
      return undefined;
    }
    const document = location === issuer ? controller : await this.fetchDocument(location);
    const method = findMethod(document, verificationMethod);
    return method && isUsable(method, issuer, now) ? decodeMultikey(method.publicKeyMultibase) : undefined;
  }

  private async fetchDocument(url: string): Promise<Record<string, unknown>> {
    let document: unknown;
    try {
      document = await this.fetchJson(url);
    } catch (error: unknown) {
      throw new CheckUnavailable(`The key document ${url} cannot be fetched`, { cause: error });
    }
    if (!isRecord(document)) {
      throw new CheckUnavailable(`The key document ${url} is not a JSON object`);
    }
    return document;
  }
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//u.test(text) && URL.canParse(text);
}

function findInDid(issuer: string, verificationMethod: string): KeyObject | undefined {
  const multikey = issuer.slice(didKey.length);
  return verificationMethod === `${issuer}#${multikey}` ? decodeMultikey(multikey) : undefined;
}

function asserts(controller: Record<string, unknown>, verificationMethod: string): boolean {
  return asList(controller.assertionMethod).some((method): boolean => idOf(method) === verificationMethod);
}

/** Finds a key, which may be the document itself, or an item of either of two members. */
function findMethod(document: Record<string, unknown>, id: string): Record<string, unknown> | undefined {
  const methods = [ document, ...asList(document.verificationMethod), ...asList(document.assertionMethod) ];
  return methods.filter(isRecord).find((method): boolean => method.id === id);
}

function isUsable(method: Record<string, unknown>, issuer: string, now: Date): boolean {
  return keyTypes.has(method.type) && idOf(method.controller) === issuer &&
    !hasCome(method.revoked, now) && !hasCome(method.expires, now);
}

/** Checks whether a moment has come; what is no moment has, so that no key outlives a mistake in its end. */
function hasCome(moment: unknown, now: Date): boolean {
  return moment !== undefined && !(readDate(moment) > now.getTime());
}
