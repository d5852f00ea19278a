import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuditEventType, AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { SuspensionStore } from '../contracts/SuspensionStore';
import type { Citizen, CitizenStore } from '../identity/CitizenStore';
import { NationalNumber } from '../identity/NationalNumber';
import type { PodHost } from '../identity/PodHost';
import type { Person } from '../identity/WebIdService';
import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import {
  CitizenLeaving,
  DataUserSuspended,
  LoginElsewhere,
  LoginNotOpen,
  ParameterInvalid,
  Problem,
} from '../problems';
import type { LoginProvider } from './LoginProvider';
import type { LoginStore, NamedCitizen, Newcomer, OpenLogin } from './LoginStore';
import type { NationalIdentity, RelyingParty } from './RelyingParty';

/** Dependencies of {@link CitizenLogins}. */
export interface CitizenLoginsOptions {
  /** One relying party for each provider, in the order offered to citizens. */
  parties: readonly RelyingParty[];
  store: LoginStore;
  records: {
    audit: Pick<AuditLog, 'append' | 'enqueue'>;
    citizens: Pick<CitizenStore, 'findByNationalNumber'>;
    suspensions: Pick<SuspensionStore, 'find'>;
  };
  webIds: { createFor: (person: Person, context: CallContext) => Promise<unknown> };
  pods: Pick<PodHost, 'findAccount'>;
  now: Clock;
}

/** The browser of a log-in, and the app that it is for. */
export interface LoginOrigin {
  /** Secret in the browser's cookie. */
  browser: string;
  /** The app's log-in request to continue afterwards. */
  interaction?: string;
  /** Maximum seconds since authentication, if the app sets it. */
  maxAge?: number;
  /** True when the app requires a new authentication. */
  again?: boolean;
}

/** A citizen who is logged in. */
export interface LoggedIn {
  accountId: string;
  webId: WebId;
  provider: string;
  /** Time of authentication at the provider, if it states that, in ms since 1970. */
  authenticatedAt?: number;
  interaction?: string;
}

/** A newcomer who may become a citizen: the ticket is valid once, in the same browser. */
export interface Invited {
  ticket: string;
  provider: string;
  /** Name of the newcomer, if the provider states it. */
  name?: string;
}

/** A log-in in progress, at either stage. */
type Kept = Newcomer | OpenLogin;

/** A provider where the citizen can log out. */
export interface LogOutThere {
  provider: LoginProvider;
  /** URL to send the browser to. */
  location: string;
}

/** Time limits for a log-in at the provider, and for the decision of a newcomer. */
const ageMs = 900_000;
/** Time, in ms, for which a browser is offered log-out at the provider: sessions there are shorter. */
const thereMs = 86_400_000;
const secretBytes = 32;
const secretShape = /^[\w-]{43}$/u;
/** Maximum length of the parameters of a provider's response. */
const longestAnswer = 8192;

/**
 * Log-ins of citizens at national identity providers. Logs a recorded citizen in to their account and WebID; offers
 * both to a newcomer.
 */
export class CitizenLogins {
  private readonly parties: ReadonlyMap<string, RelyingParty>;

  public constructor(private readonly options: CitizenLoginsOptions) {
    this.parties = new Map(options.parties.map((party): [string, RelyingParty] => [ party.provider.id, party ]));
  }

  /** The providers that citizens can choose, in the order of the settings. */
  public get providers(): LoginProvider[] {
    return this.options.parties.map(({ provider }): LoginProvider => provider);
  }

  /** Creates the secret to which a browser's log-ins are bound. */
  public static newBrowser(): string {
    return newSecret();
  }

  /** Checks whether a cookie may be a secret made here. */
  public static isBrowser(cookie: string): boolean {
    return secretShape.test(cookie);
  }

  /**
   * Begins a log-in.
   *
   * @returns The URL to send the browser to.
   *
   * @throws ParameterInvalid for an unknown provider, LoginProviderAway, LoginRefused
   */
  public async begin(providerId: string, { again, browser, interaction, maxAge }: LoginOrigin): Promise<string> {
    const party = this.getParty(providerId);
    const login: OpenLogin = {
      kind: 'open',
      provider: providerId,
      browser: digest(browser),
      interaction,
      maxAge,
      state: newSecret(),
      nonce: newSecret(),
      verifier: newSecret(),
    };
    const url = await party.start(login, again ? { prompt: 'login' } : {});
    await this.options.store.put(login.state, login, ageMs);
    return url.href;
  }

  /**
   * Handles the response of a provider, which ends the log-in, whatever the outcome.
   *
   * @param providerId - Id of the provider whose redirect URI received it.
   * @param answer - Parameters of the response.
   * @param browser - Secret of the browser.
   *
   * @throws LoginNotOpen, LoginCancelled, LoginTooWeak, LoginRefused, LoginProviderAway, LoginElsewhere, ClaimMissing,
   *   IdentityInvalid, CitizenLeaving, DataUserSuspended
   */
  public async finish(
    providerId: string,
    answer: string,
    browser: string | undefined,
    context: CallContext,
  ): Promise<Invited | LoggedIn> {
    const party = this.getParty(providerId);
    return this.recording(providerId, context, async(): Promise<Invited | LoggedIn> => {
      const parameters = readAnswer(answer);
      const login = await this.take(parameters.get('state'), 'open', { provider: providerId, browser });
      const identity = await party.finish(parameters, login);
      const { interaction } = login;
      return await this.findKnown(identity, { provider: providerId, browser: login.browser, interaction }, context) ??
        this.invite(identity, login);
    });
  }

  /**
   * Creates the WebID and pod of a newcomer who accepts, like PUT `/v1/webids`.
   *
   * @throws LoginNotOpen, and as {@link WebIdService.createFor}.
   */
  public async accept(ticket: string, browser: string | undefined, context: CallContext): Promise<LoggedIn> {
    return this.recording(undefined, context, async(): Promise<LoggedIn> => {
      const newcomer = await this.take(ticket, 'newcomer', { browser });
      const nationalNumber = NationalNumber.stored(newcomer.nationalNumber);
      await this.options.webIds.createFor({ nationalNumber }, context);
      const known = await this.findKnown({ ...newcomer, nationalNumber }, newcomer, context);
      if (!known) {
        throw new CitizenLeaving();
      }
      return known;
    });
  }

  /**
   * Forgets a newcomer who declines.
   *
   * @returns The app's log-in request to end.
   *
   * @throws LoginNotOpen
   */
  public async decline(
    ticket: string,
    browser: string | undefined,
    context: CallContext,
  ): Promise<Pick<Newcomer, 'interaction'>> {
    return this.recording(undefined, context, async(): Promise<Pick<Newcomer, 'interaction'>> => {
      const { interaction, provider } = await this.take(ticket, 'newcomer', { browser });
      this.record('login.refused', context, { provider, reason: 'declined' });
      return { interaction };
    });
  }

  /**
   * Finds where a browser that logged out here can also log out: once, for its last log-in at a provider.
   *
   * @param browser - Secret of the browser.
   * @param returnTo - URL to which the provider returns the browser.
   *
   * @returns `undefined` when it did not log in at a provider, or the provider offers no log-out or is unavailable.
   */
  public async leave(browser: string | undefined, returnTo: string): Promise<LogOutThere | undefined> {
    if (browser === undefined) {
      return;
    }
    const id = digest(browser);
    const there = await this.options.store.find(id);
    if (there?.kind !== 'there' || !await this.options.store.remove(id)) {
      return;
    }
    const party = this.parties.get(there.provider);
    const location = await party?.findLogOut(returnTo);
    return party && location && { provider: party.provider, location: location.href };
  }

  /**
   * Finds the name of the citizen who last logged in at a provider in a browser.
   *
   * @param browser - Secret of the browser.
   * @param accountId - Account that is logged in there now.
   *
   * @returns `undefined` when another account is logged in, or the provider states no name.
   */
  public async findName(
    browser: string | undefined,
    accountId: string | undefined,
  ): Promise<NamedCitizen | undefined> {
    const there = browser === undefined ? undefined : await this.options.store.find(digest(browser));
    if (there?.kind === 'there' && there.citizen && there.citizen.accountId === accountId) {
      const { name, webId } = there.citizen;
      return { name, webId };
    }
  }

  private getParty(id: string): RelyingParty {
    const party = this.parties.get(id);
    if (!party) {
      throw new ParameterInvalid('There is no such provider.');
    }
    return party;
  }

  /** Takes a log-in in progress in this browser. Another browser cannot end it. */
  private async take<T extends Kept['kind']>(
    id: string | null,
    kind: T,
    { browser, provider }: { browser?: string; provider?: string },
  ): Promise<Extract<Kept, { kind: T }>> {
    const found = id !== null && secretShape.test(id) ? await this.options.store.find(id) : undefined;
    // TypeScript does not narrow a type parameter by this comparison.
    const login = found?.kind === kind ? found as Extract<Kept, { kind: T }> : undefined;
    const isMeant = id !== null && login && (provider === undefined || login.provider === provider) &&
      browser !== undefined && isSame(login.browser, digest(browser));
    if (!isMeant || !await this.options.store.remove(id)) {
      throw new LoginNotOpen();
    }
    return login;
  }

  private async findKnown(
    { acr, authenticatedAt, name, nationalNumber }: NationalIdentity,
    { browser, interaction, provider }: Pick<Newcomer, 'browser' | 'interaction' | 'provider'>,
    context: CallContext,
  ): Promise<LoggedIn | undefined> {
    const { citizens, suspensions } = this.options.records;
    let citizen = await citizens.findByNationalNumber(nationalNumber);
    if (citizen?.state === 'DELETING') {
      throw new CitizenLeaving();
    }
    if (citizen?.state === 'CREATING') {
      // Requested before, and interrupted.
      await this.options.webIds.createFor({ nationalNumber }, context);
      citizen = await citizens.findByNationalNumber(nationalNumber);
    }
    if (citizen?.state !== 'ACTIVE') {
      return;
    }
    if (await suspensions.find([ citizen.webId ])) {
      throw new DataUserSuspended();
    }
    const accountId = await this.accountOf(citizen);
    const facts = { provider, ...acr !== undefined && { acr }};
    await this.options.records.audit.append({
      type: 'login.succeeded',
      at: this.options.now(),
      ...ofCall(context, facts),
      personal: { webId: citizen.webId },
      citizenId: citizen.id,
    });
    const { webId } = citizen;
    const named = name === undefined ? undefined : { accountId, webId, name };
    await this.options.store.put(browser, { kind: 'there', provider, citizen: named }, thereMs);
    return { accountId, webId, provider, authenticatedAt, interaction };
  }

  private async accountOf(citizen: Citizen): Promise<string> {
    const accountId = await this.options.pods.findAccount(citizen);
    if (accountId === undefined) {
      throw new LoginElsewhere();
    }
    return accountId;
  }

  private async invite(
    { acr, authenticatedAt, name, nationalNumber }: NationalIdentity,
    login: OpenLogin,
  ): Promise<Invited> {
    const { browser, interaction, provider } = login;
    const ticket = newSecret();
    await this.options.store.put(ticket, {
      kind: 'newcomer',
      provider,
      browser,
      interaction,
      nationalNumber: nationalNumber.reveal(),
      name,
      acr,
      authenticatedAt,
    }, ageMs);
    return { ticket, provider, name };
  }

  private async recording<T>(provider: string | undefined, context: CallContext, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error: unknown) {
      const reason = error instanceof Problem ? error.type : 'failed';
      this.record('login.refused', context, { ...provider !== undefined && { provider }, reason });
      throw error;
    }
  }

  private record(type: AuditEventType, context: CallContext, facts: Record<string, string>): void {
    this.options.records.audit.enqueue({ type, at: this.options.now(), ...ofCall(context, facts) });
  }
}

/** Reads the parameters of a response, each of which may appear only once. */
function readAnswer(answer: string): URLSearchParams {
  if (answer.length > longestAnswer) {
    throw new LoginNotOpen();
  }
  const parameters = new URLSearchParams(answer);
  if (new Set(parameters.keys()).size !== parameters.size) {
    throw new LoginNotOpen();
  }
  return parameters;
}

function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

function digest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
