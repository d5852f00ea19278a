import type { Credentials } from '@solid/community-server';
import type { Rpt } from '../../uma/RequestingPartyTokens';
import type { WebId } from '../../platform/webId';
import { isWebId } from '../../platform/webId';
import { opened } from '../../platform/opened';

/**
 * Credentials of a request with a requesting party token. They name no agent, so that only the permission reader of
 * access grants gives them anything: the holder of the token has the rights of its grants, and not those of a WebID.
 */
export interface RptCredentials extends Credentials {
  rpt: Rpt;
}

/** The token in credentials, when they come of one. */
export function rptOf(credentials: Credentials): Rpt | undefined {
  return opened<Partial<RptCredentials>>(credentials).rpt;
}

/** The WebID that a plain request has: the server carries it as text. */
export function agentOf({ agent }: Credentials): WebId | undefined {
  return agent?.webId !== undefined && isWebId(agent.webId) ? agent.webId : undefined;
}
