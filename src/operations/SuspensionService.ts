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

/** The subject of a suspension: one of the two. */
export type Suspended = { dataUser: string } | { contract: string };

/** Result of a suspension. */
export interface SuspensionMade {
  /** The suspended WebID or contract, in canonical form. */
  what: Suspended;
  /** False when it was suspended already. */
  isNew: boolean;
  /** The grants in force that have no effect now. */
  stopped: GrantSummary;
}

/**
 * Suspends and resumes data users and contracts. Each takes effect at the next request, in every process, on all grants
 * concerned; nothing of the grants themselves is changed.
 *
 * A data user is suspended under the one spelling of the WebID, and under every other that grants in force have.
 */
export class SuspensionService {
  /**
   * @param records - Where it is noted, with a row in the audit record.
   * @param operator - Who does it.
   * @param now - Returns the current time.
   */
  public constructor(
    private readonly records: Records<SuspensionStores>,
    private readonly operator: string,
    private readonly now: Clock,
  ) {}

  /**
   * @param named - As it was typed.
   * @param isAhead - Whether it is wanted, too, when there is nothing to stop yet.
   *
   * @throws Refused for what can be no name of its kind, and for what stops no grant unless it `isAhead`.
   */
  public async suspend(named: Suspended, isAhead = false): Promise<SuspensionMade> {
    const what = spell(named);
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
   * @param named - As it was typed.
   *
   * @returns What is resumed.
   *
   * @throws Refused when it is not suspended.
   */
  public async resume(named: Suspended): Promise<Suspended> {
    const what = spell(named);
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

/** Names it in a sentence. */
export function describe(what: Suspended): string {
  return 'contract' in what ? `The contract ${what.contract}` : `The data user ${what.dataUser}`;
}

function others(selection: GrantSelection, name: string): string[] {
  return 'contract' in selection ? [] : selection.recipients.filter((recipient): boolean => recipient !== name);
}

/** Brings it into the one form that its kind has. */
function spell(named: Suspended): Suspended {
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
