import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import type { CredentialDocument } from '../credentials/Credential';
import type { AccessDecision } from '../grants/AccessDecision';
import type { AccessGrant } from '../grants/AccessGrant';
import { findPresentedGrant } from '../grants/findPresentedGrant';
import type { GrantStore } from '../grants/GrantStore';
import { parseAccessGrantVc } from '../grants/parseAccessGrantVc';
import type { CitizenStore } from '../identity/CitizenStore';
import { Problem, TokenInvalid, WebIdMissing } from '../problems';
import type { TokenRequest } from '../tokens/Caller';
import type { ProofStore } from '../tokens/ProofStore';
import { parseJws } from '../tokens/jws';
import type { TokenVerifier } from '../tokens/TokenVerifier';
import { ownIris } from '../vocabulary';
import type { ResourceUri } from '../pods/resourceUri';
import { invalidRequest, invalidTicket, OAuthError, requestDenied } from './OAuthError';
import type { PermissionTicket } from './PermissionTickets';
import { rptLifetimeSeconds } from './RequestingPartyTokens';
import type { UmaConfiguration } from './umaConfiguration';
import { claimTokenFormats, umaConfiguration, umaGrantType } from './umaConfiguration';
import type { UmaSigners } from './UmaSigners';

/** Stores for exchanging a grant for a token, and for recording the exchange. */
export interface UmaStores {
  audit: AuditLog;
  citizens: CitizenStore;
  grants: GrantStore;
  proofs: ProofStore;
}

/** Dependencies and settings of {@link UmaService}. */
export interface UmaServiceOptions {
  records: UmaStores;
  decision: Pick<AccessDecision, 'checkModes' | 'modes'>;
  verifier: Pick<TokenVerifier, 'verify'>;
  signers: UmaSigners;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** Parameters of a token request, by their names on the wire. */
export interface TokenForm {
  grant_type: string;
  ticket?: string;
  claim_token?: string;
  claim_token_format?: string;
}

/** A successful token response, by its names on the wire. */
export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  /** Lifetime in seconds. */
  expires_in: number;
}

/** Content of a claim token. */
type Claim = { credential: CredentialDocument } | { idToken: string };

/** The authenticated requesting party. */
interface Party {
  webId: WebId;
  app?: string;
}

/**
 * The authorization server: exchanges permission tickets for tokens with the rights of access grants.
 *
 * @see [User-Managed Access 2.0 Grant](https://docs.kantarainitiative.org/uma/wg/rec-oauth-uma-grant-2.0.html)
 */
export class UmaService {
  /** The discovery document. */
  public readonly configuration: UmaConfiguration;
  private readonly options: UmaServiceOptions;

  public constructor(options: UmaServiceOptions) {
    this.options = options;
    this.configuration = umaConfiguration(options.baseUrl);
  }

  /** Public keys of the tokens. */
  public async keys(): Promise<{ keys: object[] }> {
    return { keys: await this.options.signers.tokens.publicJwks() };
  }

  /**
   * Exchanges a permission ticket and a claim token for a requesting party token.
   *
   * @param form - The request.
   * @param proof - Solid-OIDC token of the requesting party.
   * @param context - Context of the request.
   *
   * @throws OAuthError, or problems of the Solid-OIDC token from its verifier.
   *
   * @see [User-Managed Access 2.0 Grant, section 3.3](https://docs.kantarainitiative.org/uma/wg/rec-oauth-uma-grant-2.0.html#uma-grant-type)
   */
  public async exchange(form: TokenForm, proof: TokenRequest, context: CallContext): Promise<TokenAnswer> {
    const ticket = this.openTicket(form);
    const claim = this.readClaim(form, ticket);
    const party = 'idToken' in claim ? await this.identify(claim.idToken, proof, ticket) : await this.callerOf(proof);
    await this.redeem(ticket);
    const grant = 'credential' in claim ?
        await this.getGrant(claim.credential, party.webId, ticket.resource) :
      undefined;
    if (!grant) {
      await this.requireAnyGrant(party.webId, ticket.resource);
    }
    await this.audit(party, ticket.resource, grant, context);
    const { signers } = this.options;
    return {
      access_token: await signers.tokens.issue({ webId: party.webId, resource: ticket.resource, grant: grant?.id }),
      token_type: 'Bearer',
      expires_in: rptLifetimeSeconds,
    };
  }

  private openTicket({ grant_type: grantType, ticket }: TokenForm): PermissionTicket {
    if (grantType !== umaGrantType) {
      throw new OAuthError(400, 'unsupported_grant_type', `The grant type must be ${umaGrantType}.`);
    }
    if (ticket === undefined) {
      throw invalidRequest('A permission ticket is required.');
    }
    const opened = this.options.signers.tickets.open(ticket);
    if (!opened) {
      throw invalidTicket();
    }
    return opened;
  }

  private readClaim({ claim_token: token, claim_token_format: format }: TokenForm, ticket: PermissionTicket): Claim {
    if ((token === undefined) !== (format === undefined)) {
      throw invalidRequest('claim_token and claim_token_format come together.');
    }
    if (token === undefined) {
      throw this.needInfo(ticket, 'A claim token is required.');
    }
    if (format === claimTokenFormats.idToken) {
      return { idToken: token };
    }
    if (format === claimTokenFormats.credential) {
      return { credential: readCredential(token) };
    }
    throw this.needInfo(ticket, 'This claim_token_format is not supported.');
  }

  private async callerOf(proof: TokenRequest): Promise<Party> {
    const { webId, app } = await this.options.verifier.verify(proof, { citizen: false, anyClient: true });
    // Only a policy with `byClient` accepts a token without a WebID.
    return { webId: webId!, app };
  }

  /**
   * Returns the WebID of an ID token. It must pass the checks of an access token: the audience, and the DPoP key or an
   * issuer whose unbound tokens are accepted. Otherwise a thief of an ID token made for an app alone could use it here.
   * If the request also has an access token, both must name the same WebID.
   */
  private async identify(token: string, proof: TokenRequest, ticket: PermissionTicket): Promise<Party> {
    if (proof.authorization !== undefined) {
      const caller = await this.callerOf(proof);
      if (parseJws(token)?.payload.webid !== caller.webId) {
        throw requestDenied('The claim token and the access token are not of the same WebID.');
      }
      return caller;
    }
    const scheme = proof.dpop === undefined ? 'Bearer' : 'DPoP';
    try {
      return await this.callerOf({ ...proof, authorization: `${scheme} ${token}` });
    } catch (error: unknown) {
      const isRefused = error instanceof TokenInvalid || error instanceof WebIdMissing;
      throw isRefused ? this.needInfo(ticket, describe(error)) : error;
    }
  }

  /** Uses up the ticket, whether or not a token is issued. */
  private async redeem({ id, expiresAt }: PermissionTicket): Promise<void> {
    // Each ticket counts as a caller of its own, so that other tickets do not use up its quota.
    const outcome = await this.options.records.proofs.remember(`ticket ${id}`, id, expiresAt, this.options.now());
    if (outcome !== 'fresh') {
      throw invalidTicket();
    }
  }

  private async getGrant(presented: CredentialDocument, webId: WebId, resource: ResourceUri): Promise<AccessGrant> {
    const { baseUrl, decision, records } = this.options;
    const grant = await findPresentedGrant(presented, records.grants, ownIris(baseUrl).accessIssuer);
    if (!grant) {
      throw requestDenied('The access grant was not issued here or was altered.');
    }
    try {
      await decision.checkModes(grant, webId, resource);
      return grant;
    } catch (error: unknown) {
      throw error instanceof Problem ? requestDenied(describe(error)) : error;
    }
  }

  private async requireAnyGrant(webId: WebId, resource: ResourceUri): Promise<void> {
    if ((await this.options.decision.modes(webId, resource)).size === 0) {
      throw requestDenied('No access grant gives this WebID access to the resource.');
    }
  }

  private needInfo({ resource }: PermissionTicket, description: string): OAuthError {
    return new OAuthError(403, 'need_info', description, {
      ticket: this.options.signers.tickets.issue(resource),
      required_claims: [{ claim_token_format: Object.values(claimTokenFormats) }],
    });
  }

  private async audit(
    { webId, app }: Party,
    resource: ResourceUri,
    grant: AccessGrant | undefined,
    context: CallContext,
  ): Promise<void> {
    const { audit, citizens } = this.options.records;
    audit.enqueue({
      type: 'grant.exchanged',
      at: this.options.now(),
      ...ofCall({ ...context, app }),
      personal: { webId, resource, ...grant && { grant: grant.uri }},
      citizenId: grant && (await citizens.findByWebId(grant.subject))?.id,
    });
  }
}

/**
 * Returns the one access grant in a presentation. Clients of access grants do not sign presentations: the access token
 * of the request identifies the presenter.
 */
function readCredential(token: string): CredentialDocument {
  try {
    return parseAccessGrantVc(token);
  } catch (error: unknown) {
    throw error instanceof Problem ? invalidRequest(describe(error)) : error;
  }
}

/** Describes a problem to the caller. Only parties to a grant learn what is wrong with it. */
function describe(problem: Problem): string {
  return problem.detail ?? `${problem.title}.`;
}
