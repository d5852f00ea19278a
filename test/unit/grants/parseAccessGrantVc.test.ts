import { CredentialMalformed } from '../../../src/problems';
import { isSameCredential } from '../../../src/grants/isSameCredential';
import { parseAccessGrantVc } from '../../../src/grants/parseAccessGrantVc';

const credential = {
  id: 'http://localhost:3000/.access/vc/3fa85f64-5717-4562-b3fc-2c963f66afa6',
  type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
  credentialSubject: {
    id: 'http://localhost:3000/emma/profile/card#me',
    providedConsent: {
      mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
      hasStatus: 'https://w3id.org/GConsent#ConsentStatusExplicitlyGiven',
      forPersonalData: [ 'http://localhost:3000/emma/a', 'http://localhost:3000/emma/b' ],
      inherit: false,
    },
  },
  proof: { type: 'Ed25519Signature2020', proofValue: 'z1' },
};
const text = JSON.stringify(credential);
const large = JSON.stringify({ ...credential, name: 'x'.repeat(65 * 1024) });

function nested(levels: number): string {
  return JSON.stringify(credential).replace('"z1"', `${'['.repeat(levels)}${']'.repeat(levels)}`);
}

function changed(change: (copy: typeof credential & Record<string, unknown>) => void): unknown {
  const copy = JSON.parse(text) as typeof credential & Record<string, unknown>;
  change(copy);
  return copy;
}

describe('The text of an access grant credential', (): void => {
  it.each<[string, string]>([
    [ 'JSON', text ],
    [ 'JSON with white space around it', `\n ${JSON.stringify(credential, null, 2)} \n` ],
    [ 'base64', Buffer.from(text).toString('base64') ],
    [ 'base64 without padding', Buffer.from(`${text} `).toString('base64').replace(/[=]+$/u, '') ],
    [ 'base64url', Buffer.from(text).toString('base64url') ],
    [ 'a presentation', JSON.stringify({ type: 'VerifiablePresentation', verifiableCredential: credential }) ],
    [ 'a presentation in base64', Buffer.from(JSON.stringify({
      type: [ 'VerifiablePresentation' ],
      verifiableCredential: [ credential ],
    })).toString('base64') ],
    [ 'JSON with one type', JSON.stringify({ ...credential, type: 'VerifiableCredential' }) ],
  ])('can be %s.', (_what, written): void => {
    expect(parseAccessGrantVc(written)).toMatchObject({ id: credential.id, proof: credential.proof });
  });

  it('keeps every character in base64.', (): void => {
    const named = JSON.stringify({ ...credential, name: 'Zoë ≥ ÿ' });
    expect(parseAccessGrantVc(Buffer.from(named).toString('base64url'))).toHaveProperty('name', 'Zoë ≥ ÿ');
  });

  it.each<[string, string]>([
    [ 'nothing', '' ],
    [ 'words', 'no credential' ],
    [ 'broken JSON', text.slice(0, -1) ],
    [ 'broken JSON in base64', Buffer.from(text.slice(0, -1)).toString('base64') ],
    [ 'a list', JSON.stringify([ credential ]) ],
    [ 'a list in base64', Buffer.from(JSON.stringify([ credential ])).toString('base64') ],
    [ 'null in base64', Buffer.from('null').toString('base64') ],
    [ 'a JWT', 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJhIn0.c2ln' ],
    [ 'a credential without id', JSON.stringify({ ...credential, id: undefined }) ],
    [ 'a credential with a number for id', JSON.stringify({ ...credential, id: 1 }) ],
    [ 'something else', JSON.stringify({ ...credential, type: [ 'SolidAccessGrant' ]}) ],
    [ 'a presentation without a credential', JSON.stringify({ type: 'VerifiablePresentation' }) ],
    [ 'a presentation of two', JSON.stringify({
      type: 'VerifiablePresentation',
      verifiableCredential: [ credential, credential ],
    }) ],
    [ 'a presentation of text', JSON.stringify({ type: 'VerifiablePresentation', verifiableCredential: 'eyJ' }) ],
    [ 'more than 64 KiB', large ],
    [ 'more than 64 KiB in base64', Buffer.from(large).toString('base64') ],
    [ 'a deep nest', nested(40) ],
    [ 'a very deep nest', nested(30_000) ],
  ])('cannot be %s.', (_what, written): void => {
    expect((): unknown => parseAccessGrantVc(written)).toThrow(CredentialMalformed);
  });
});

describe('A presented credential', (): void => {
  it('is the issued one with single values for lists, in another order, with a short status.', (): void => {
    const same = changed(({ credentialSubject }): void => {
      Object.assign(credentialSubject.providedConsent, {
        mode: credentialSubject.providedConsent.mode[0],
        inherit: [ false ],
        hasStatus: 'ConsentStatusExplicitlyGiven',
      });
    });
    expect(isSameCredential(same, credential)).toBe(true);
    expect(isSameCredential(credential, same)).toBe(true);
    expect(isSameCredential(Object.fromEntries(Object.entries(credential).reverse()), credential)).toBe(true);
    const prefixed = text.replace('https://w3id.org/GConsent#Consent', 'gc:Consent');
    expect(isSameCredential(JSON.parse(prefixed), credential)).toBe(true);
  });

  it.each<[string, unknown]>([
    [ 'another proof', changed(({ proof }): void => {
      proof.proofValue = 'z2';
    }) ],
    [ 'no proof', changed((copy): void => {
      Object.assign(copy, { proof: undefined });
    }) ],
    [ 'one member more', changed((copy): void => {
      copy.expirationDate = '2030-01-01T00:00:00Z';
    }) ],
    [ 'another subject', changed(({ credentialSubject }): void => {
      credentialSubject.id = 'http://localhost:3000/noor/profile/card#me';
    }) ],
    [ 'another status', changed(({ credentialSubject }): void => {
      credentialSubject.providedConsent.hasStatus = 'ConsentStatusDenied';
    }) ],
    [ 'a resource more', changed(({ credentialSubject }): void => {
      credentialSubject.providedConsent.forPersonalData.push('http://localhost:3000/emma/');
    }) ],
    [ 'resources in another order', changed(({ credentialSubject }): void => {
      credentialSubject.providedConsent.forPersonalData.reverse();
    }) ],
    [ 'text for a boolean', changed(({ credentialSubject }): void => {
      Object.assign(credentialSubject.providedConsent, { inherit: 'false' });
    }) ],
    [ 'nothing for an object', changed((copy): void => {
      Object.assign(copy, { proof: []});
    }) ],
    [ 'a short term elsewhere', JSON.parse(text.replace('http://www.w3.org/ns/auth/acl#Read', 'Read')) ],
    [ 'a member of Object.prototype', JSON.parse(text.replace('"proofValue"', '"constructor"')) ],
  ])('is another one with %s.', (_what, presented): void => {
    expect(isSameCredential(presented, credential)).toBe(false);
  });
});
