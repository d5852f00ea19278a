import type { AuditEvent } from '../../../src/audit/AuditLog';
import { AppService } from '../../../src/identity/AppService';
import type { Citizen } from '../../../src/identity/CitizenStore';
import { parseWebId } from '../../../src/platform/webId';
import { AppNotAllowed, AppNotFound } from '../../../src/problems';

const now = new Date('2026-11-21T12:00:00Z');
const podUrl = 'https://pods.example/alice/';
const webId = parseWebId(`${podUrl}profile/card#me`);
const alice: Citizen = { id: 'alice', webId, podUrl, state: 'ACTIVE', createdAt: now };
const caller = { kind: 'solid-oidc' as const, issuer: 'https://idp.example/', webId, app: 'app-1', expiresAt: now };
const context = { correlationId: '11111111-2222-4333-8444-555555555555', app: 'app-1' };

async function idIn(service: AppService): Promise<string> {
  return (await service.list(caller))[0].id;
}

describe('Apps that people are logged in to', (): void => {
  let ended: string[];
  let events: AuditEvent[];

  beforeEach((): void => {
    ended = [];
    events = [];
  });

  function serviceFor(
    findByWebId: () => Promise<Citizen | undefined>,
    name: string | undefined = 'Reader',
    end = async(_webId: string, clientId: string): Promise<void> => {
      ended.push(clientId);
    },
  ): AppService {
    return new AppService({
      records: { audit: {
        append: async(event): Promise<void> => {
          events.push(event);
        },
      }},
      logins: {
        list: async(): Promise<never> => [{ clientId: 'app-2', name, since: now, lastUsedAt: now }] as never,
        listClientIds: async(): Promise<string[]> => [ 'app-2' ],
        findName: async(): Promise<string | undefined> => name,
        end,
      },
      callers: { findByWebId },
      now: (): Date => now,
    });
  }

  it('are logged out with an audit row of the citizen, with their names as personal facts.', async(): Promise<void> => {
    const service = serviceFor(async(): Promise<Citizen> => alice);
    await service.logOut(caller, await idIn(service), context);
    expect(ended).toEqual([ 'app-2' ]);
    expect(events).toEqual([{
      type: 'login.ended',
      at: now,
      correlationId: context.correlationId,
      facts: { client: 'app-2', app: 'app-1' },
      personal: { webId, clientName: 'Reader' },
      citizenId: 'alice',
    }]);
  });

  it('are logged out with a row of nobody if no citizen did it.', async(): Promise<void> => {
    const service = serviceFor(async(): Promise<undefined> => undefined);
    await service.logOut(caller, await idIn(service), context);
    expect(events).toMatchObject([{ type: 'login.ended', citizenId: undefined }]);
  });

  it('leave no row if there is no such app, or logging it out fails.', async(): Promise<void> => {
    const service = serviceFor(async(): Promise<Citizen> => alice);
    await expect(service.logOut(caller, 'another', context)).rejects.toThrow(AppNotFound);
    const failing = serviceFor(async(): Promise<Citizen> => alice, undefined, async(): Promise<void> => {
      throw new Error('away');
    });
    await expect(failing.logOut(caller, await idIn(failing), context)).rejects.toThrow('away');
    expect([ ended, events ]).toEqual([[], []]);
  });

  it('are neither listed nor logged out by an app that may not act for the citizen.', async(): Promise<void> => {
    const service = serviceFor(async(): Promise<never> => {
      throw new AppNotAllowed();
    });
    await expect(service.list(caller)).rejects.toThrow(AppNotAllowed);
    await expect(service.logOut(caller, 'any', context)).rejects.toThrow(AppNotAllowed);
    expect(ended).toEqual([]);
  });
});
