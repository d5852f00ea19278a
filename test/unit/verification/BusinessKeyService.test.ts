import { randomUUID } from 'node:crypto';
import type { AccessGrant, GrantTerms } from '../../../src/grants/AccessGrant';
import { grantUri } from '../../../src/grants/AccessGrant';
import { grantDocument } from '../../../src/grants/grantDocument';
import { belgianNumbers } from '../../../src/identity/belgianNumbers';
import type { Citizen } from '../../../src/identity/CitizenStore';
import { NationalNumber } from '../../../src/identity/NationalNumber';
import type { NationalNumbers } from '../../../src/identity/NationalNumbers';
import type { Problem, ProblemClass } from '../../../src/problems';
import {
  BusinessKeyInvalid,
  CredentialExpired,
  CredentialMalformed,
  CredentialNotEffective,
  CredentialNotGranted,
  CredentialNotOurs,
  CredentialNotYours,
  CredentialRevoked,
  TooManyBusinessKeys,
} from '../../../src/problems';
import type { WrongKeyLimits } from '../../../src/verification/BusinessKeyService';
import { BusinessKeyService } from '../../../src/verification/BusinessKeyService';
import { parseWebId } from '../../../src/platform/webId';
import { fictitiousNumber } from '../../support/fictitiousNumber';
import { base, context, dataUser, iris, SharingBench, stranger } from '../../support/sharingBench';

const day = 24 * 60 * 60 * 1000;
const proof = { type: 'Ed25519Signature2020', proofPurpose: 'assertionMethod', proofValue: 'z3sigz3sig' };

describe('The verification of a business key', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;
  let number: string;
  let wrong: string[];
  let serial = 500;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
  });

  beforeEach(async(): Promise<void> => {
    bench.dispossessed.clear();
    citizen = await bench.citizen();
    number = (await bench.records.citizens.getNationalNumber(citizen.id)).reveal();
    wrong = Array.from({ length: 30 }, (): string => {
      serial += 1;
      return fictitiousNumber(serial);
    });
  });

  afterAll(async(): Promise<void> => bench.stop());

  function service(
    maxWrongKeys?: WrongKeyLimits,
    numbers: NationalNumbers = belgianNumbers,
    records = bench.records,
  ): BusinessKeyService {
    return new BusinessKeyService({
      records,
      numbers,
      baseUrl: base,
      isEffective: async(grant, caller): Promise<boolean> => bench.decision.isEffective(grant, caller),
      now: (): Date => bench.now,
      maxWrongKeys,
    });
  }

  async function issue(members: Partial<AccessGrant> = {}): Promise<AccessGrant> {
    const id = randomUUID();
    const all: GrantTerms = {
      id,
      uri: grantUri(iris.accessIssuer, id),
      kind: 'grant',
      subject: citizen.webId,
      recipient: dataUser,
      modes: [ 'Read' ],
      resources: [ `${citizen.podUrl}notes` ],
      purposes: [],
      inherit: false,
      status: await bench.records.statusLists.allocate('grants'),
      issuedAt: bench.now,
      ...members,
    };
    return bench.grant({ ...all, document: JSON.stringify({ ...grantDocument(all, iris), proof }) });
  }

  async function verify(
    { document }: Pick<AccessGrant, 'document'>,
    value = number,
    { caller = dataUser, type = 'NATIONAL_NUMBER_BE' } = {},
  ): Promise<boolean> {
    return service().verify({ businessKey: { type, value }, accessGrantVc: document }, parseWebId(caller), context);
  }

  async function refusal(call: Promise<unknown>, problem: ProblemClass): Promise<Problem> {
    const error: unknown = await call.then((): undefined => undefined, (reason: unknown): unknown => reason);
    expect(error).toBeInstanceOf(problem);
    expect(String((error as Problem).detail)).not.toContain(number);
    return error as Problem;
  }

  it('confirms the number of the giver of the grant, however it is written.', async(): Promise<void> => {
    const grant = await issue();
    await expect(verify(grant)).resolves.toBe(true);
    await expect(verify(grant, number.replace(/^(..)(..)(..)(...)/u, '$1.$2.$3-$4.'))).resolves.toBe(true);
    await expect(verify({ document: Buffer.from(grant.document).toString('base64url') })).resolves.toBe(true);
  });

  it('denies another number, of another citizen or of nobody.', async(): Promise<void> => {
    const grant = await issue();
    const other = await bench.citizen();
    const theirs = await bench.records.citizens.getNationalNumber(other.id);
    await expect(verify(grant, theirs.reveal())).resolves.toBe(false);
    await expect(verify(grant, wrong[0])).resolves.toBe(false);
    await expect(verify(grant)).resolves.toBe(true);
  });

  it('denies if the subject has a pod here but is not a known citizen.', async(): Promise<void> => {
    const grant = await issue({ subject: parseWebId(`${base}shop/profile/card#me`), resources: [ `${base}shop/a` ]});
    await expect(verify(grant)).resolves.toBe(false);
  });

  it('denies if the citizen is being erased.', async(): Promise<void> => {
    const grant = await issue();
    await bench.records.citizens.setState(citizen.id, 'DELETING');
    await expect(verify(grant)).resolves.toBe(false);
  });

  it('refuses anything but a credential.', async(): Promise<void> => {
    await refusal(verify({ document: '{}' }), CredentialMalformed);
  });

  it('refuses a credential that was altered, or issued by somebody else.', async(): Promise<void> => {
    const { document, uri } = await issue();
    const other = await issue();
    const altered = [
      document.replace(dataUser, stranger),
      document.replace('z3sig', 'z4sig'),
      document.replace('#Read', '#Write'),
      document.replace(uri, other.uri),
      document.replace(uri, `${iris.accessIssuer}vc/${randomUUID()}`),
      document.replace(uri, 'https://other.example/vc/1'),
      document.replace(uri, `${uri}/`),
      document.replace(uri, `https://other.example/.access/vc/${uri.slice(-36)}`),
      document.replace('ConsentStatusExplicitlyGiven', 'ConsentStatusDenied'),
    ];
    for (const text of altered) {
      expect(text).not.toBe(document);
      await refusal(verify({ document: text }), CredentialNotOurs);
    }
  });

  it('accepts a credential that was normalised by a client.', async(): Promise<void> => {
    const { document } = await issue();
    const short = document.replace('["http://www.w3.org/ns/auth/acl#Read"]', '"http://www.w3.org/ns/auth/acl#Read"')
      .replace('https://w3id.org/GConsent#ConsentStatusExplicitlyGiven', 'ConsentStatusExplicitlyGiven');
    expect(short.length).toBeLessThan(document.length - 20);
    await expect(verify({ document: short })).resolves.toBe(true);
  });

  it('refuses an expired one, even if it was revoked after that.', async(): Promise<void> => {
    const grant = await issue({ expiresAt: bench.now });
    await bench.records.grants.revoke(grant.id, bench.now);
    await refusal(verify(grant), CredentialExpired);
  });

  it('refuses a revoked one, even to other callers.', async(): Promise<void> => {
    const grant = await issue();
    await bench.records.grants.revoke(grant.id, bench.now);
    await refusal(verify(grant), CredentialRevoked);
    await refusal(verify(grant, number, { caller: stranger }), CredentialRevoked);
  });

  it('refuses requests and denials.', async(): Promise<void> => {
    const denial = await issue({ kind: 'denial' });
    await refusal(verify(denial), CredentialNotGranted);
    await refusal(verify(denial, number, { caller: stranger }), CredentialNotGranted);
    const request = await issue({ kind: 'request', subject: dataUser, recipient: citizen.webId });
    await refusal(verify(request), CredentialNotGranted);
  });

  it('refuses one given to somebody else, and refuses its giver.', async(): Promise<void> => {
    const grant = await issue();
    await refusal(verify(grant, number, { caller: stranger }), CredentialNotYours);
    await refusal(verify(grant, number, { caller: citizen.webId }), CredentialNotYours);
  });

  it('refuses one without effect: without control, not begun, or with a party gone.', async(): Promise<void> => {
    await refusal(verify(await issue({ resources: [ `${base}somebody/notes` ]})), CredentialNotEffective);
    await refusal(verify(await issue({ resources: []})), CredentialNotEffective);
    await refusal(verify(await issue({ issuedAt: new Date(bench.now.getTime() + day) })), CredentialNotEffective);
    await refusal(verify(await issue({ invalidAt: bench.now })), CredentialNotEffective);
    const grant = await issue();
    bench.dispossessed.add(citizen.webId);
    await refusal(verify(grant), CredentialNotEffective);
  });

  it('needs effect on one of its resources only.', async(): Promise<void> => {
    const grant = await issue({ resources: [ 'https://elsewhere.example/a', `${base}x/a`, `${citizen.podUrl}a` ]});
    await expect(verify(grant)).resolves.toBe(true);
  });

  it('refuses a key of another type or form, without counting it.', async(): Promise<void> => {
    const grant = await issue();
    await refusal(verify(grant, number, { type: 'VAT_NUMBER_BE' }), BusinessKeyInvalid);
    const malformed = [ '', '123', `${number}0`, String(Number(number) + 1), 'x'.repeat(11) ];
    for (const value of [ ...malformed, ...malformed ]) {
      await refusal(verify(grant, value), BusinessKeyInvalid);
    }
    await expect(verify(grant)).resolves.toBe(true);
  });

  it('answers five different wrong numbers, and then none, not even the right one.', async(): Promise<void> => {
    const grant = await issue();
    for (const value of wrong.slice(0, 5)) {
      await expect(verify(grant, value)).resolves.toBe(false);
    }
    for (const value of [ wrong[5], wrong[0], number ]) {
      const problem = await refusal(verify(grant, value), TooManyBusinessKeys);
      expect(problem.status).toBe(429);
      expect(problem.headers).toEqual({ 'Retry-After': '86400' });
    }
  });

  it('counts the same wrong number once, and right ones not at all.', async(): Promise<void> => {
    const grant = await issue();
    for (let times = 0; times < 8; times += 1) {
      await expect(verify(grant, wrong[0])).resolves.toBe(false);
      await expect(verify(grant)).resolves.toBe(true);
    }
  });

  it('counts over all grants of a caller, without shutting out others.', async(): Promise<void> => {
    const grant = await issue();
    const another = await issue({ resources: [ `${citizen.podUrl}letters` ]});
    for (const [ at, value ] of wrong.slice(0, 5).entries()) {
      await expect(verify(at % 2 === 0 ? grant : another, value)).resolves.toBe(false);
    }
    await refusal(verify(another), TooManyBusinessKeys);
    const theirs = await issue({ recipient: stranger });
    await expect(verify(theirs, number, { caller: stranger })).resolves.toBe(true);
    await expect(verify(theirs, wrong[0], { caller: stranger })).resolves.toBe(false);
  });

  it('counts over all callers, for each subject: twenty, whoever tried them.', async(): Promise<void> => {
    const callers = Array.from({ length: 5 }, (_, at): string => `https://user${at}.example/#org`);
    const grants = await Promise.all(callers.map(async(recipient): Promise<AccessGrant> =>
      issue({ recipient: parseWebId(recipient) })));
    for (const [ at, value ] of wrong.slice(0, 20).entries()) {
      await expect(verify(grants[at % 5], value, { caller: parseWebId(callers[at % 5]) })).resolves.toBe(false);
    }
    await refusal(verify(grants[0], number, { caller: parseWebId(callers[0]) }), TooManyBusinessKeys);
    await refusal(verify(await issue()), TooManyBusinessKeys);
    citizen = await bench.citizen();
    number = (await bench.records.citizens.getNationalNumber(citizen.id)).reveal();
    await expect(verify(await issue())).resolves.toBe(true);
  });

  it('forgets wrong numbers after 24 hours.', async(): Promise<void> => {
    const grant = await issue();
    await Promise.all(wrong.slice(0, 5).map(async(value): Promise<boolean> => verify(grant, value)));
    await refusal(verify(grant), TooManyBusinessKeys);
    bench.later(day);
    await refusal(verify(grant), TooManyBusinessKeys);
    bench.later(1);
    await expect(verify(grant)).resolves.toBe(true);
  });

  it('answers no more wrong numbers if they come all at once.', async(): Promise<void> => {
    const grant = await issue();
    const tried = wrong.slice(0, 10);
    const answers = await Promise.allSettled(tried.map(async(value): Promise<boolean> => verify(grant, value)));
    expect(answers.filter(({ status }): boolean => status === 'fulfilled').length).toBeLessThanOrEqual(5);
    await refusal(verify(grant), TooManyBusinessKeys);
  });

  it('answers no right number either once too many wrong ones were tried meanwhile.', async(): Promise<void> => {
    const { document: accessGrantVc } = await issue();
    let transactions = 0;
    const records: typeof bench.records = {
      ...bench.records,
      async transaction(work): ReturnType<typeof work> {
        transactions += 1;
        for (const value of transactions === 2 ? wrong.slice(0, 6) : []) {
          await bench.records.guesses
            .record(citizen.webId, dataUser, NationalNumber.stored(value), bench.now, new Date(0));
        }
        return bench.records.transaction(work);
      },
    };
    const businessKey = { type: 'NATIONAL_NUMBER_BE', value: number };
    const call = service(undefined, belgianNumbers, records).verify({ businessKey, accessGrantVc }, dataUser, context);
    await refusal(call, TooManyBusinessKeys);
  });

  it('has a configurable limit.', async(): Promise<void> => {
    const { document: accessGrantVc } = await issue();
    const strict = service({ byCaller: 1, byAll: 20 });
    const type = 'NATIONAL_NUMBER_BE';
    await strict.verify({ businessKey: { type, value: wrong[0] }, accessGrantVc }, dataUser, context);
    await refusal(
      strict.verify({ businessKey: { type, value: number }, accessGrantVc }, dataUser, context),
      TooManyBusinessKeys,
    );
  });

  it('is in the audit log with its outcome and without the number.', async(): Promise<void> => {
    const grant = await issue();
    await verify(grant);
    for (const value of wrong.slice(0, 5)) {
      await verify(grant, value);
    }
    await refusal(verify(grant), TooManyBusinessKeys);
    const events = (await bench.records.audit.list(0, 1000)).map(({ event }): typeof event => event)
      .filter(({ type, citizenId }): boolean => type === 'businesskey.verified' && citizenId === citizen.id);
    expect(events.map(({ facts }): unknown => facts?.outcome))
      .toEqual([ 'valid', ...Array.from({ length: 5 }, (): string => 'invalid'), 'limited' ]);
    expect(events[0]).toMatchObject({
      at: bench.now,
      correlationId: context.correlationId,
      facts: { app: context.app },
      personal: { webId: dataUser, subject: citizen.webId, accessGrant: grant.uri },
    });
    for (const value of [ number, ...wrong ]) {
      expect(JSON.stringify(events)).not.toContain(value);
    }
  });
});
