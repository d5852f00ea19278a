import { keyDocuments } from '../../../src/credentials/KeyDocuments';
import { ownIris } from '../../../src/vocabulary';
import { newKey, TestKeys } from './support';

describe('Key documents', (): void => {
  const iris = ownIris('https://data.example/');

  it('are at the issuers\' URLs.', (): void => {
    const documents = keyDocuments(new TestKeys(), iris);
    expect([ ...documents.keys() ]).toEqual([ '/.access/', '/.access/keys', '/v1/issuer' ]);
    expect(documents.get('/.access/keys')).toEqual(documents.get('/.access/'));
  });

  it('list every key of their purpose and none of the other.', (): void => {
    const keys = new TestKeys();
    const later = newKey('k3');
    keys.signing.credentials.unshift(later);
    expect(keyDocuments(keys, iris).get('/v1/issuer')).toEqual({
      '@context': [ 'https://www.w3.org/ns/cid/v1', 'https://w3id.org/security/multikey/v1' ],
      id: 'https://data.example/v1/issuer',
      verificationMethod: [ later, keys.signing.credentials[1] ].map((key): object => ({
        id: `https://data.example/v1/issuer#${key.id}`,
        type: 'Multikey',
        controller: 'https://data.example/v1/issuer',
        publicKeyMultibase: key.publicKeyMultibase,
      })),
      assertionMethod: [ 'https://data.example/v1/issuer#k3', 'https://data.example/v1/issuer#k2' ],
    });
  });

  it('contain no private key.', (): void => {
    const keys = new TestKeys();
    const text = JSON.stringify([ ...keyDocuments(keys, iris).values() ]);
    for (const { privateKey } of [ ...keys.signing.grants, ...keys.signing.credentials ]) {
      expect(text).not.toContain(privateKey.export({ format: 'jwk' }).d);
    }
  });
});
