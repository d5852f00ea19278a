import type { CallContext } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import { NotCanonicalizable } from '../credentials/canonicalize';
import { isOwnUri } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import { BodyInvalid, RequestMismatch } from '../problems';
import type { Records } from '../platform/Records';
import type { WebId } from '../platform/webId';
import type { OwnIris } from '../vocabulary';
import type { AccessGrant, GrantKind } from './AccessGrant';
import { findGrantId } from './AccessGrant';
import { accessEvents, answerEvent } from './accessEvents';
import type { ClientGrantLimits, Stater } from './ClientGrantLimits';
import type { GrantExtras } from './grantDocument';
import { citizenIdOf, grantEvent } from './grantEvents';
import type { GrantEventType } from './grantEvents';
import type { GrantIssuer, NewGrant } from './GrantIssuer';
import type { GrantStores } from './GrantStores';
import { isAddressedTo, requestMismatch } from './requestMatch';
import type { ResourceControl } from './ResourceControl';
import type { GrantStatement } from './GrantStatement';
import { readStatement } from './GrantStatement';

/** Dependencies of {@link ClientGrantService}. */
export interface ClientGrantServiceOptions {
  records: Records<GrantStores>;
  issuer: Pick<GrantIssuer, 'issue'>;
  limits: Pick<ClientGrantLimits, 'check' | 'endOf' | 'quotaOf'>;
  control: ResourceControl;
  iris: Pick<OwnIris, 'accessIssuer' | 'base'>;
  now: Clock;
}

const maxRefusals = 3;
/** Maximum length of a signed credential in characters, because lists contain whole credentials. */
const maxDocumentLength = 32 * 1024;
const settledPerGrant = 20;
const auditEvents: Record<GrantKind, GrantEventType> = {
  request: 'grant.requested',
  grant: 'grant.issued',
  denial: 'grant.denied',
};

/**
 * Issues access requests, grants and denials for clients.
 *
 * Anyone may state one in their own name, on any resource: a grant has effect only while its subject controls the
 * resource, which is checked on each use.
 */
export class ClientGrantService {
  private readonly options: ClientGrantServiceOptions;

  public constructor(options: ClientGrantServiceOptions) {
    this.options = options;
  }

  /**
   * Issues a credential on behalf of the caller, who is always its subject.
   *
   * @param credential - Credential as a client posts it: outside data.
   *
   * @returns the JSON text of the signed credential.
   *
   * @throws BodyInvalid, ResourceUriInvalid when it cannot be issued.
   * @throws RequestMismatch when the client asks for comparison with a request, and it does not match.
   * @throws TooManyGrants when the caller, or the issuer of its token, is over its quota.
   */
  public async issue(credential: unknown, stater: Stater, context: CallContext): Promise<string> {
    const { limits, now, records } = this.options;
    const statement = readStatement(credential, this.options.iris.base);
    await limits.check(stater);
    const request = await this.requestOf(statement, stater.webId);
    const made = { at: now(), tokenIssuer: limits.quotaOf(stater.issuer) };
    const grant = await this.sign({
      kind: statement.kind,
      subject: stater.webId,
      recipient: statement.recipient,
      modes: statement.modes,
      resources: statement.resources,
      purposes: statement.purposes,
      inherit: statement.inherit,
      request: statement.request,
      issuedAt: statement.issuedAt ?? made.at,
      made,
      expiresAt: limits.endOf(statement, made.at),
    }, statement);
    if (grant.document.length > maxDocumentLength) {
      throw new BodyInvalid('The credential has more than 32 KiB of text: name fewer resources at once.');
    }
    const controlled = await this.controlledOf(grant);
    await records.transaction(async(stores): Promise<void> => {
      await stores.grants.insert(grant, controlled);
      await this.note(stores, grant, statement, request, context);
      // Settles more grants than are added, so that the backlog does not grow.
      await stores.grants.settle(made.at, settledPerGrant);
    });
    return grant.document;
  }

  /**
   * Finds the resources that the subject of a grant controls when stating it, until a few turn out not to be. A grant
   * on other people's resources costs only a few look-ups, and decisions consider it last.
   */
  private async controlledOf({ kind, resources, subject }: AccessGrant): Promise<string[]> {
    const controlled: string[] = [];
    const own = resources.filter((resource): resource is ResourceUri => isOwnUri(resource, this.options.iris.base));
    let refusals = 0;
    for (const resource of kind === 'grant' ? own : []) {
      const isControlled = refusals < maxRefusals && await this.options.control.controls(subject, resource);
      refusals += Number(!isControlled);
      controlled.push(...isControlled ? [ resource ] : []);
    }
    return controlled;
  }

  private async sign(terms: NewGrant, statement: GrantStatement): Promise<AccessGrant> {
    try {
      return await this.options.issuer.issue(terms, extrasOf(statement));
    } catch (error: unknown) {
      if (error instanceof NotCanonicalizable) {
        throw new BodyInvalid('The credential has a part that cannot be signed.', { cause: error });
      }
      throw error;
    }
  }

  /** Stores a grant and the outcome of the request that it answers in one transaction. */
  private async note(
    { audit, citizens, events, grants }: GrantStores,
    grant: AccessGrant,
    statement: GrantStatement,
    request: AccessGrant | undefined,
    context: CallContext,
  ): Promise<void> {
    // A template addressed to anyone stays open for further answers.
    if (request && request.recipient !== '') {
      const isAnswered = await grants.answer(request.id, grant.kind === 'grant' ? 'granted' : 'denied');
      if (!isAnswered && statement.isRequestVerified) {
        throw new RequestMismatch('The request is no longer open.');
      }
    }
    // Set when it was issued, above.
    const { at } = grant.made!;
    await events.raise([
      ...request && grant.kind !== 'request' ? [ answerEvent(request, grant, at) ] : [],
      ...accessEvents('AccessGranted', grant, at),
    ]);
    const citizenId = await citizenIdOf(grant, citizens);
    await audit.append(grantEvent(grant, { type: auditEvents[grant.kind], at, context, citizenId }));
  }

  /** Returns the request that this answers, if the caller may answer it. Nothing is revealed about other requests. */
  private async requestOf(statement: GrantStatement, caller: WebId): Promise<AccessGrant | undefined> {
    const id = findGrantId(statement.request ?? '', this.options.iris.accessIssuer);
    const found = id === undefined ? undefined : await this.options.records.grants.findById(id);
    const request = found?.kind === 'request' && isAddressedTo(found, caller) ? found : undefined;
    if (statement.isRequestVerified) {
      const mismatch = request ?
          requestMismatch(statement, caller, request, this.options.now()) :
        'there is no such request to the caller';
      if (mismatch) {
        throw new RequestMismatch(`This does not answer the request: ${mismatch}.`);
      }
    }
    return request;
  }
}

function extrasOf({ customFields, inbox, isRequestVerified, statedResources, templates }: GrantStatement): GrantExtras {
  return {
    inbox,
    customFields,
    resources: statedResources,
    ...templates.length > 0 && { templates },
    ...isRequestVerified && { isRequestVerified },
  };
}
