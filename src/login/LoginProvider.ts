import type { JWK } from 'jose';

/** Languages of a provider's name. */
export const providerLanguages = [ 'nl', 'fr', 'de', 'en' ] as const;

/** Authentication of this server at a provider's token endpoint. */
export type ClientAuthentication =
  { method: 'client_secret_basic' | 'client_secret_post'; secret: string } |
  { method: 'none' } |
  /**
   * Without `key`, the signing key of this server's identity provider is used, which `keys` rotates. The audience of
   * assertions is the issuer or, for providers that accept no other, the URL of the token endpoint.
   */
  { method: 'private_key_jwt'; key?: JWK; audience?: 'issuer' | 'token_endpoint' };

/** Place of the national number in a provider's claims. */
export interface NumberClaim {
  from: 'id_token' | 'userinfo';
  /** Name of a claim, or a JSON Pointer to it. */
  claim: string;
  /** Text before the number. */
  prefix?: string;
  /** Regular expression that the whole normal form of each number must match; any number without it. */
  pattern?: string;
}

/** A national identity provider, and this server's registration there. */
export interface LoginProvider {
  /** Path segment of its redirect URI. */
  id: string;
  issuer: string;
  name: Record<typeof providerLanguages[number], string>;
  clientId: string;
  clientAuthentication: ClientAuthentication;
  /** Scopes, which include `openid`. */
  scopes: string[];
  nationalNumber: NumberClaim;
  /** Name of the claim in ID tokens that holds the citizen's name, or a JSON Pointer to it. */
  nameClaim?: string;
  /** Requested levels of assurance, the preferred one first. */
  acrValues: string[];
  /** Accepted levels of assurance; any when absent. */
  acceptedAcr?: string[];
  /** Private keys for decrypting ID tokens and userinfo. */
  decryptionKeys: JWK[];
  /** True when authorization requests are pushed (RFC 9126). */
  par: boolean;
  /** True when authorization requests are signed (RFC 9101). */
  requestObject: boolean;
  /** Further parameters of authorization requests. */
  parameters: Record<string, string>;
}
