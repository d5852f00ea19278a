import type { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import type { JWK } from 'jose';
import type { SigningKey } from '../credentials/KeyStore';
import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import { isWebId } from '../platform/webId';
import { hasSignatureOf, parseJws } from '../tokens/jws';
import type { ResourceUri } from '../pods/resourceUri';
import { findResourceUri } from '../pods/resourceUri';
import { umaConfiguration } from './umaConfiguration';

/**
 * Content of a requesting party token: the rights of grants on one resource, without other rights of its holder. The
 * grants are checked on each use.
 */
export interface Rpt {
  /** WebID of the grantee. */
  webId: WebId;
  /** The one resource for which the token is valid. */
  resource: ResourceUri;
  /** Id of the one grant that was exchanged; when absent, all grants to the WebID count. */
  grant?: string;
}

/** Lifetime of an RPT in seconds. */
export const rptLifetimeSeconds = 300;

/** Header type of RPTs, unlike that of any other token, so that neither is accepted in place of the other. */
const type = 'rpt+jwt';
const maxLength = 8192;

/**
 * Issues and verifies requesting party tokens: plain bearer tokens, as clients of access grants expect, and therefore
 * short-lived and valid for one resource only.
 */
export class RequestingPartyTokens {
  private readonly issuer: string;
  private readonly audience: string;
  private jwks?: Promise<JWK[]>;

  /**
   * @param baseUrl - Base URL of this server: an origin with a trailing slash.
   * @param keys - Ed25519 keys: the first signs, all verify.
   * @param now - Clock.
   */
  public constructor(
    private readonly baseUrl: string,
    private readonly keys: readonly Pick<SigningKey, 'publicKey' | 'sign'>[],
    private readonly now: Clock,
  ) {
    this.issuer = umaConfiguration(baseUrl).issuer;
    this.audience = `${baseUrl}.uma/resources`;
  }

  /** Returns the public keys of the tokens, for the key set of the authorization server. */
  public async publicJwks(): Promise<JWK[]> {
    return this.jwks ??= Promise.all(this.keys.map(async({ publicKey }): Promise<JWK> => publish(publicKey)));
  }

  /** Issues a new token. */
  public async issue({ webId, resource, grant }: Rpt): Promise<string> {
    const [{ kid }] = await this.publicJwks();
    const iat = Math.floor(this.now().getTime() / 1000);
    const header = { alg: 'EdDSA', typ: type, kid };
    const payload = {
      webid: webId,
      resource,
      grant,
      iss: this.issuer,
      aud: this.audience,
      iat,
      exp: iat + rptLifetimeSeconds,
    };
    const text = [ header, payload ].map((part): string => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = await this.keys[0].sign(Buffer.from(text));
    return `${text}.${Buffer.from(signature).toString('base64url')}`;
  }

  /** Checks whether this looks like an RPT, without verifying it. */
  public recognises(token: string): boolean {
    return token.length <= maxLength && parseJws(token)?.header.typ === type;
  }

  /** Reads a token; returns `undefined` when it is not a valid one of this server, or has expired. */
  public verify(token: string): Rpt | undefined {
    const jws = token.length <= maxLength ? parseJws(token) : undefined;
    if (jws?.header.typ !== type || jws.header.alg !== 'EdDSA' ||
      !this.keys.some(({ publicKey }): boolean => hasSignatureOf(jws, 'EdDSA', publicKey))) {
      return;
    }
    const { iss, aud, exp, webid, resource, grant } = jws.payload;
    const isGood = iss === this.issuer && aud === this.audience && Number(exp) * 1000 > this.now().getTime();
    const uri = isGood && typeof resource === 'string' ? findResourceUri(resource, this.baseUrl) : undefined;
    return uri && typeof webid === 'string' && isWebId(webid) && (grant === undefined || typeof grant === 'string') ?
        { webId: webid, resource: uri, grant } :
      undefined;
  }
}

/** Returns a public key in the form of a key set. */
async function publish(key: KeyObject): Promise<JWK> {
  const jwk = await exportJWK(key);
  return { ...jwk, alg: 'EdDSA', use: 'sig', kid: await calculateJwkThumbprint(jwk) };
}
