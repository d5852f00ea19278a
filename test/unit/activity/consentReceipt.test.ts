import type { ReceiptFacts } from '../../../src/activity/consentReceipt';
import { consentReceipt, receiptContext } from '../../../src/activity/consentReceipt';
import type { GrantTerms } from '../../../src/grants/AccessGrant';
import { CONTEXTS } from '../../../src/platform/contextFiles';
import { ownIris } from '../../../src/vocabulary';
import { parseWebId } from '../../../src/platform/webId';
import { validateReceipt } from '../../support/validateReceipt';

const iris = ownIris('https://pod.example/');
const id = '2b0c3a6e-8c1c-4e53-9d3a-2c1f0f6f4b7a';
const grant: GrantTerms = {
  id,
  uri: `https://pod.example/.access/vc/${id}`,
  kind: 'grant',
  subject: parseWebId('https://pod.example/anna/profile/card#me'),
  recipient: parseWebId('https://user.example/#us'),
  modes: [ 'Read', 'Write', 'Append' ],
  resources: [ 'https://pod.example/anna/a', 'https://elsewhere.example/b' ],
  purposes: [],
  inherit: true,
  status: { listId: 'list', index: 1 },
  issuedAt: new Date('2026-01-01T00:00:00Z'),
};
const undescribed: ReceiptFacts = {
  grant,
  granteeNames: [],
  contacts: [],
  purposes: [],
  resources: grant.resources.map((uri): ReceiptFacts['resources'][number] => ({ uri, type: null, labels: []})),
};
const described: ReceiptFacts = {
  ...undescribed,
  grant: { ...grant, contract: { id: 'c', digest: 'ab12' }, expiresAt: new Date('2026-06-01T00:00:00Z') },
  granteeNames: [{ value: 'Bank', language: 'nl' }, { value: 'Banque', language: 'fr' }],
  contacts: [ 'mailto:privacy@bank.example', '+32 2 555 01 01', 'https://bank.example/', 'Kerkstraat 1, 9000 Gent' ],
  privacyStatement: 'https://bank.example/privacy',
  purposes: [{ uri: 'https://pod.example/v1/purposes/job', labels: [{ value: 'Job', language: null }]}],
};

function at(facts: ReceiptFacts, now: string): any {
  return consentReceipt(facts, { id: '5f1c1f0e-8c1c-4e53-9d3a-2c1f0f6f4b7a', now: new Date(now) }, iris);
}

async function validate(receipt: object): Promise<string[]> {
  return validateReceipt({
    '@context': [ CONTEXTS.credentialsV2, receiptContext ],
    type: 'VerifiableCredential',
    credentialSubject: receipt,
  });
}

function events(receipt: any): unknown[] {
  return receipt['dpv:hasRecordOfActivity']['dpv:hasConsentStatus'].map((event: any): unknown =>
    [ [ event.type ].flat()[0], event['dpv:isIndicatedAtTime'], event['dpv:isIndicatedBy'] ]);
}

const given = [ 'dpv:ConsentGiven', '2026-01-01T00:00:00.000Z', grant.subject ];

describe('A receipt of consent', (): void => {
  it('has everything that the guide to ISO/IEC TS 27560 requires.', async(): Promise<void> => {
    const receipt = at(described, '2026-02-01T00:00:00Z');
    await expect(validate(receipt)).resolves.toEqual([]);
    expect(events(receipt)).toEqual([ given ]);
    expect(receipt['dpv:hasRecordOfActivity']['dpv:hasNotice']).toEqual([
      {
        id: 'https://pod.example/v1/contracts/c',
        type: 'dpv:ConsentNotice',
        'dct:identifier': 'ab12',
        'dct:language': [ 'nl', 'fr', 'de', 'en' ],
      },
      { id: 'https://bank.example/privacy', type: 'dpv:PrivacyNotice', 'dct:language': 'und' },
    ]);
    expect(receipt['dpv:hasRecordOfActivity']['dpv:hasEntity'][0]['schema:contactPoint']).toEqual([
      { type: 'schema:ContactPoint', 'schema:email': 'privacy@bank.example' },
      { type: 'schema:ContactPoint', 'schema:telephone': '+32 2 555 01 01' },
      { type: 'schema:ContactPoint', 'schema:url': 'https://bank.example/' },
      { type: 'schema:PostalAddress', 'schema:streetAddress': 'Kerkstraat 1, 9000 Gent' },
    ]);
  });

  it('lacks only what the operator does not state about a data user.', async(): Promise<void> => {
    await expect(validate(at(undescribed, '2026-02-01T00:00:00Z'))).resolves.toEqual([
      'Warning hasName MinCountConstraintComponent',
      'Warning contactPoint MinCountConstraintComponent',
    ]);
  });

  it.each<[string, Partial<GrantTerms>, unknown[]]>([
    [
      'was withdrawn',
      { revokedAt: new Date('2026-03-01T00:00:00Z') },
      [ 'dpv:ConsentWithdrawn', '2026-03-01T00:00:00.000Z', grant.subject ],
    ],
    [
      'had expired before it was revoked',
      { revokedAt: new Date('2026-07-01T00:00:00Z') },
      [ 'dpv:ConsentExpired', '2026-06-01T00:00:00.000Z', iris.credentialIssuer ],
    ],
    [
      'lost its meaning',
      { invalidAt: new Date('2026-04-01T00:00:00Z') },
      [ 'dpv:ConsentRevoked', '2026-04-01T00:00:00.000Z', iris.credentialIssuer ],
    ],
  ])('says that it %s.', async(_name, changes, end): Promise<void> => {
    const receipt = at({ ...described, grant: { ...described.grant, ...changes }}, '2026-08-01T00:00:00Z');
    await expect(validate(receipt)).resolves.toEqual([]);
    expect(events(receipt)).toEqual([ given, end ]);
  });

  it('is refused by the shapes when a field is missing.', async(): Promise<void> => {
    const whole = at(described, '2026-07-01T00:00:00Z');
    const record = whole['dpv:hasRecordOfActivity'];
    const [ process ] = record['dpv:hasProcess'];
    function without(name: string): object[] {
      return [
        { ...whole, [name]: []},
        { ...whole, 'dpv:hasRecordOfActivity': { ...record, [name]: []}},
        { ...whole, 'dpv:hasRecordOfActivity': { ...record, 'dpv:hasProcess': [{ ...process, [name]: []}]}},
      ];
    }
    const free = new Set([ 'id', 'type', 'dct:publisher', 'dpv:hasProcessing' ]);
    const names = [ whole, record, process ].flatMap((part): string[] => Object.keys(part as object))
      .filter((name): boolean => !free.has(name));
    for (const name of names) {
      const results = await Promise.all(without(name).map(validate));
      expect([ name, results.flat() ]).not.toEqual([ name, []]);
    }
  });
});
