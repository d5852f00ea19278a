import { randomBytes } from 'node:crypto';
import type { AuditLog } from '../audit/AuditLog';
import type { Clock } from '../platform/clock';
import type { InvitationStore } from '../identity/InvitationStore';
import { invitationDigest } from '../identity/InvitationStore';
import type { Transactions } from '../platform/Records';
import { Refused } from './Refused';

/** Options of an invitation. */
export interface InvitationArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** How long the invitation is good. */
  hours: number;
  /** The e-mail address that it is for; whoever has the link when there is none. */
  address?: string;
  /** Name of who invites, for the audit record. */
  operator: string;
  now: Clock;
}

/** A link that makes one account. */
export interface Invitation {
  link: string;
  lapsesAt: Date;
}

const mostHours = 24 * 31;
const addressShape = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/u;

/**
 * Invites somebody to make an account on a server where not everybody may. The code is in the fragment of the link,
 * which no browser sends: it comes into no log on the way.
 *
 * @throws Refused for a URL, a time or an address that cannot be.
 */
export async function inviteToAccount(
  records: Transactions<{ audit: AuditLog; invitations: InvitationStore }>,
  { address, baseUrl, hours, now, operator }: InvitationArgs,
): Promise<Invitation> {
  if (!(hours > 0 && hours <= mostHours)) {
    throw new Refused(`An invitation is good for at most ${mostHours} hours.`);
  }
  if (address !== undefined && (address.length > 254 || !addressShape.test(address))) {
    throw new Refused('That is no e-mail address.');
  }
  const page = readPage(baseUrl);
  const code = randomBytes(32).toString('base64url');
  const at = now();
  const lapsesAt = new Date(at.getTime() + (hours * 3_600_000));
  await records.transaction(async({ audit, invitations }): Promise<void> => {
    await invitations.add(invitationDigest(code, address), lapsesAt, at);
    await audit.append({
      type: 'account.invited',
      at,
      facts: { isForAddress: address !== undefined },
      personal: { operator },
    });
  });
  return { link: `${page}#invitation=${code}`, lapsesAt };
}

function readPage(baseUrl: string): string {
  if (!/^https?:\/\/./iu.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new Refused('--baseUrl must be the http(s) URL of the server.');
  }
  return new URL('.account/login/password/register/', `${baseUrl.replace(/\/+$/u, '')}/`).href;
}
