import type { OwnIris } from '../vocabulary';
import { CONTEXTS } from '../platform/contextFiles';
import type { KeyStore, SigningKey, SigningPurpose } from './KeyStore';

/** Issuer URL of the credentials that the keys of this purpose sign. */
export function issuerOf(purpose: SigningPurpose, iris: OwnIris): string {
  return purpose === 'grants' ? iris.accessIssuer : iris.credentialIssuer;
}

/** URL of a public key: a fragment of the issuer's controller document. */
export function verificationMethodOf(purpose: SigningPurpose, key: SigningKey, iris: OwnIris): string {
  return `${issuerOf(purpose, iris)}#${key.id}`;
}

interface VerificationMethod {
  id: string;
  type: string;
  controller: string;
  publicKeyMultibase: string;
}

/**
 * Returns the controller document of an issuer, which lists its keys for signing credentials.
 *
 * Keys of grants have the type that verifiers of `Ed25519Signature2020` know best; the others are Multikeys.
 *
 * @see [Controlled Identifiers v1.0, section 2](https://www.w3.org/TR/cid-1.0/#data-model)
 */
function controllerDocument(purpose: SigningPurpose, keys: KeyStore, iris: OwnIris): object {
  const controller = issuerOf(purpose, iris);
  const methods = keys.getSigningKeys(purpose).map((key): VerificationMethod => ({
    id: verificationMethodOf(purpose, key, iris),
    type: purpose === 'grants' ? 'Ed25519VerificationKey2020' : 'Multikey',
    controller,
    publicKeyMultibase: key.publicKeyMultibase,
  }));
  return {
    '@context': [ CONTEXTS.controlledIdentifier, purpose === 'grants' ? CONTEXTS.ed25519Suite : CONTEXTS.multikey ],
    id: controller,
    verificationMethod: methods,
    assertionMethod: methods.map(({ id }): string => id),
  };
}

/**
 * Returns the key documents by path, to be served to anybody as `application/ld+json`. A verifier dereferences the URL
 * of an issuer or of a key, and clients do not send fragments: both lead to the same document.
 */
export function keyDocuments(keys: KeyStore, iris: OwnIris): ReadonlyMap<string, object> {
  const grants = controllerDocument('grants', keys, iris);
  return new Map([
    [ new URL(iris.accessIssuer).pathname, grants ],
    [ new URL('keys', iris.accessIssuer).pathname, grants ],
    [ new URL(iris.credentialIssuer).pathname, controllerDocument('credentials', keys, iris) ],
  ]);
}

/** Like {@link keyDocuments}, including keys that another process has added. */
export function freshKeyDocuments(
  keys: KeyStore,
  iris: OwnIris,
): { get: (path: string) => Promise<object | undefined> } {
  return {
    get: async(path): Promise<object | undefined> => {
      await keys.refresh();
      return keyDocuments(keys, iris).get(path);
    },
  };
}
