import type { Credentials } from '@solid/community-server';
import type { Rpt } from '../../uma/RequestingPartyTokens';

/**
 * Credentials of a request with a requesting party token. They name no agent, so that only the permission reader of
 * access grants gives them anything: the holder of the token has the rights of its grants, and not those of a WebID.
 */
export interface RptCredentials extends Credentials {
  rpt: Rpt;
}

/** The token in credentials, when they come of one. */
export function rptOf(credentials: Credentials): Rpt | undefined {
  return (credentials as Partial<RptCredentials>).rpt;
}
