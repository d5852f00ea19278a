/** Name of a problem type: the last path segment of its `type` URI, or '' for `about:blank`. */
export type ProblemName = string;

/** Members of a {@link Problem} beside its detail. */
export interface ProblemOptions {
  /** The error underneath: for the log only, never for the caller. */
  cause?: unknown;
  /** Response headers that belong to this answer, such as `WWW-Authenticate` or `Retry-After`. */
  headers?: Record<string, string>;
  /** Further members of the problem document: as `detail`, never personal data. */
  members?: Record<string, unknown>;
  /** For the log, where `detail` repeats what the caller sent. */
  reason?: string;
}

/**
 * An error that the caller gets to see, as an RFC 9457 problem document.
 *
 * `detail` is written for the caller and never holds a token, a national number or personal data.
 *
 * @see [RFC 9457, section 3.1](https://www.rfc-editor.org/rfc/rfc9457#section-3.1)
 */
export class Problem extends Error {
  public readonly headers: Record<string, string>;
  public readonly members: Record<string, unknown>;
  /** For the log: the rule that was broken. */
  public readonly reason?: string;

  public constructor(
    public readonly status: number,
    public readonly type: ProblemName,
    public readonly title: string,
    public readonly detail?: string,
    options: ProblemOptions = {},
  ) {
    super(detail ?? title, { cause: options.cause });
    this.name = new.target.name;
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
    this.reason = options.reason ?? detail;
  }
}

/** A class of problem: everything about it is fixed but the detail. */
export interface ProblemClass {
  new(detail?: string, options?: ProblemOptions): Problem;
  readonly status: number;
  readonly type: ProblemName;
  readonly title: string;
}

function problemType(status: number, type: ProblemName, title: string): ProblemClass {
  return class extends Problem {
    public static readonly status = status;
    public static readonly type = type;
    public static readonly title = title;

    public constructor(detail?: string, options?: ProblemOptions) {
      super(status, type, title, detail, options);
    }
  };
}

// Requests
export class BadRequest extends problemType(400, '', 'Bad Request') {}
export class CorrelationIdInvalid extends problemType(400, 'correlation-id-invalid', 'X-Correlation-Id is not a UUID') {}
export class BodyInvalid extends problemType(400, 'body-invalid', 'The request body is missing or not valid') {}
export class ParameterInvalid extends problemType(400, 'parameter-invalid', 'A request parameter is missing or malformed') {}
export class PathUnknown extends problemType(404, 'path-unknown', 'This path does not exist') {}
export class MethodNotAllowed extends problemType(405, 'method-not-allowed', 'This path does not support this method') {}
export class NotAcceptable extends problemType(406, 'not-acceptable', 'None of the accepted media types can be served') {}
export class PathTooLong extends problemType(414, 'path-too-long', 'The path is too long') {}
export class BodyTooLarge extends problemType(413, 'body-too-large', 'The request body is too large') {}
export class MediaTypeUnsupported extends problemType(415, 'media-type-unsupported', 'The request body has an unsupported media type') {}
export class RequestTimeout extends problemType(408, 'request-timeout', 'The request did not arrive in time') {}
export class HeadersTooLarge extends problemType(431, 'headers-too-large', 'The headers of the request are too large') {}
export class ForeignOrigin extends problemType(403, 'foreign-origin', 'A page of another site sent this request') {}
export class TooManyRequests extends problemType(429, 'too-many-requests', 'Too many requests') {}
export class TooManyFailures extends problemType(429, 'too-many-failures', 'Too many failed authentications from this address') {}
export class Unavailable extends problemType(503, 'unavailable', 'The service is unavailable at the moment') {}

// Tokens
export class TokenMissing extends problemType(401, 'token-missing', 'An access token is required') {}
export class TokenInvalid extends problemType(401, 'token-invalid', 'The access token or its DPoP proof is not valid') {}
export class TokenNotAccepted extends problemType(403, 'token-invalid', 'The access token or its DPoP proof is not valid') {}
export class TooManyProofs extends problemType(429, 'too-many-proofs', 'Too many DPoP proofs from this caller') {}
export class ClaimMissing extends problemType(403, 'claim-missing', 'The token lacks a claim that this operation needs') {}
/** Without a `webid` a token is no valid Solid-OIDC token. */
export class WebIdMissing extends problemType(401, 'claim-missing', 'The token lacks a claim that this operation needs') {}
export class IssuerNotNational extends problemType(403, 'issuer-not-national', 'This issuer is not trusted for citizen_national_id') {}
export class AppNotAllowed extends problemType(403, 'app-not-allowed', 'This application may not act for citizens') {}

// Identity
export class IdentityInvalid extends problemType(403, 'identity-invalid', 'The national number in the token is not valid') {}
export class IdentityMismatch extends problemType(403, 'identity-mismatch', 'The claims of the token name two different citizens') {}
export class IdentityAmbiguous extends problemType(403, 'identity-ambiguous', 'It is unclear which pod of the WebID to use') {}
export class AppNotFound extends problemType(404, 'app-not-found', 'There is no such app') {}
export class WebIdNotFound extends problemType(404, 'webid-not-found', 'The citizen has no WebID') {}
export class PodNameTaken extends problemType(409, 'pod-name-taken', 'This pod name is reserved or was used before') {}

// Log-in with the national identity
export class LoginNotOpen extends problemType(400, 'login-not-open', 'This log-in is unknown or has ended') {}
export class LoginCancelled extends problemType(403, 'login-cancelled', 'The log-in was cancelled at the provider') {}
export class LoginTooWeak extends problemType(403, 'login-too-weak', 'The log-in method is not strong enough') {}
export class LoginRefused extends problemType(403, 'login-refused', 'The response of the log-in provider is not valid') {}
export class LoginElsewhere extends problemType(403, 'login-elsewhere', 'The WebID of the citizen logs in at another server') {}
export class PasswordLoginOff extends problemType(403, 'password-login-off', 'This account cannot log in with a password') {}
export class CitizenLeaving extends problemType(409, 'citizen-leaving', 'The data of the citizen is being erased') {}
export class LoginProviderAway extends problemType(503, 'login-provider-away', 'The log-in provider does not respond') {}

// Contracts and personal data
export class ContractIdInvalid extends problemType(400, 'contract-id-invalid', 'This is not a contract id') {}
export class ContractNotFound extends problemType(404, 'contract-not-found', 'There is no such contract') {}
export class ContractNotConsumable extends problemType(400, 'contract-not-consumable', 'The contract cannot be consumed today') {}
export class ContractSuspended extends problemType(403, 'contract-suspended', 'The contract is suspended') {}
export class DataUserSuspended extends problemType(403, 'data-user-suspended', 'The data user is suspended') {}
export class ValueUnknown extends problemType(400, 'value-unknown', 'There is no such data value') {}
export class ValueChanged extends problemType(400, 'value-changed', 'The data value has changed since it was listed') {}
export class ValueInvalid extends problemType(400, 'value-invalid', 'The data value has errors and cannot be shared') {}
export class SourceUnavailable extends problemType(503, 'source-unavailable', 'The source of the data cannot be reached') {}

// Resources
export class ResourceUriInvalid extends problemType(400, 'resource-uri-invalid', 'The resource URI is not valid') {}
export class AccessGrantInvalid extends problemType(400, 'access-grant-invalid', 'X-Access-Grant is missing or not an access grant URI') {}
export class OriginNotHere extends problemType(403, 'origin-not-here', 'The resource is on another server') {}
export class AccessForbidden extends problemType(403, 'access-forbidden', 'No access to this resource') {}
export class ResourceNotFound extends problemType(404, 'resource-not-found', 'There is no such resource') {}
export class NotVerifiable extends problemType(404, 'not-verifiable', 'The resource is not a shared credential and cannot be verified') {}
export class NotValidAtOrigin extends problemType(404, 'not-valid-at-origin', 'The resource is not valid') {}
export class OriginUnavailable extends problemType(503, 'origin-unavailable', 'The origin of the data cannot be reached') {}
export class RangeNotSatisfiable extends problemType(416, 'range-not-satisfiable', 'The requested range does not exist') {}
export class PreconditionFailed extends problemType(412, 'precondition-failed', 'A condition of the request does not hold') {}

// Access grants
export class GrantNotUsable extends problemType(403, 'grant-not-usable', 'The access grant cannot be used') {}
export class GrantRevoked extends problemType(403, 'grant-revoked', 'The access grant was revoked') {}
export class GrantExpired extends problemType(403, 'grant-expired', 'The access grant has expired') {}
export class GrantSuspended extends problemType(403, 'grant-suspended', 'The access grant is suspended') {}
export class GrantNotCovering extends problemType(403, 'grant-not-covering', 'The access grant does not cover this resource or mode') {}
export class GrantNotFound extends problemType(404, 'grant-not-found', 'There is no such access grant') {}
export class RequestMismatch extends problemType(409, 'request-mismatch', 'This does not match the access request') {}
export class TooManyGrants extends problemType(429, 'too-many-grants', 'Too many access requests, grants or denials from this caller') {}

// Verification of business keys
export class BusinessKeyInvalid extends problemType(400, 'business-key-invalid', 'The business key is not valid') {}
export class CredentialMalformed extends problemType(400, 'credential-malformed', 'accessGrantVc is not an access grant credential') {}
export class CredentialNotOurs extends problemType(400, 'credential-not-ours', 'accessGrantVc was not issued here or was altered') {}
export class CredentialExpired extends problemType(400, 'credential-expired', 'accessGrantVc has expired') {}
export class CredentialRevoked extends problemType(400, 'credential-revoked', 'accessGrantVc was revoked') {}
export class CredentialNotGranted extends problemType(400, 'credential-not-granted', 'accessGrantVc does not have status ConsentStatusExplicitlyGiven') {}
export class CredentialNotYours extends problemType(400, 'credential-not-yours', 'accessGrantVc was issued to somebody else') {}
export class CredentialNotEffective extends problemType(400, 'credential-not-effective', 'accessGrantVc has no effect on any resource here') {}
export class TooManyBusinessKeys extends problemType(429, 'too-many-business-keys', 'Too many wrong business keys for this citizen') {}

// Data copies
export class DataCopyNotFound extends problemType(404, 'data-copy-not-found', 'There is no such data copy') {}
export class PurposeRequired extends problemType(400, 'purpose-required', 'A purpose is required') {}

// Events
export class EndpointNotProven extends problemType(400, 'endpoint-not-proven', 'The endpoint did not answer the challenge') {}
export class SubscriptionNotFound extends problemType(404, 'subscription-not-found', 'There is no such subscription') {}
export class EndpointTaken extends problemType(409, 'endpoint-taken', 'The caller has a subscription of this endpoint already') {}
export class TooManySubscriptions extends problemType(409, 'too-many-subscriptions', 'The caller has too many subscriptions') {}
export class EventsGone extends problemType(410, 'events-gone', 'The events after this cursor are no longer kept') {}

// Optional parts
export class NotEnabled extends problemType(404, 'not-enabled', 'This operation is not enabled on this server') {}
export class BuildingNotFound extends problemType(404, 'building-not-found', 'There is no such building document') {}
export class BuildingGone extends problemType(410, 'building-gone', 'This building document no longer exists') {}

// Plan requests: callers
export class OrganisationIdInvalid extends problemType(400, 'organisation-id-invalid', 'The header organisationId is missing or not a UUID') {}
export class OrganisationNotYours extends problemType(403, 'organisation-not-yours', 'The caller does not act for this organisation') {}
export class RoleMissing extends problemType(403, 'role-missing', 'The organisation lacks the role that this operation needs') {}
export class ScopeMissing extends problemType(403, 'scope-missing', 'The token lacks the scope that this operation needs') {}
export class NotOfOrganisation extends problemType(403, 'not-of-organisation', 'This belongs to another organisation') {}
export class VersionEnded extends problemType(410, 'version-ended', 'This version of the interface has ended') {}

// Plan requests: zones
export class ZoneMalformed extends problemType(400, 'zone-malformed', 'The zone is not a valid polygon or multipolygon') {}
export class ThirdCoordinate extends problemType(400, 'third-coordinate', 'A position has more than two coordinates') {}
export class TooManyPositions extends problemType(400, 'too-many-positions', 'The zone has too many positions') {}
export class RingTooShort extends problemType(400, 'ring-too-short', 'A ring has fewer than 4 positions') {}
export class RingNotClosed extends problemType(400, 'ring-not-closed', 'A ring does not end where it begins') {}
export class RingCrossed extends problemType(400, 'ring-crossed', 'A ring meets itself or another ring') {}
export class HoleOutside extends problemType(400, 'hole-outside', 'A hole is outside its polygon or inside another hole') {}
export class ShapeTooDense extends problemType(400, 'shape-too-dense', 'The zone has too many sides too close together') {}
export class CoordinatesInDegrees extends problemType(400, 'coordinates-in-degrees', 'The coordinates are degrees, not metres') {}
export class CoordinatesOfOtherSystem extends problemType(400, 'coordinates-of-other-system', 'The coordinates are of a system other than Srs') {}
export class CoordinatesImplausible extends problemType(400, 'coordinates-implausible', 'The coordinates are out of range for Srs') {}
export class OutsideServiceArea extends problemType(400, 'outside-service-area', 'The zone is not within the service area') {}
export class PerimeterTooLong extends problemType(400, 'perimeter-too-long', 'The perimeter of the zone is too long') {}

// Plan requests: what there is
export class IdMismatch extends problemType(400, 'id-mismatch', 'The id in the body differs from that in the path') {}
export class PhoneInvalid extends problemType(400, 'phone-invalid', 'The phone number has invalid characters') {}
export class UnaNotFound extends problemType(404, 'una-not-found', 'There is no such utility network authority') {}
export class UnaZoneNotFound extends problemType(404, 'una-zone-not-found', 'There is no such zone of a utility network authority') {}
export class ZoneGeometryNotFound extends problemType(404, 'zone-geometry-not-found', 'The zone has no such geometry') {}
export class ZoneInUse extends problemType(409, 'zone-in-use', 'Plan requests are open in this zone') {}
export class PdaZoneNotFound extends problemType(404, 'pda-zone-not-found', 'There is no such zone of a public domain authority') {}
export class AnswerGiven extends problemType(409, 'answer-given', 'The plan request was answered in this zone') {}
export class ValidationRunning extends problemType(409, 'validation-running', 'A package is being validated') {}
export class PackageReportNotFound extends problemType(404, 'package-report-not-found', 'There is no report of a package') {}
export class AnswerNotAvailable extends problemType(404, 'answer-not-available', 'No package can be downloaded') {}
export class TooManyUnas extends problemType(409, 'too-many-unas', 'The organisation has too many utility network authorities') {}
export class TooManyZones extends problemType(409, 'too-many-zones', 'The organisation has too many zones') {}
export class TooManyZonePositions extends problemType(409, 'too-many-zone-positions', 'The zones of the organisation have too many positions') {}
export class TooManyTests extends problemType(429, 'too-many-tests', 'Too many packages of the organisation are being tested') {}
export class StorageFull extends problemType(507, 'storage-full', 'There is no room for the package') {}
export class MapRequestNotFound extends problemType(404, 'map-request-not-found', 'There is no such map request') {}
export class DeliveryDataRefused extends problemType(400, 'delivery-data-refused', 'A plan request takes no delivery data') {}
export class PeriodInvalid extends problemType(400, 'period-invalid', 'The works end before they start') {}
export class PeriodInPast extends problemType(400, 'period-in-past', 'The works start in the past') {}
export class NatureOfWorksUnknown extends problemType(400, 'nature-of-works-unknown', 'The nature of works is not in the list') {}
