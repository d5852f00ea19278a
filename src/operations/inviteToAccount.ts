import { randomBytes } from 'node:crypto';
import type { AuditLog } from '../audit/AuditLog';
import type { Clock } from '../platform/clock';
import type { InvitationStore } from '../identity/InvitationStore';
import { invitationDigest, invitationId } from '../identity/InvitationStore';
import type { Transactions } from '../platform/Records';
import { Refused } from './Refused';

/** Options of an invitation. */
export interface InvitationArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** Validity of the invitation in hours. */
  hours: number;
  /** E-mail address of the invited person; when absent, anybody with the link can use it. */
  address?: string;
  /** Name of the operator, for the audit record. */
  operator: string;
  now: Clock;
}

/** An invitation link, for creating one account. */
export interface Invitation {
  link: string;
  /** Id for withdrawing it. */
  id: string;
  lapsesAt: Date;
}

const maxHours = 24 * 31;
const addressShape = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/u;

/**
 * Creates an invitation to make an account on a server with restricted registration. The code is in the fragment of the
 * link, which browsers do not send, so it reaches no log on the way.
 *
 * @throws Refused for an invalid URL, time or address.
 */
export async function inviteToAccount(
  records: Transactions<{ audit: AuditLog; invitations: InvitationStore }>,
  { address, baseUrl, hours, now, operator }: InvitationArgs,
): Promise<Invitation> {
  if (!(hours > 0 && hours <= maxHours)) {
    throw new Refused(`An invitation can be valid for at most ${maxHours} hours.`);
  }
  if (address !== undefined && (address.length > 254 || !addressShape.test(address))) {
    throw new Refused('This is not an e-mail address.');
  }
  const page = readPage(baseUrl);
  const code = randomBytes(32).toString('base64url');
  const at = now();
  const lapsesAt = new Date(at.getTime() + (hours * 3_600_000));
  const digest = invitationDigest(code, address);
  const id = invitationId(digest);
  await records.transaction(async({ audit, invitations }): Promise<void> => {
    await invitations.add(digest, lapsesAt, at);
    await audit.append({
      type: 'account.invited',
      at,
      facts: { id, isForAddress: address !== undefined },
      personal: { operator },
    });
  });
  return { link: `${page}#invitation=${code}`, id, lapsesAt };
}

/**
 * Withdraws an unused invitation: its link is refused from the next request on.
 *
 * @param records - Store of invitations.
 * @param id - Id as shown on creation and in lists.
 * @param by - Operator and time, for the audit record.
 * @param by.operator - Name of the operator.
 * @param by.now - The clock.
 *
 * @throws Refused when there is no valid one.
 */
export async function withdrawInvitation(
  records: Transactions<{ audit: AuditLog; invitations: InvitationStore }>,
  id: string,
  { now, operator }: Pick<InvitationArgs, 'now' | 'operator'>,
): Promise<void> {
  const at = now();
  await records.transaction(async({ audit, invitations }): Promise<void> => {
    if (!await invitations.withdraw(id, at)) {
      throw new Refused('There is no open invitation with this id: it was used, withdrawn, expired, or never existed.');
    }
    await audit.append({ type: 'account.invitation.withdrawn', at, facts: { id }, personal: { operator }});
  });
}

function readPage(baseUrl: string): string {
  if (!/^https?:\/\/./iu.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new Refused('--baseUrl must be the http(s) URL of the server.');
  }
  return new URL('.account/login/password/register/', `${baseUrl.replace(/\/+$/u, '')}/`).href;
}
