import { isSameCredential } from '../../../src/grants/isSameCredential';

const issued = {
  '@context': [ 'https://www.w3.org/2018/credentials/v1', { term: 'urn:x:term' }],
  id: 'urn:x:1',
  type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
  credentialSubject: {
    id: 'urn:x:subject',
    providedConsent: {
      mode: [ 'urn:x:Read' ],
      forPersonalData: [ 'urn:x:a', 'urn:x:b' ],
      hasStatus: 'https://w3id.org/GConsent#ConsentStatusExplicitlyGiven',
      isProvidedTo: 'urn:x:recipient',
      inherit: false,
    },
  },
  proof: { proofValue: 'z1' },
};

/** The credential with one replacement in its JSON text. */
function rewritten(from: string, to: string): unknown {
  const text = JSON.stringify(issued);
  expect(text).toContain(from);
  return JSON.parse(text.replace(from, to));
}

describe('A presented credential', (): void => {
  it.each([
    [ '["urn:x:Read"]', '"urn:x:Read"' ],
    [ '"urn:x:recipient"', '["urn:x:recipient"]' ],
    [ '{"proofValue":"z1"}', '[{"proofValue":"z1"}]' ],
    [ 'https://w3id.org/GConsent#Consent', 'Consent' ],
    [ 'https://w3id.org/GConsent#Consent', 'gc:Consent' ],
  ])('is the issued one with %s as %s.', (from, to): void => {
    expect(isSameCredential(rewritten(from, to), issued)).toBe(true);
  });

  it.each([
    [ '["urn:x:Read"]', '[["urn:x:Read"]]' ],
    [ '["urn:x:Read"]', '{"@set":["urn:x:Read"]}' ],
    [ '["urn:x:Read"]', '{"@list":["urn:x:Read"]}' ],
    [ '["urn:x:Read"]', '{"0":"urn:x:Read"}' ],
    [ '"urn:x:recipient"', '[["urn:x:recipient"]]' ],
    [ '"urn:x:recipient"', '{"@value":"urn:x:recipient"}' ],
    [ '"urn:x:recipient"', '{"id":"urn:x:recipient"}' ],
    [ '["urn:x:a","urn:x:b"]', '["urn:x:a",["urn:x:b"]]' ],
    [ '["urn:x:a","urn:x:b"]', '[["urn:x:a","urn:x:b"]]' ],
    [ '["urn:x:a","urn:x:b"]', '["urn:x:b","urn:x:a"]' ],
    [ '["urn:x:a","urn:x:b"]', '["urn:x:a","urn:x:b","urn:x:b"]' ],
    [ '{"term":"urn:x:term"}', '[{"term":"urn:x:term"}]' ],
    [ '{"proofValue":"z1"}', '[[{"proofValue":"z1"}]]' ],
    [ '"inherit":false', '"inherit":"false"' ],
    [ '"inherit":false', '"inherit":null' ],
    [ '"inherit":false', '"inherit":[]' ],
    [ '"inherit":false', '"inherit":false,"more":null' ],
    [ '"inherit":false', '"inherit":false,"more":[]' ],
    [ 'ConsentStatusExplicitlyGiven"', 'ConsentStatusDenied"' ],
  ])('is another with %s as %s.', (from, to): void => {
    expect(isSameCredential(rewritten(from, to), issued)).toBe(false);
    expect(isSameCredential(issued, rewritten(from, to))).toBe(false);
  });
});
