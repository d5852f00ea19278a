import type { AuditEvent, AuditEventType } from '../audit/AuditLog';
import type { Clock } from '../clock';
import type { Records } from '../records';
import { Refused } from './Refused';

/** What is suspended or resumed: one of the two. */
export type Suspended = { dataUser: string } | { contract: string };

/**
 * Suspends and resumes data users and contracts. Each takes effect at the next request, in every process, on all grants
 * concerned; nothing of the grants themselves is changed.
 */
export class SuspensionService {
  /**
   * @param records - Where it is noted, with a row in the audit record.
   * @param operator - Who does it.
   * @param now - Tells the time.
   */
  public constructor(
    private readonly records: Pick<Records, 'transaction'>,
    private readonly operator: string,
    private readonly now: Clock,
  ) {}

  /** Whether this changed anything: `false` when it was suspended already. */
  public async suspend(what: Suspended): Promise<boolean> {
    const at = this.now();
    return this.records.transaction(async({ suspensions, audit }): Promise<boolean> => {
      const isNew = await suspensions.suspend(nameOf(what), at);
      if (isNew) {
        await audit.append(this.event('suspension.begun', what, at));
      }
      return isNew;
    });
  }

  /** Whether this changed anything: `false` when it was not suspended. */
  public async resume(what: Suspended): Promise<boolean> {
    return this.records.transaction(async({ suspensions, audit }): Promise<boolean> => {
      const wasSuspended = await suspensions.resume(nameOf(what));
      if (wasSuspended) {
        await audit.append(this.event('suspension.ended', what, this.now()));
      }
      return wasSuspended;
    });
  }

  private event(type: AuditEventType, what: Suspended, at: Date): AuditEvent {
    return 'contract' in what ?
        { type, at, facts: { contract: what.contract }, personal: { operator: this.operator }} :
        { type, at, personal: { operator: this.operator, dataUser: what.dataUser }};
  }
}

/**
 * The one name that both kinds share a column by.
 *
 * @throws Refused when it cannot be one of its kind.
 */
function nameOf(what: Suspended): string {
  if ('contract' in what) {
    if (!/^[\w.-]+$/u.test(what.contract)) {
      throw new Refused('A contract id has the characters A-Z a-z 0-9 . _ - only.');
    }
    return what.contract;
  }
  if (!URL.canParse(what.dataUser) || !/^https?:/u.test(what.dataUser)) {
    throw new Refused('A data user is given by its WebID: an http(s) URL.');
  }
  return what.dataUser;
}
