import { signatureAlgorithms } from '../tokens/jws';
import { ownIris } from '../vocabulary';

/** Grant type of a token request with a permission ticket. */
export const umaGrantType = 'urn:ietf:params:oauth:grant-type:uma-ticket';

/** Formats of claim tokens: a presentation of an access grant, or an ID token. */
export const claimTokenFormats = {
  credential: 'https://www.w3.org/TR/vc-data-model/#json-ld',
  idToken: 'http://openid.net/specs/openid-connect-core-1_0.html#IDToken',
} as const;

/** The discovery document of the authorization server, by its names on the wire. */
export interface UmaConfiguration {
  issuer: string;
  token_endpoint: string;
  jwks_uri: string;
  /** Name of `jwks_uri` in clients of access grants. */
  jwks_url: string;
  /** Issuer URL of access grants, by which clients find the access-grant service. */
  verifiable_credential_issuer: string;
  grant_types_supported: string[];
  response_types_supported: string[];
  token_endpoint_auth_methods_supported: string[];
  uma_profiles_supported: string[];
  dpop_signing_alg_values_supported: string[];
}

/**
 * Makes the discovery document of the authorization server at a base URL.
 *
 * @see [User-Managed Access 2.0 Grant, section 2](https://docs.kantarainitiative.org/uma/wg/rec-oauth-uma-grant-2.0.html#as-config)
 */
export function umaConfiguration(baseUrl: string): UmaConfiguration {
  const keys = `${baseUrl}.uma/keys`;
  return {
    // Without a trailing slash, because some clients append the path of this document.
    issuer: new URL(baseUrl).origin,
    token_endpoint: `${baseUrl}.uma/token`,
    jwks_uri: keys,
    jwks_url: keys,
    verifiable_credential_issuer: ownIris(baseUrl).accessIssuer,
    grant_types_supported: [ umaGrantType ],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: [ 'none' ],
    uma_profiles_supported: Object.values(claimTokenFormats),
    dpop_signing_alg_values_supported: [ ...signatureAlgorithms ],
  };
}
