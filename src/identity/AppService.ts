import { createHash } from 'node:crypto';
import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import { AppNotFound } from '../problems';
import type { WebIdCaller } from '../tokens/Caller';
import type { AppLogin, AppLogins } from './AppLogins';
import type { CitizenCallers } from './CitizenCallers';

/** Dependencies of {@link AppService}. */
export interface AppServiceOptions {
  records: { audit: Pick<AuditLog, 'append'> };
  logins: AppLogins;
  callers: Pick<CitizenCallers, 'findByWebId'>;
  now: Clock;
}

/** An app, by the id that stands for its client id in paths. */
export interface ListedApp extends AppLogin {
  id: string;
}

/** Lists the apps that people have logged in to, and logs them out. */
export class AppService {
  private readonly options: AppServiceOptions;

  public constructor(options: AppServiceOptions) {
    this.options = options;
  }

  /**
   * Lists the apps that may act as the caller, the most recently used first.
   *
   * @throws AppNotAllowed
   */
  public async list(caller: WebIdCaller): Promise<ListedApp[]> {
    await this.options.callers.findByWebId(caller);
    return (await this.options.logins.list(caller.webId))
      .map((login): ListedApp => ({ ...login, id: idOf(login.clientId) }));
  }

  /**
   * Logs an app out, everywhere.
   *
   * @throws AppNotAllowed, AppNotFound
   */
  public async logOut(caller: WebIdCaller, id: string, context: CallContext): Promise<void> {
    const { callers, logins, now, records } = this.options;
    const citizen = await callers.findByWebId(caller);
    const clientId = (await logins.listClientIds(caller.webId)).find((each): boolean => idOf(each) === id);
    if (clientId === undefined) {
      throw new AppNotFound('The caller has not logged in to such an app.');
    }
    // The name may be at the app's own server, which must not delay the end.
    const [ clientName ] = await Promise.all([ logins.findName(clientId), logins.end(caller.webId, clientId) ]);
    await records.audit.append({
      type: 'login.ended',
      at: now(),
      ...ofCall(context, { client: clientId }),
      personal: { webId: caller.webId, ...clientName !== undefined && { clientName }},
      citizenId: citizen?.id,
    });
  }
}

/** Stands for a client id in a path: many client ids are URLs. */
function idOf(clientId: string): string {
  return createHash('sha256').update(clientId).digest('base64url');
}
