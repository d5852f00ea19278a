import { belgianNumbers } from '../../../src/identity/belgianNumbers';
import { CitizenCallers } from '../../../src/identity/CitizenCallers';
import type { Citizen } from '../../../src/identity/CitizenStore';
import type { NationalNumber } from '../../../src/identity/NationalNumber';
import { Concealed } from '../../../src/platform/Concealed';
import { AppNotAllowed, ClaimMissing, IdentityMismatch } from '../../../src/problems';
import type { Caller } from '../../../src/tokens/Caller';
import { parseWebId } from '../../../src/platform/webId';
import { fictitiousNumber } from '../../support/fictitiousNumber';

const now = new Date('2026-11-21T12:00:00Z');

function onRecord(id: string, state: Citizen['state'] = 'ACTIVE'): Citizen {
  const podUrl = `https://pods.example/${id}/`;
  return { id, webId: parseWebId(`${podUrl}profile/card#me`), podUrl, state, createdAt: now };
}

function caller(more: Partial<Caller>): Caller {
  return { kind: 'solid-oidc', issuer: 'https://idp.example/', app: 'app-1', expiresAt: now, ...more };
}

function claim(serial: number): Concealed {
  return new Concealed(fictitiousNumber(serial), 'citizen_national_id');
}

describe('Citizens who call with their WebID', (): void => {
  const alice = onRecord('alice');
  const leaving = onRecord('leaving', 'DELETING');
  const numbers = new Map([[ fictitiousNumber(1), alice ]]);
  const store = {
    findByNationalNumber: async(number: NationalNumber): Promise<Citizen | undefined> => numbers.get(number.reveal()),
    findByWebId: async(webId: string): Promise<Citizen | undefined> =>
      [ alice, leaving ].find((citizen): boolean => citizen.webId === webId),
  };
  const callers = new CitizenCallers(store, belgianNumbers);

  it('are found.', async(): Promise<void> => {
    await expect(callers.getByWebId(caller({ webId: alice.webId }))).resolves.toBe(alice);
    await expect(callers.getByWebId(caller({ webId: alice.webId, nationalNumber: claim(1) })))
      .resolves.toBe(alice);
  });

  it('are not found if they are strangers or being erased.', async(): Promise<void> => {
    for (const webId of [ undefined, leaving.webId, parseWebId('https://elsewhere.example/#me') ]) {
      await expect(callers.getByWebId(caller({ webId }))).rejects.toThrow(ClaimMissing);
    }
  });

  it('are refused with another\'s number.', async(): Promise<void> => {
    const other = caller({ webId: leaving.webId, nationalNumber: claim(1) });
    await expect(callers.getByWebId(other)).rejects.toThrow(IdentityMismatch);
  });

  it('are found if they are linked between two look-ups.', async(): Promise<void> => {
    const looks: (Citizen | undefined)[] = [ undefined, alice ];
    const racing = new CitizenCallers({ ...store, findByNationalNumber: async(): Promise<Citizen | undefined> =>
      looks.shift() }, belgianNumbers);
    const both = caller({ webId: alice.webId, nationalNumber: claim(2) });
    await expect(racing.identify(both)).resolves.toMatchObject({ citizen: alice });
    await expect(callers.identify(both)).rejects.toThrow(IdentityMismatch);
  });

  it('need an app that may act for them.', async(): Promise<void> => {
    const some = new CitizenCallers(store, belgianNumbers, [ 'app-1' ]);
    await expect(some.getByWebId(caller({ webId: alice.webId }))).resolves.toBe(alice);
    for (const app of [ 'app-2', undefined ]) {
      await expect(some.getByWebId(caller({ webId: alice.webId, app }))).rejects.toThrow(AppNotAllowed);
      await expect(some.findByWebId(caller({ webId: alice.webId, app }))).rejects.toThrow(AppNotAllowed);
    }
    await expect(some.findByWebId(caller({ webId: alice.webId }))).resolves.toBe(alice);
  });

  it('are told apart from others, who may use any app.', async(): Promise<void> => {
    const some = new CitizenCallers(store, belgianNumbers, [ 'app-1' ]);
    const other = caller({ webId: parseWebId('https://elsewhere.example/#me'), app: 'app-2' });
    await expect(some.findByWebId(other)).resolves.toBeUndefined();
  });
});
