import { randomUUID } from 'node:crypto';
import { Duration } from 'luxon';
import type { ClientGrantLimitsOptions } from '../../../src/grants/ClientGrantLimits';
import { ClientGrantLimits } from '../../../src/grants/ClientGrantLimits';
import { ClientGrantService } from '../../../src/grants/ClientGrantService';
import { GrantIssuer } from '../../../src/grants/GrantIssuer';
import type { GrantIssuerOptions } from '../../../src/grants/GrantIssuer';
import type { AccessGrant } from '../../../src/grants/AccessGrant';
import { BodyInvalid, RequestMismatch, TooManyGrants } from '../../../src/problems';
import { NotCanonicalizable } from '../../../src/credentials/canonicalize';
import { parseWebId } from '../../../src/platform/webId';
import { base, context, iris, SharingBench } from '../../support/sharingBench';

const owner = { webId: parseWebId('https://anna.example/#me'), issuer: 'https://idp.example/' };
const bank = { webId: parseWebId('https://bank.example/#me'), issuer: 'https://idp.example/' };
const other = { webId: parseWebId('https://other.example/#me'), issuer: 'https://idp.example/' };

function posted(kind: 'Request' | 'Grant' | 'Denial', to: string, consent: object = {}, members: object = {}): object {
  const isRequest = kind === 'Request';
  const status = { Request: 'Requested', Grant: 'ExplicitlyGiven', Denial: 'Denied' }[kind];
  return {
    '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
    type: [ 'VerifiableCredential', `SolidAccess${kind}` ],
    credentialSubject: {
      [isRequest ? 'hasConsent' : 'providedConsent']: {
        mode: [ 'Read' ],
        hasStatus: `ConsentStatus${status}`,
        forPersonalData: [ `${base}anna/a` ],
        [isRequest ? 'isConsentForDataSubject' : 'isProvidedTo']: to,
        ...consent,
      },
    },
    ...members,
  };
}

describe('Grants issued by clients', (): void => {
  let bench: SharingBench;

  beforeEach(async(): Promise<void> => {
    bench = await SharingBench.start();
  });

  afterEach(async(): Promise<void> => bench.stop());

  const asked: string[] = [];
  const control = {
    controls: async(webId: string, resource: string): Promise<boolean> => {
      asked.push(resource);
      return webId === owner.webId && resource.startsWith(`${base}anna/`);
    },
    ownersOf: async(): Promise<string[]> => [],
  };

  const usualSigner: GrantIssuerOptions['signer'] =
    { sign: async(grant): Promise<string> => JSON.stringify({ id: grant.uri, credentialSubject: {}}) };

  function service(
    { signer = usualSigner, ...limits }: Partial<ClientGrantLimitsOptions & Pick<GrantIssuerOptions, 'signer'>> = {},
  ): ClientGrantService {
    const { records } = bench;
    function now(): Date {
      return bench.now;
    }
    return new ClientGrantService({
      records,
      issuer: new GrantIssuer({
        statusLists: records.statusLists,
        contracts: { grantExpiry: now },
        signer,
        iris,
        newId: randomUUID,
      }),
      limits: new ClientGrantLimits({ grants: records.grants, now, ...limits }),
      control,
      iris,
      now,
    });
  }

  async function issue(credential: object, stater = owner, by = service()): Promise<AccessGrant> {
    const { id } = JSON.parse(await by.issue(credential, stater, context)) as { id: string };
    return (await bench.records.grants.findById(id.slice(-36)))!;
  }

  async function stateOf({ id, subject }: AccessGrant): Promise<string | undefined> {
    for (const status of [ 'Pending', 'Granted', 'Denied', 'Canceled' ] as const) {
      const { grants } = await bench.records.grants.list({ party: subject, status, now: bench.now }, { size: 10 });
      if (grants.some((grant): boolean => grant.id === id)) {
        return status;
      }
    }
    return undefined;
  }

  it('have at most 32 KiB.', async(): Promise<void> => {
    const large = service({ signer: { sign: async(): Promise<string> => 'x'.repeat((32 * 1024) + 1) }});
    await expect(large.issue(posted('Grant', bank.webId), owner, context)).rejects.toBeInstanceOf(BodyInvalid);
    const most = service({ signer: { sign: async(): Promise<string> => 'x'.repeat(32 * 1024) }});
    await expect(most.issue(posted('Grant', bank.webId), owner, context)).resolves.toHaveLength(32 * 1024);
  });

  it('come first in decisions if the giver had control; strangers cannot ask that without limit.', async():
  Promise<void> => {
    const theirs = Array.from({ length: 50 }, (_, index): string => `${base}bob/${index}`);
    const own = Array.from({ length: 40 }, (_, index): string => `${base}anna/${index}`);
    async function state(by: typeof owner, resources: string[]): Promise<AccessGrant> {
      return issue(posted('Grant', bank.webId, { forPersonalData: resources }), by);
    }
    asked.splice(0);
    await state(owner, [ ...own, theirs[0], 'https://elsewhere.example/' ]);
    expect(asked).toEqual([ ...own, theirs[0] ]);
    asked.splice(0);
    await state(other, theirs);
    expect(asked).toEqual(theirs.slice(0, 3));
    await issue(posted('Request', owner.webId), bank);
    await issue(posted('Denial', bank.webId));
    expect(asked).toHaveLength(3);
    const late = await state(other, [ own[39] ]);
    const found = await bench.records.usableGrants.listUsable(bank.webId, [ own[39] ], bench.now);
    expect(found.map(({ subject }): string => subject)).toEqual([ owner.webId, other.webId ]);
    expect(found[1].id).toBe(late.id);
  });

  it('are in the caller\'s name, and recorded.', async(): Promise<void> => {
    const grant = await issue(posted('Grant', bank.webId));
    expect(grant).toMatchObject({ kind: 'grant', subject: owner.webId, recipient: bank.webId, issuedAt: bench.now });
    const [{ event }] = (await bench.records.audit.list(0, 100)).slice(-1);
    expect(event).toMatchObject({ type: 'grant.issued', correlationId: context.correlationId });
  });

  it('end after the maximum duration set by the operator.', async(): Promise<void> => {
    const capped = service({ maxGrantDuration: Duration.fromISO('P30D') });
    const last = new Date('2026-03-31T12:00:00Z');
    await expect(issue(posted('Grant', bank.webId), owner, capped)).resolves.toMatchObject({ expiresAt: last });
    for (const [ expirationDate, expiresAt ] of [
      [ '2026-03-02T00:00:00Z', new Date('2026-03-02T00:00:00Z') ],
      [ '2027-01-01T00:00:00Z', last ],
    ] as const) {
      const dates = { issuanceDate: '2026-03-20T00:00:00Z', expirationDate };
      await expect(issue(posted('Grant', bank.webId, {}, dates), owner, capped)).resolves.toMatchObject({ expiresAt });
    }
    expect((await issue(posted('Request', owner.webId), bank, capped)).expiresAt).toBeUndefined();
    expect((await issue(posted('Grant', bank.webId))).expiresAt).toBeUndefined();
  });

  it('close the request they answer; the last answer by its data subject decides.', async():
  Promise<void> => {
    const request = await issue(posted('Request', owner.webId), bank);
    await expect(stateOf(request)).resolves.toBe('Pending');
    await issue(posted('Denial', bank.webId, { request: request.uri }), other);
    await expect(stateOf(request)).resolves.toBe('Pending');
    await issue(posted('Denial', bank.webId, { request: request.uri }));
    await expect(stateOf(request)).resolves.toBe('Denied');
    await issue(posted('Grant', bank.webId, { request: request.uri }));
    await expect(stateOf(request)).resolves.toBe('Granted');
  });

  it('that must match their request are not stored if that was cancelled.', async(): Promise<void> => {
    const request = await issue(posted('Request', owner.webId), bank);
    // It is cancelled after it was read and before the grant is stored.
    const late = service({
      signer: {
        async sign(grant): Promise<string> {
          await bench.records.grants.revoke(request.id, bench.now);
          return JSON.stringify({ id: grant.uri });
        },
      },
    });
    const answer = posted('Grant', bank.webId, { verifiedRequest: request.uri });
    await expect(late.issue(answer, owner, context)).rejects.toThrow(RequestMismatch);
    const { grants } = await bench.records.grants.list({ party: owner.webId, now: bench.now }, { size: 10 });
    expect(grants.map(({ id }): string => id)).toEqual([ request.id ]);
    await expect(stateOf(request)).resolves.toBe('Canceled');
    await expect(service().issue(answer, owner, context)).rejects.toThrow(RequestMismatch);
  });

  it('are limited for each WebID and hour.', async(): Promise<void> => {
    const limited = service({ maxPerWebId: 2 });
    await issue(posted('Grant', bank.webId), owner, limited);
    await issue(posted('Grant', bank.webId, {}, { issuanceDate: '2020-01-01T00:00:00Z' }), owner, limited);
    const third = limited.issue(posted('Grant', bank.webId), owner, context);
    await expect(third).rejects.toThrow(TooManyGrants);
    await expect(third).rejects.toMatchObject({ headers: { 'Retry-After': '3600' }});
    await issue(posted('Grant', owner.webId), bank, limited);
    bench.now = new Date(bench.now.getTime() + 3_600_001);
    await issue(posted('Grant', bank.webId), owner, limited);
  });

  it('are limited for each token issuer that the operator does not list.', async(): Promise<void> => {
    const limited = service({ maxPerIssuer: 2, knownIssuers: [ 'https://known.example/' ]});
    await issue(posted('Grant', bank.webId), owner, limited);
    await issue(posted('Grant', owner.webId), bank, limited);
    // One site can be any number of issuers.
    const issuers = [ `${other.issuer}realms/2`, 'https://idp.example:8443/', 'https://IDP.example', 'https://a.idp.example/' ];
    for (const issuer of [ other.issuer, ...issuers ]) {
      const stater = { ...other, issuer };
      await expect(limited.issue(posted('Grant', bank.webId), stater, context)).rejects.toThrow(TooManyGrants);
    }
    const known = { ...other, issuer: 'https://known.example/' };
    for (let count = 0; count < 3; count += 1) {
      await issue(posted('Grant', bank.webId), known, limited);
    }
  });

  it('that cannot be signed are refused.', async(): Promise<void> => {
    const failing = service({
      signer: {
        async sign(): Promise<string> {
          throw new NotCanonicalizable('no');
        },
      },
    });
    await expect(failing.issue(posted('Grant', bank.webId), owner, context)).rejects.toThrow(BodyInvalid);
  });
});
