import type { JWK } from 'jose';

/** Languages that the name of a provider is given in. */
export const providerLanguages = [ 'nl', 'fr', 'de', 'en' ] as const;

/** Authentication of this server at the token endpoint of a provider. */
export type ClientAuthentication =
  { method: 'client_secret_basic' | 'client_secret_post'; secret: string } |
  { method: 'none' } |
  /**
   * Without a key of its own, the signing key of this server's identity provider is used, which `keys` rotates.
   * Assertions are for the issuer or, for providers that accept no other, the URL of the token endpoint.
   */
  { method: 'private_key_jwt'; key?: JWK; audience?: 'issuer' | 'token_endpoint' };

/** Place of the national number in a provider's claims. */
export interface NumberClaim {
  from: 'id_token' | 'userinfo';
  /** Name of a claim, or a JSON Pointer. */
  claim: string;
  /** Text before the number. */
  prefix?: string;
  /** Regular expression for the whole of each number, in its normal form, that it may state; any without it. */
  pattern?: string;
}

/** A national identity provider, and how this server is registered there. */
export interface LoginProvider {
  /** Path segment of its redirect URI. */
  id: string;
  issuer: string;
  name: Record<typeof providerLanguages[number], string>;
  clientId: string;
  clientAuthentication: ClientAuthentication;
  /** `openid` among them. */
  scopes: string[];
  nationalNumber: NumberClaim;
  /** Levels of assurance that are asked for, the most wanted first. */
  acrValues: string[];
  /** Levels of assurance that are enough; none given: any. */
  acceptedAcr?: string[];
  /** Private keys for ID tokens and userinfo that are encrypted. */
  decryptionKeys: JWK[];
  /** True when authorization requests are pushed (RFC 9126). */
  par: boolean;
  /** True when authorization requests are signed (RFC 9101). */
  requestObject: boolean;
  /** Further parameters of authorization requests. */
  parameters: Record<string, string>;
}
