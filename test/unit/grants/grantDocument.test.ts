import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalize } from '../../../src/credentials/canonicalize';
import { grantDocument } from '../../../src/grants/grantDocument';
import { GrantCredentials } from '../../../src/grants/GrantCredentials';
import type { LoadedDocument } from '../../../src/credentials/documentLoader';
import { createDocumentLoader } from '../../../src/credentials/documentLoader';
import { CONTEXTS } from '../../../src/platform/contextFiles';
import { ownIris } from '../../../src/vocabulary';
import type { WebId } from '../../../src/platform/webId';
import { grantMembers, TestIssuer, TestKeys } from '../credentials/support';

const base = 'http://localhost:3000/';
const iris = ownIris(base);
const members = grantMembers(base);

describe('The document of an access credential', (): void => {
  it('is right for a grant.', (): void => {
    const grant = { ...members, request: `${base}.access/vc/11aa` };
    expect(grantDocument(grant, iris, { inbox: `${base}bank/inbox/` })).toEqual({
      '@context': [
        'https://www.w3.org/2018/credentials/v1',
        'https://schema.inrupt.com/credentials/v2.jsonld',
        'https://w3id.org/security/suites/ed25519-2020/v1',
        'https://w3id.org/vc-revocation-list-2020/v1',
      ],
      id: members.uri,
      type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
      issuer: 'http://localhost:3000/.access/',
      issuanceDate: '2026-11-21T08:00:00.000Z',
      expirationDate: '2027-05-20T08:00:00.000Z',
      credentialStatus: {
        id: 'http://localhost:3000/.access/status/grants#42',
        type: 'RevocationList2020Status',
        revocationListIndex: '42',
        revocationListCredential: 'http://localhost:3000/.access/status/grants',
      },
      credentialSubject: {
        id: 'http://localhost:3000/anna/profile/card#me',
        inbox: 'http://localhost:3000/bank/inbox/',
        providedConsent: {
          mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
          hasStatus: 'https://w3id.org/GConsent#ConsentStatusExplicitlyGiven',
          forPersonalData: [ 'http://localhost:3000/anna/credentials/5f/5f0a' ],
          forPurpose: [ 'https://purposes.example/loan' ],
          isProvidedTo: 'http://localhost:3000/bank/profile/card#me',
          inherit: false,
          request: 'http://localhost:3000/.access/vc/11aa',
        },
      },
    });
  });

  it('is right for a request.', (): void => {
    expect(grantDocument({ ...members, kind: 'request' }, iris)).toMatchObject({
      type: [ 'VerifiableCredential', 'SolidAccessRequest' ],
      credentialSubject: {
        hasConsent: {
          hasStatus: 'https://w3id.org/GConsent#ConsentStatusRequested',
          isConsentForDataSubject: 'http://localhost:3000/bank/profile/card#me',
        },
      },
    });
  });

  it('is right for a denial, without absent members.', (): void => {
    const { expiresAt: _expiresAt, ...rest } = members;
    const document = grantDocument({ ...rest, kind: 'denial', purposes: []}, iris);
    expect(document).toMatchObject({ type: [ 'VerifiableCredential', 'SolidAccessDenial' ]});
    expect(document).not.toHaveProperty('expirationDate');
    expect(document.credentialSubject).not.toHaveProperty('inbox');
    const status = 'https://w3id.org/GConsent#ConsentStatusDenied';
    expect(document).toHaveProperty('credentialSubject.providedConsent.hasStatus', status);
    expect(document).not.toHaveProperty('credentialSubject.providedConsent.forPurpose');
    expect(document).not.toHaveProperty('credentialSubject.providedConsent.request');
  });
});

describe('With each edition of the context, the document of', (): void => {
  const extras = {
    templates: [ 'https://{DOMAIN}/b/{+path}', 'https://a.example/a' ],
    isRequestVerified: true,
    inbox: `${base}bank/inbox/`,
  };
  const file = join(__dirname, '../../fixtures/credentials/inrupt/v2-of-2.0.1.json');
  const newest = JSON.parse(readFileSync(file, 'utf8'));
  const shipped = createDocumentLoader();

  async function newer(url: string): Promise<LoadedDocument> {
    return url === CONTEXTS.inruptV2 ? { documentUrl: url, document: newest } : shipped(url);
  }

  it.each([ 'request', 'grant', 'denial' ] as const)('a %s has the same meaning.', async(kind): Promise<void> => {
    const document = grantDocument({ ...members, kind, request: `${base}.access/vc/11aa` }, iris, extras);
    const nquads = await canonicalize(document, newer);
    expect(nquads).toBe(await canonicalize(document, shipped));
    expect(nquads).toContain('<http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "https://{DOMAIN}/b/{+path}"');
  });
});

describe('Signing an access credential', (): void => {
  const keys = new TestKeys();
  const signer = new GrantCredentials({ keys, iris, load: createDocumentLoader() });

  it('adds a proof for the domain solid.', async(): Promise<void> => {
    expect(JSON.parse(await signer.sign(members))).toEqual({
      ...grantDocument(members, iris),
      proof: {
        type: 'Ed25519Signature2020',
        created: '2026-11-21T08:00:00Z',
        verificationMethod: 'http://localhost:3000/.access/#k1',
        proofPurpose: 'assertionMethod',
        domain: 'solid',
        proofValue: expect.stringMatching(/^z/u),
      },
    });
  });

  it('keeps custom fields, and refuses an undefined term.', async(): Promise<void> => {
    const customFields = { 'https://bank.example/ns#amount': 1.5, 'https://bank.example/ns#reference': 'A-1' };
    const issuer = new TestIssuer(base);
    expect(JSON.parse(await issuer.grants.sign(members, { customFields })))
      .toMatchObject({ credentialSubject: { providedConsent: customFields }});
    await expect(signer.sign(members, { customFields: { amount: 1 }})).rejects.toThrow('invalid property');
  });

  it('refuses a member that is not an IRI.', async(): Promise<void> => {
    await expect(signer.sign({ ...members, recipient: 'the bank' as WebId })).rejects.toThrow('without meaning');
  });
});
