import { DateTime } from 'luxon';
import type { Duration } from 'luxon';
import type { CallContext } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import { NotCanonicalizable } from '../credentials/canonicalize';
import { siteOf } from '../platform/siteOf';
import { findResourceUri } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import { BodyInvalid, RequestMismatch, TooManyGrants } from '../problems';
import type { Records } from '../platform/Records';
import type { OwnIris } from '../vocabulary';
import type { AccessGrant, GrantKind, GrantTerms } from './AccessGrant';
import { accessEvents, answerEvent } from './accessEvents';
import type { GrantExtras } from './grantDocument';
import { citizenIdOf, grantEvent } from './grantEvents';
import type { GrantEventType } from './grantEvents';
import type { GrantSigner } from './GrantSigner';
import type { GrantStores } from './GrantStores';
import { findGrantId, grantUri } from './grantUri';
import { isAddressedTo, requestMismatch } from './requestMatch';
import type { ResourceControl } from './ResourceControl';
import type { Statement } from './Statement';
import { readStatement } from './Statement';

/** Parts and settings of {@link ClientGrantService}. */
export interface ClientGrantServiceOptions {
  records: Records<GrantStores>;
  signer: GrantSigner;
  control: ResourceControl;
  iris: Pick<OwnIris, 'accessIssuer' | 'base'>;
  now: Clock;
  newId: NewId;
  /** How long a client's grant lasts at most, from now; without it grants need not end. */
  maxGrantDuration?: Duration;
  /** Issuers whose users have no quota together, each of them still having one: those the operator answers for. */
  knownIssuers?: readonly string[];
  /** How many requests, grants and denials a WebID may have made in an hour. */
  maxPerWebId?: number;
  /** The same for all WebIDs together that issuers of one site vouch for which are unknown to the operator. */
  maxPerIssuer?: number;
}

/** The person for whom a statement is made. */
export interface Stater {
  webId: string;
  /** Issuer of the token. */
  issuer: string;
}

const windowSeconds = 60 * 60;
const maxRefusals = 3;
/** Characters of a signed credential: lists are made of them. */
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
 * Anyone may state one as themselves, on any resource: a grant has effect only where and while its subject controls the
 * resource, which is decided when it is used.
 */
export class ClientGrantService {
  private readonly options: ClientGrantServiceOptions;

  public constructor(options: ClientGrantServiceOptions) {
    this.options = options;
  }

  /**
   * Issues a credential on behalf of the caller, who is always its subject.
   *
   * @param credential - As a client posts it: outside data.
   *
   * @returns the JSON text of the signed credential.
   *
   * @throws BodyInvalid, ResourceUriInvalid when it is not what can be stated.
   * @throws RequestMismatch when the client wants it compared with a request that it does not answer.
   * @throws TooManyGrants when the caller, or the issuer of its token, had too many made.
   */
  public async issue(credential: unknown, stater: Stater, context: CallContext): Promise<string> {
    const { newId, now, records } = this.options;
    const statement = readStatement(credential, this.options.iris.base);
    await this.checkQuota(stater);
    const request = await this.requestOf(statement, stater.webId);
    const made = { at: now(), tokenIssuer: this.quotaOf(stater.issuer) };
    const id = newId();
    const grant = await this.sign({
      id,
      uri: grantUri(this.options.iris.accessIssuer, id),
      kind: statement.kind,
      subject: stater.webId,
      recipient: statement.recipient,
      modes: statement.modes,
      resources: statement.resources,
      purposes: statement.purposes,
      inherit: statement.inherit,
      request: statement.request,
      status: await records.statusLists.allocate('grants'),
      issuedAt: statement.issuedAt ?? made.at,
      made,
      expiresAt: this.endOf(statement, made.at),
    }, statement);
    if (grant.document.length > maxDocumentLength) {
      throw new BodyInvalid('In the credential, there is more text than 32 KiB: name fewer resources at once.');
    }
    const controlled = await this.controlledOf(grant);
    await records.transaction(async(stores): Promise<void> => {
      await stores.grants.insert(grant, controlled);
      await this.note(stores, grant, statement, request, context);
      // More than are added, so that their number does not grow.
      await stores.grants.settle(made.at, settledPerGrant);
    });
    return grant.document;
  }

  /**
   * Which resources the subject of a grant controls as it is stated, until some are found that it does not: whoever
   * states grants on what is not theirs pays for a few look-ups, and comes last in decisions.
   */
  private async controlledOf({ kind, resources, subject }: AccessGrant): Promise<string[]> {
    const controlled: string[] = [];
    const own = resources.map((resource): ResourceUri | undefined => findResourceUri(resource, this.options.iris.base))
      .filter((resource): resource is ResourceUri => resource !== undefined);
    let refusals = 0;
    for (const resource of kind === 'grant' ? own : []) {
      const isControlled = refusals < maxRefusals && await this.options.control.controls(subject, resource);
      refusals += Number(!isControlled);
      controlled.push(...isControlled ? [ resource ] : []);
    }
    return controlled;
  }

  private async sign(grant: GrantTerms, statement: Statement): Promise<AccessGrant> {
    try {
      return { ...grant, document: await this.options.signer.sign(grant, extrasOf(statement)) };
    } catch (error: unknown) {
      if (error instanceof NotCanonicalizable) {
        throw new BodyInvalid('The credential has a part that cannot be signed.', { cause: error });
      }
      throw error;
    }
  }

  /** A grant and the end of the request it answers are durable together. */
  private async note(
    { audit, citizens, events, grants }: GrantStores,
    grant: AccessGrant,
    statement: Statement,
    request: AccessGrant | undefined,
    context: CallContext,
  ): Promise<void> {
    // A template that is addressed to anyone stays open for the next.
    if (request && request.recipient !== '') {
      const isAnswered = await grants.answer(request.id, grant.kind === 'grant' ? 'granted' : 'denied');
      if (!isAnswered && statement.isRequestVerified) {
        throw new RequestMismatch('The request is no longer open.');
      }
    }
    const { at } = grant.made!;
    await events.raise([
      ...request && grant.kind !== 'request' ? [ answerEvent(request, grant, at) ] : [],
      ...accessEvents('AccessGranted', grant, at),
    ]);
    const citizenId = await citizenIdOf(grant, citizens);
    await audit.append(grantEvent(grant, { type: auditEvents[grant.kind], at, context, citizenId }));
  }

  /** The request that this answers, when the caller is who may answer it. Of other requests nothing is revealed. */
  private async requestOf(statement: Statement, caller: string): Promise<AccessGrant | undefined> {
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

  private async checkQuota({ webId, issuer }: Stater): Promise<void> {
    const { knownIssuers = [], maxPerWebId = 2000, maxPerIssuer = 20_000, now, records } = this.options;
    const since = new Date(now().getTime() - (windowSeconds * 1000));
    const isPast = await records.grants.countMade({ subject: webId }, since, maxPerWebId) >= maxPerWebId ||
      (!knownIssuers.includes(issuer) &&
        await records.grants.countMade({ tokenIssuer: this.quotaOf(issuer) }, since, maxPerIssuer) >= maxPerIssuer);
    if (isPast) {
      throw new TooManyGrants(undefined, { headers: { 'Retry-After': `${windowSeconds}` }});
    }
  }

  /** The key by which issuers share a quota: of one site there may be any number, each at a path, port or host. */
  private quotaOf(issuer: string): string {
    const { knownIssuers = []} = this.options;
    return knownIssuers.includes(issuer) ? issuer : siteOf(new URL(issuer).hostname);
  }

  private endOf({ kind, expiresAt }: Statement, now: Date): Date | undefined {
    const { maxGrantDuration } = this.options;
    if (kind !== 'grant' || !maxGrantDuration) {
      return expiresAt;
    }
    const last = DateTime.fromJSDate(now, { zone: 'utc' }).plus(maxGrantDuration).toJSDate();
    return expiresAt && expiresAt < last ? expiresAt : last;
  }
}

function extrasOf({ customFields, inbox, isRequestVerified, statedResources, templates }: Statement): GrantExtras {
  return {
    inbox,
    customFields,
    resources: statedResources,
    ...templates.length > 0 && { templates },
    ...isRequestVerified && { isRequestVerified },
  };
}
