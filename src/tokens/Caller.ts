import type { Concealed } from '../platform/Concealed';
import type { WebId } from '../platform/webId';

/** The caller, as the verified token names it. */
export interface Caller {
  /** A Solid-OIDC token, or the deprecated JWS token of a citizen. */
  kind: 'solid-oidc' | 'citizen-jws';
  webId?: WebId;
  /**
   * `citizen_national_id`, as the token has it and only when its issuer is a national one.
   * Not checked yet: a malformed one in a trusted token is the problem `identity-invalid`.
   */
  nationalNumber?: Concealed;
  /** The token has `citizen_national_id`, but from an issuer that is not believed for it. */
  nationalNumberNotBelieved?: boolean;
  issuer: string;
  /**
   * Only where the client is enough: true when the settings name the issuer, or it is this server. It is then believed
   * for the client that it names.
   */
  issuerListed?: boolean;
  /** Claims that the policy asks for, as the token has them. */
  claims?: Readonly<Record<string, unknown>>;
  /** `client_id`, else `azp`. */
  app?: string;
  expiresAt: Date;
}

/** The parts of a request that authenticate it. */
export interface TokenRequest {
  authorization?: string;
  dpop?: string | string[];
  method: string;
  /** The URL of the request under the configured base URL; query and fragment are ignored. */
  url: string;
}

/** Tokens that an operation takes. */
export interface TokenPolicy {
  /** Citizen operations on `/v1/webids`: also national tokens without `webid`, and the deprecated JWS token. */
  citizen: boolean;
  /** Ids of clients may have any form: on pods, where the server beneath asks for none. */
  anyClient?: boolean;
  /** Also tokens without `webid`, of an issuer that the settings name, that name their client. */
  byClient?: boolean;
  /** Claims that the caller is given beside the usual ones. */
  claims?: readonly string[];
}
