import type { Credentials } from '@solid/community-server';
import type { Rpt } from '../../uma/RequestingPartyTokens';
import type { WebId } from '../../platform/webId';
import { isWebId } from '../../platform/webId';
import { opened } from '../../platform/opened';

/**
 * Credentials of a request with a requesting party token. They name no agent, so that only the permission reader of
 * access grants gives them permissions: the holder has the rights of the token's grants, not those of a WebID.
 */
export interface RptCredentials extends Credentials {
  rpt: Rpt;
}

/** Returns the requesting party token of credentials, if they have one. */
export function rptOf(credentials: Credentials): Rpt | undefined {
  return opened<Partial<RptCredentials>>(credentials).rpt;
}

/** Returns the WebID of a plain request, which the server stores as text. */
export function agentOf({ agent }: Credentials): WebId | undefined {
  return agent?.webId !== undefined && isWebId(agent.webId) ? agent.webId : undefined;
}
