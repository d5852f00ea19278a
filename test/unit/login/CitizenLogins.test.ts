import { MemoryMapStorage, WrappedExpiringStorage } from '@solid/community-server';
import { NationalNumber } from '../../../src/identity/NationalNumber';
import type { Invited } from '../../../src/login/CitizenLogins';
import { CitizenLogins } from '../../../src/login/CitizenLogins';
import type { KeptLogin, OpenLogin } from '../../../src/login/LoginStore';
import type { RelyingParty } from '../../../src/login/RelyingParty';
import { LoginNotOpen } from '../../../src/problems';
import { fictitiousNumber } from '../../support/fictitiousNumber';

const context = { correlationId: 'one' };
const browser = CitizenLogins.newBrowser();
const nationalNumber = NationalNumber.stored(fictitiousNumber(1));
const minuteMs = 60_000;
const refused = {
  type: 'login.refused',
  at: expect.any(Date) as Date,
  correlationId: 'one',
  facts: { provider: 'stateid', reason: 'login-not-open' },
};

describe('An unfinished log-in', (): void => {
  let state: string;
  let made: string[];
  let logins: CitizenLogins;
  let enqueue: jest.Mock;

  beforeEach((): void => {
    jest.useFakeTimers();
    made = [];
    enqueue = jest.fn();
    const kept = new WrappedExpiringStorage<string, KeptLogin>(new MemoryMapStorage());
    logins = new CitizenLogins({
      parties: [ {
        provider: { id: 'stateid' },
        start: async(login: OpenLogin): Promise<URL> => {
          ({ state } = login);
          return new URL('https://id.example/');
        },
        finish: async(): Promise<object> => ({ nationalNumber }),
      } as unknown as RelyingParty ],
      store: {
        put: async(...entry): Promise<void> => {
          await kept.set(...entry);
        },
        find: async(id): Promise<KeptLogin | undefined> => kept.get(id),
        remove: async(id): Promise<boolean> => kept.delete(id),
      },
      records: {
        audit: { append: jest.fn(), enqueue },
        citizens: { findByNationalNumber: async(): Promise<undefined> => undefined },
        suspensions: { find: async(): Promise<undefined> => undefined },
      },
      webIds: { createFor: async(): Promise<number> => made.push('one') },
      pods: { findAccount: async(): Promise<undefined> => undefined },
      now: (): Date => new Date(),
    });
  });

  afterEach((): unknown => jest.useRealTimers());

  async function answer(afterMinutes: number): Promise<Invited> {
    await logins.begin('stateid', { browser });
    jest.setSystemTime(Date.now() + (afterMinutes * minuteMs));
    return await logins.finish('stateid', `code=a&state=${state}`, browser, context) as Invited;
  }

  it('is valid for a quarter of an hour.', async(): Promise<void> => {
    await expect(answer(14)).resolves.toMatchObject({ provider: 'stateid' });
  });

  it.each([ 16, 60 ])('at the provider is refused after that, audited: %d minutes.', async(minutes): Promise<void> => {
    await expect(answer(minutes)).rejects.toThrow(LoginNotOpen);
    expect(enqueue.mock.calls).toEqual([[ refused ]]);
  });

  it.each([ 16, 60 ])('on the question page creates nothing after that: %d minutes.', async(minutes): Promise<void> => {
    const { ticket } = await answer(1);
    jest.setSystemTime(Date.now() + (minutes * minuteMs));
    await expect(logins.accept(ticket, browser, context)).rejects.toThrow(LoginNotOpen);
    expect(made).toEqual([]);
    expect(enqueue.mock.calls).toEqual([[{ ...refused, facts: { reason: 'login-not-open' }}]]);
  });
});
