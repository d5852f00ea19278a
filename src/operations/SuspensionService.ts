import type { AuditEvent, AuditEventType, AuditLog } from '../audit/AuditLog';
import type { SuspensionStore } from '../contracts/SuspensionStore';
import type { Clock } from '../platform/clock';
import type { GrantSelection, GrantStore, GrantSummary } from '../grants/GrantStore';
import { canonicalWebId } from '../platform/webId';
import type { Records } from '../platform/Records';
import { Refused } from './Refused';

/** Stores that a suspension reads and changes. */
export interface SuspensionStores {
  audit: AuditLog;
  grants: GrantStore;
  suspensions: SuspensionStore;
}

/** Subject of a suspension: a data user or a contract. */
export type Suspended = { dataUser: string } | { contract: string };

/** Result of a suspension. */
export interface SuspensionMade {
  /** The suspended WebID or contract, in canonical form. */
  what: Suspended;
  /** False when it was already suspended. */
  isNew: boolean;
  /** Grants in force that the suspension stops. */
  stopped: GrantSummary;
}

/**
 * Suspends and resumes data users and contracts. Takes effect on the next request, in every process, on all grants
 * concerned; the grants themselves do not change.
 *
 * A data user is suspended under the canonical spelling of the WebID and under every other spelling in grants in force.
 */
export class SuspensionService {
  /**
   * @param records - Store of suspensions, with an audit record.
   * @param operator - Name of the operator.
   * @param now - Returns the current time.
   */
  public constructor(
    private readonly records: Records<SuspensionStores>,
    private readonly operator: string,
    private readonly now: Clock,
  ) {}

  /**
   * @param named - Name as typed by the operator.
   * @param isAhead - Also suspends when there is nothing to stop yet.
   *
   * @throws Refused for an invalid name, and unless `isAhead` for one that stops no grant.
   */
  public async suspend(named: Suspended, isAhead = false): Promise<SuspensionMade> {
    const what = toCanonical(named);
    const at = this.now();
    const selection = await this.select(what, at);
    const stopped = await this.records.grants.summarise(selection, at);
    const names = 'contract' in what ? [ what.contract ] : [ what.dataUser, ...others(selection, what.dataUser) ];
    if (stopped.grants === 0 && !isAhead && !await this.records.suspensions.find(names)) {
      throw new Refused(`${describe(what)} has no grant in force: nothing would be stopped. ` +
        'Look for a typo, or suspend it ahead of time with --force.');
    }
    const isNew = await this.records.transaction(async({ suspensions, audit }): Promise<boolean> => {
      let added = 0;
      for (const name of names) {
        added += await suspensions.suspend(name, at) ? 1 : 0;
      }
      if (added > 0) {
        await audit.append(this.event('suspension.begun', what, at));
      }
      return added > 0;
    });
    return { what, isNew, stopped };
  }

  /**
   * @param named - Name as typed by the operator.
   *
   * @returns The resumed data user or contract.
   *
   * @throws Refused when it is not suspended.
   */
  public async resume(named: Suspended): Promise<Suspended> {
    const what = toCanonical(named);
    await this.records.transaction(async({ suspensions, audit }): Promise<void> => {
      const names = (await suspensions.list()).map(({ name }): string => name).filter((name): boolean =>
        'contract' in what ? name === what.contract : canonicalWebId(name) === what.dataUser);
      if (names.length === 0) {
        throw new Refused(`${describe(what)} is not suspended.`);
      }
      for (const name of names) {
        await suspensions.resume(name);
      }
      await audit.append(this.event('suspension.ended', what, this.now()));
    });
    return what;
  }

  private async select(what: Suspended, at: Date): Promise<GrantSelection> {
    if ('contract' in what) {
      return what;
    }
    const recipients = await this.records.grants.listRecipients(at);
    return { recipients: recipients.filter((recipient): boolean => canonicalWebId(recipient) === what.dataUser) };
  }

  private event(type: AuditEventType, what: Suspended, at: Date): AuditEvent {
    return 'contract' in what ?
        { type, at, facts: { contract: what.contract }, personal: { operator: this.operator }} :
        { type, at, personal: { operator: this.operator, dataUser: what.dataUser }};
  }
}

/** Describes a data user or contract within a sentence. */
export function describe(what: Suspended): string {
  return 'contract' in what ? `The contract ${what.contract}` : `The data user ${what.dataUser}`;
}

function others(selection: GrantSelection, name: string): string[] {
  return 'contract' in selection ? [] : selection.recipients.filter((recipient): boolean => recipient !== name);
}

/** Returns the name in canonical form. */
function toCanonical(named: Suspended): Suspended {
  if ('contract' in named) {
    const contract = named.contract.trim();
    if (!/^[\w.-]+$/u.test(contract)) {
      throw new Refused('A contract id has the characters A-Z a-z 0-9 . _ - only.');
    }
    return { contract };
  }
  const dataUser = canonicalWebId(named.dataUser);
  if (dataUser === undefined) {
    throw new Refused('A data user is given by its WebID: an http(s) URL.');
  }
  return { dataUser };
}
