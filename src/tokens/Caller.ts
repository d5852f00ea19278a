import type { Concealed } from '../platform/Concealed';
import type { WebId } from '../platform/webId';

/** The caller according to a verified token. */
export interface Caller {
  /** A Solid-OIDC token, or the deprecated JWS token of a citizen. */
  kind: 'solid-oidc' | 'citizen-jws';
  webId?: WebId;
  /**
   * `citizen_national_id` as in the token, only when its issuer is a national one. Not validated yet: a malformed one
   * in a trusted token is the problem `identity-invalid`.
   */
  nationalNumber?: Concealed;
  /** True when the token has `citizen_national_id`, but its issuer is not trusted for it. */
  nationalNumberNotBelieved?: boolean;
  issuer: string;
  /**
   * Only for operations by client: true when the settings name the issuer, or it is this server. Its `client_id` is
   * then trusted.
   */
  issuerListed?: boolean;
  /** Claims that the policy requests, as in the token. */
  claims?: Readonly<Record<string, unknown>>;
  /** `client_id`, else `azp`. */
  app?: string;
  expiresAt: Date;
}

/** A caller whose token names a WebID. */
export type WebIdCaller = Caller & { webId: WebId };

/** Parts of a request that authenticate it. */
export interface TokenRequest {
  authorization?: string;
  dpop?: string | string[];
  method: string;
  /** The URL of the request under the configured base URL; query and fragment are ignored. */
  url: string;
}

/** Tokens that an operation accepts. */
export interface TokenPolicy {
  /**
   * True for citizen operations on `/v1/webids`, which also accept national tokens without `webid`, and the deprecated
   * JWS token.
   */
  citizen: boolean;
  /** True when client ids may have any form: on pods, where the Solid server requires none. */
  anyClient?: boolean;
  /** True to also accept tokens without `webid` that name their client, from an issuer in the settings. */
  byClient?: boolean;
  /** Additional claims for the caller. */
  claims?: readonly string[];
}
