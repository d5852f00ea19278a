import { readReceipt } from '../../../app/src/lib/receipt';
import type { ReceiptFacts } from '../../../src/activity/consentReceipt';
import { consentReceipt } from '../../../src/activity/consentReceipt';
import type { GrantTerms } from '../../../src/grants/AccessGrant';
import { ownIris } from '../../../src/vocabulary';
import { parseWebId } from '../../../src/platform/webId';

const iris = ownIris('https://pod.example/');
const number = '5f1c1f0e-8c1c-4e53-9d3a-2c1f0f6f4b7a';
const owner = parseWebId('https://pod.example/anna/profile/card#me');
const grantee = parseWebId('https://bank.example/#us');
const grant: GrantTerms = {
  id: '2b0c3a6e-8c1c-4e53-9d3a-2c1f0f6f4b7a',
  uri: 'https://pod.example/.access/vc/2b0c3a6e-8c1c-4e53-9d3a-2c1f0f6f4b7a',
  kind: 'grant',
  subject: owner,
  recipient: grantee,
  modes: [ 'Read' ],
  resources: [ 'https://pod.example/anna/a' ],
  purposes: [],
  inherit: false,
  status: { listId: 'list', index: 1 },
  issuedAt: new Date('2026-01-01T00:00:00Z'),
};
const facts: ReceiptFacts = {
  grant,
  granteeNames: [],
  contacts: [],
  purposes: [],
  resources: [{ uri: grant.resources[0], type: null, labels: []}],
};

/** Returns a grant's receipt as the pages read it. */
function receiptOf(terms: Partial<GrantTerms>, more: Partial<ReceiptFacts> = {}): ReturnType<typeof readReceipt> {
  const now = new Date('2026-09-01T00:00:00Z');
  const subject = consentReceipt({ ...facts, ...more, grant: { ...grant, ...terms }}, { id: number, now }, iris);
  return readReceipt({ credentialSubject: subject });
}

describe('A receipt on a page', (): void => {
  it('shows what the operator describes.', (): void => {
    const contract = { id: 'c', digest: 'ab12' };
    expect(receiptOf({ contract, expiresAt: new Date('2027-01-01T00:00:00Z') }, {
      granteeNames: [{ value: 'Bank', language: 'nl' }, { value: 'Banque', language: 'fr' }],
      contacts: [ 'mailto:privacy@bank.example', '+32 2 555 01 01', 'https://bank.example/', 'Kerkstraat 1, Gent' ],
      privacyStatement: 'https://bank.example/privacy',
      purposes: [{ uri: 'https://pod.example/v1/purposes/job', labels: [{ value: 'Job', language: null }]}],
    })).toEqual({
      number,
      owner,
      grantee,
      granteeNames: [{ value: 'Bank', language: 'nl' }, { value: 'Banque', language: 'fr' }],
      contacts: [ 'privacy@bank.example', '+32 2 555 01 01', 'https://bank.example/', 'Kerkstraat 1, Gent' ],
      privacyStatement: 'https://bank.example/privacy',
      hasContract: true,
      resources: [{ uri: grant.resources[0], labels: []}],
      purposes: [{ uri: 'https://pod.example/v1/purposes/job', labels: [{ value: 'Job', language: null }]}],
      modes: [ 'Read' ],
      agreedAt: '2026-01-01T00:00:00.000Z',
      until: '2027-01-01T00:00:00.000Z',
    });
  });

  it('invents nothing about a party that is not described.', (): void => {
    expect(receiptOf({ modes: [ 'Read', 'Write', 'Append' ], request: 'https://pod.example/.access/vc/r' })).toEqual({
      number,
      owner,
      grantee,
      granteeNames: [],
      contacts: [],
      privacyStatement: undefined,
      hasContract: false,
      resources: [{ uri: grant.resources[0], labels: []}],
      purposes: [{ uri: undefined, labels: [{ value: 'not stated', language: 'en' }]}],
      modes: [ 'Read', 'Write', 'Append' ],
      agreedAt: '2026-01-01T00:00:00.000Z',
    });
  });

  const at = new Date('2026-02-01T00:00:00Z');

  it.each([
    [ 'withdrawn', { revokedAt: at }],
    [ 'expired', { expiresAt: at }],
    [ 'void', { invalidAt: at }],
  ] as const)('says how it ended: %s.', (how, terms): void => {
    expect(receiptOf(terms).ended).toEqual({ how, at: at.toISOString() });
  });
});
