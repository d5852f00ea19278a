import { gzipSync } from 'node:zlib';
import { CheckUnavailable } from '../../../src/credentials/Credential';
import type { CredentialFinding } from '../../../src/credentials/Credential';
import { addProof } from '../../../src/credentials/proofs';
import { packBits } from '../../../src/credentials/statusEntries';
import { diploma, newKey, TestIssuer } from './support';

const base = 'http://localhost:3000/';
const university = 'https://university.example/';

type Document = Record<string, any>;

describe('CredentialIssuer, CredentialVerifier', (): void => {
  let here: TestIssuer;
  let abroad: TestIssuer;
  let fetched: string[];

  beforeEach((): void => {
    fetched = [];
    abroad = new TestIssuer(university);
    here = new TestIssuer(base, async(url): Promise<unknown> => {
      fetched.push(url);
      return abroad.get(url);
    });
  });

  describe('drafting', (): void => {
    it('returns the credential without id, date, status and proof.', (): void => {
      const { '@context': context, ...claims } = diploma.subject;
      expect(here.credentials.draft(diploma)).toEqual({
        '@context': [ 'https://www.w3.org/ns/credentials/v2', context ],
        type: [ 'VerifiableCredential', diploma.dataType ],
        issuer: 'http://localhost:3000/v1/issuer',
        credentialSubject: { id: diploma.webId, ...claims },
      });
    });

    it('ignores ids of the record in favour of the WebID, and repeated contexts.', (): void => {
      const subject = {
        '@context': [ 'https://www.w3.org/ns/credentials/v2', { ex: 'https://data.example/ns#' }],
        '@id': 'https://data.example/somebody',
        id: 'https://data.example/else',
        'ex:a': 'b',
      };
      expect(here.credentials.draft({ ...diploma, subject })).toMatchObject({
        '@context': [ 'https://www.w3.org/ns/credentials/v2', { ex: 'https://data.example/ns#' }],
        credentialSubject: { id: diploma.webId, 'ex:a': 'b' },
      });
    });

    it('finds a term without meaning.', async(): Promise<void> => {
      const { credentials } = here;
      await expect(credentials.read(credentials.draft(diploma))).resolves.toHaveProperty('document');
      const record = { ...diploma, subject: { ...diploma.subject, shoeSize: 43 }};
      await expect(credentials.read(credentials.draft(record)))
        .rejects.toThrow('it has a part without meaning: invalid property');
      await expect(credentials.issue(record)).rejects.toThrow('invalid property');
    });
  });

  describe('issuing', (): void => {
    it('adds id, date, status and proof.', async(): Promise<void> => {
      const { document, status } = await here.credentials.issue(diploma);
      expect(status).toEqual({ listId: 'credentials', index: 42 });
      expect(document).toEqual({
        ...here.credentials.draft(diploma),
        id: 'urn:uuid:7b1c7d3e-5f0a-4c55-8a3c-1d1f6f0b9a01',
        validFrom: '2026-11-21T08:00:00.500Z',
        credentialStatus: {
          id: 'http://localhost:3000/v1/status/credentials#42',
          type: 'BitstringStatusListEntry',
          statusPurpose: 'revocation',
          statusListIndex: '42',
          statusListCredential: 'http://localhost:3000/v1/status/credentials',
        },
        proof: expect.objectContaining({ verificationMethod: 'http://localhost:3000/v1/issuer#k2' }),
      });
    });
  });

  describe('verifying its own', (): void => {
    it('finds nothing, and fetches nothing.', async(): Promise<void> => {
      const { document } = await here.credentials.issue(diploma);
      await expect(here.verifier.verify(document)).resolves.toEqual([]);
      expect(fetched).toEqual([]);
    });

    it('accepts earlier keys.', async(): Promise<void> => {
      const { document } = await here.credentials.issue(diploma);
      here.keys.signing.credentials.unshift(newKey('k3'));
      await expect(here.verifier.verify(document)).resolves.toEqual([]);
    });

    it('does not accept keys of grants for personal data.', async(): Promise<void> => {
      const { document } = await here.credentials.issue(diploma);
      here.keys.signing.grants.push(...here.keys.signing.credentials.splice(0, 1, newKey('k3')));
      await expect(checks(here.verifier.verify(document))).resolves.toEqual([ 'proof' ]);
    });

    it('finds that it was revoked.', async(): Promise<void> => {
      const { document, status } = await here.credentials.issue(diploma);
      await here.store.revoke({ ...status, index: 43 }, here.now);
      await expect(here.verifier.verify(document)).resolves.toEqual([]);
      await here.store.revoke(status, here.now);
      await expect(checks(here.verifier.verify(document))).resolves.toEqual([ 'status' ]);
    });

    it('does not accept it if only others are trusted.', async(): Promise<void> => {
      const { document } = await here.credentials.issue(diploma);
      await expect(checks(here.verifier.verify(document, [ `${university}v1/issuer` ])))
        .resolves.toEqual([ 'issuer' ]);
      await expect(checks(here.verifier.verify(document, []))).resolves.toEqual([ 'issuer' ]);
    });

    it.each<[string, string, (document: Document) => Document]>([
      [ 'proof', 'a proof that is gone', without('proof') ],
      [ 'proof', 'another date', (): Document => ({ validFrom: '2020-01-01T00:00:00Z' }) ],
      [ 'proof', 'another claim', ({ credentialSubject }): Document =>
        ({ credentialSubject: { ...credentialSubject, credits: 240 }}) ],
      [ 'proof', 'another member', (): Document => ({ extra: 'x' }) ],
      [ 'proof', 'a member that a context makes meaningless', (document): Document =>
        ({ extra: 'x', '@context': [ ...document['@context'], { extra: null }]}) ],
      [ 'proof', 'an unknown context', (document): Document =>
        ({ '@context': [ ...document['@context'], 'https://elsewhere.example/c' ]}) ],
      [ 'proof', 'a status that is gone', without('credentialStatus') ],
      [ 'shape', 'another first context', (): Document => ({ '@context': 'https://schema.org/' }) ],
      [ 'shape', 'another type', (): Document => ({ type: diploma.dataType }) ],
      [ 'shape', 'an id that is no URL', (): Document => ({ id: 'one' }) ],
      [ 'shape', 'a list of issuers', ({ issuer }): Document => ({ issuer: [ issuer ]}) ],
      [ 'shape', 'a subject that is no object', (): Document => ({ credentialSubject: diploma.webId }) ],
      [ 'shape', 'no subject', (): Document => ({ credentialSubject: []}) ],
      [ 'shape', 'a date that is none', (): Document => ({ validFrom: 'today' }) ],
      [ 'issuer', 'another issuer', (): Document => ({ issuer: `${university}v1/issuer` }) ],
      [ 'issuer', 'the issuer of grants', (): Document => ({ issuer: { id: 'http://localhost:3000/.access/' }}) ],
    ])('finds the %s of a credential with %s wrong.', async(check, _what, changes): Promise<void> => {
      const { document } = await here.credentials.issue(diploma);
      const altered = { ...document, ...changes(document) };
      await expect(checks(here.verifier.verify(altered))).resolves.toEqual([ check ]);
    });

    it('is not deceived by a context that renames a member that is checked.', async(): Promise<void> => {
      const { document } = await here.credentials.issue(diploma);
      const { '@context': context, credentialStatus, ...rest } = document;
      const alias = { state: { '@id': 'https://www.w3.org/2018/credentials#credentialStatus', '@type': '@id' }};
      const renamed = { '@context': [ ...context as object[], alias ], ...rest, state: credentialStatus };
      const problem = 'the document says its credentialStatus under another name';
      await expect(here.verifier.verify(renamed)).resolves.toEqual([{ check: 'proof', problem }]);
      await expect(here.verifier.verify({ ...renamed, credentialStatus: []}))
        .resolves.toEqual([{ check: 'proof', problem }]);
    });

    it('tolerates a clock that is a minute off, and no more.', async(): Promise<void> => {
      const { document } = await here.credentials.issue(diploma);
      here.now = new Date('2026-11-21T07:59:00.500Z');
      await expect(here.verifier.verify(document)).resolves.toEqual([]);
      here.now = new Date('2026-11-21T07:58:59Z');
      await expect(checks(here.verifier.verify(document))).resolves.toEqual([ 'validity' ]);
    });
  });

  describe('verifying another issuer\'s', (): void => {
    const trusted = [ `${university}v1/issuer` ];

    it('finds nothing when its key and its list are in order.', async(): Promise<void> => {
      const { document } = await abroad.credentials.issue(diploma);
      await expect(here.verifier.verify(document, trusted)).resolves.toEqual([]);
      const paths = fetched.map((url): string => url.slice(university.length));
      expect(paths).toEqual([ 'v1/issuer', 'v1/status/credentials', 'v1/issuer' ]);
    });

    it('fetches nothing for an issuer that is not trusted.', async(): Promise<void> => {
      const { document } = await abroad.credentials.issue(diploma);
      await expect(checks(here.verifier.verify(document))).resolves.toEqual([ 'issuer' ]);
      expect(fetched).toEqual([]);
    });

    it('finds that it was revoked.', async(): Promise<void> => {
      const { document, status } = await abroad.credentials.issue(diploma);
      await abroad.store.revoke(status, abroad.now);
      await expect(here.verifier.verify(document, trusted))
        .resolves.toMatchObject([{
          check: 'status',
          problem: 'the status list says: revocation',
          since: abroad.store.modified,
        }]);
    });

    it('finds that its key is no longer the issuer\'s.', async(): Promise<void> => {
      const { document } = await abroad.credentials.issue(diploma);
      abroad.keys.signing.credentials = [ newKey('k3') ];
      await expect(checks(here.verifier.verify(document, trusted))).resolves.toEqual([ 'proof' ]);
    });

    it('is inconclusive while the key document or the list is out of reach.', async(): Promise<void> => {
      const { document } = await abroad.credentials.issue(diploma);
      for (const path of [ 'v1/issuer', 'v1/status/credentials' ]) {
        const get = abroad.get.bind(abroad);
        const cut = new TestIssuer(base, async(url): Promise<unknown> => {
          if (url === `${university}${path}`) {
            throw new Error('connection refused');
          }
          return get(url);
        });
        await expect(cut.verifier.verify(document, trusted)).rejects.toThrow(CheckUnavailable);
      }
    });

    it.each<[string, (list: Document) => unknown]>([
      [ 'no JSON object', (): unknown => 'list' ],
      [ 'no credential', (): unknown => ({}) ],
      [ 'one that was altered', (list): unknown => ({ ...list, validFrom: '2020-01-01T00:00:00Z' }) ],
      [ 'one that is not valid yet', (list): unknown => ({ ...list, validFrom: '2027-01-01T00:00:00Z' }) ],
      [ 'one of another issuer', (list): unknown => ({ ...list, issuer: 'https://elsewhere.example/' }) ],
    ])('is inconclusive when the list is %s.', async(_what, change): Promise<void> => {
      const { document } = await abroad.credentials.issue(diploma);
      const broken = new TestIssuer(base, async(url): Promise<unknown> => {
        const original = await abroad.get(url);
        return url.endsWith('/status/credentials') ? change(original) : original;
      });
      await expect(broken.verifier.verify(document, trusted)).rejects.toThrow(CheckUnavailable);
    });

    it.each<[string, Document]>([
      [ 'id', { id: 'https://elsewhere.example/' }],
      [ 'assertionMethod', { assertionMethod: []}],
      [ 'verificationMethod', { verificationMethod: []}],
    ])('does not trust a key document with another %s.', async(_member, changes): Promise<void> => {
      const { document } = await abroad.credentials.issue(diploma);
      const deceived = new TestIssuer(base, async(url): Promise<unknown> =>
        ({ ...await abroad.get(url), ...changes }));
      await expect(checks(deceived.verifier.verify(document, trusted))).resolves.toEqual([ 'proof' ]);
    });

    it.each<[boolean, Document]>([
      [ false, { controller: 'https://elsewhere.example/' }],
      [ false, { type: 'JsonWebKey' }],
      [ false, { revoked: '2026-11-21T07:59:59Z' }],
      [ true, { revoked: '2026-11-21T09:00:00Z' }],
      [ false, { expires: '2026-11-21T07:59:59Z' }],
      [ false, { expires: 'unknown' }],
      [ true, { expires: '2027-02-28T08:00:00Z' }],
      [ false, { expires: '2027-02-30T08:00:00Z' }],
      [ false, { publicKeyMultibase: 'zUC77BjGcGDVWfBdgzqwzp3' }],
    ])('accepts the key: %s, when it has %j.', async(accepted, changes): Promise<void> => {
      const { document } = await abroad.credentials.issue(diploma);
      const verifier = new TestIssuer(base, async(url): Promise<unknown> => {
        const { verificationMethod, ...original } = await abroad.get(url);
        const methods = verificationMethod && { verificationMethod: [{ ...verificationMethod[0], ...changes }]};
        return { ...original, ...methods };
      });
      const findings = await checks(verifier.verifier.verify(document, trusted));
      expect(findings).toEqual(accepted ? [] : [ 'proof' ]);
    });
  });

  describe('verifying other formats', (): void => {
    const key = newKey('k');
    const did = `did:key:${key.publicKeyMultibase}`;
    const unsigned: Document = {
      '@context': [ 'https://www.w3.org/2018/credentials/v1', 'https://w3id.org/security/suites/ed25519-2020/v1' ],
      type: [ 'VerifiableCredential' ],
      issuer: { id: did },
      issuanceDate: '2026-11-01T00:00:00Z',
      expirationDate: '2026-11-21T08:00:00',
      credentialSubject: [{ id: diploma.webId }],
    };

    const method = `${did}#${key.publicKeyMultibase}`;

    async function sign(document: Document, verificationMethod = method): Promise<Document> {
      const created = new Date('2026-11-01T00:00:00Z');
      const form = document['@context'][0].endsWith('v2') ? 'eddsa-rdfc-2022' : 'Ed25519Signature2020';
      return addProof(document, { form, verificationMethod, created }, key, here.load);
    }

    it('accepts version 1.1 and Ed25519Signature2020, by did:key.', async(): Promise<void> => {
      await expect(here.verifier.verify(await sign(unsigned), [ did ])).resolves.toEqual([]);
      expect(fetched).toEqual([]);
    });

    it('refuses another did:key.', async(): Promise<void> => {
      const other = `did:key:${newKey('k').publicKeyMultibase}`;
      const document = await sign({ ...unsigned, issuer: other });
      await expect(checks(here.verifier.verify(document, [ other ]))).resolves.toEqual([ 'proof' ]);
    });

    it('finds that it has expired.', async(): Promise<void> => {
      here.now = new Date('2026-11-21T08:01:01Z');
      await expect(checks(here.verifier.verify(await sign(unsigned), [ did ]))).resolves.toEqual([ 'validity' ]);
    });

    it('finds that the issuance date of version 1.1 is missing.', async(): Promise<void> => {
      const { issuanceDate: _date, ...document } = unsigned;
      await expect(checks(here.verifier.verify(await sign(document), [ did ]))).resolves.toEqual([ 'shape' ]);
    });

    it('refuses an issuer whose keys it has no way to find.', async(): Promise<void> => {
      const issuer = 'did:web:university.example';
      const document = await sign({ ...unsigned, issuer }, `${issuer}#k`);
      await expect(checks(here.verifier.verify(document, [ issuer ])))
        .resolves.toEqual([ 'proof' ]);
    });

    async function verifyWithStatus(status: object | object[]): Promise<CredentialFinding[]> {
      return here.verifier.verify(await sign({
        ...unsigned,
        '@context': [ ...unsigned['@context'], 'https://w3id.org/vc/status-list/2021/v1', { x: 'urn:x:' }],
        credentialStatus: status,
      }), [ did ]);
    }

    describe('with a status', (): void => {
      const list = 'https://university.example/lists/1';
      let bits: number[];
      let credentialOfList: Document;

      beforeEach((): void => {
        bits = [];
        credentialOfList = {};
        here = new TestIssuer(base, async(url): Promise<unknown> => {
          expect(url).toBe(list);
          return sign({
            ...unsigned,
            '@context': [ ...unsigned['@context'], 'https://w3id.org/vc/status-list/2021/v1' ],
            id: list,
            type: [ 'VerifiableCredential', 'StatusList2021Credential' ],
            credentialSubject: {
              id: `${list}#list`,
              type: 'StatusList2021',
              statusPurpose: 'suspension',
              encodedList: packBits(bits).toString('base64url'),
              ...credentialOfList,
            },
          });
        });
      });

      const entry = {
        id: `${list}#7`,
        type: 'StatusList2021Entry',
        statusPurpose: 'suspension',
        statusListIndex: '7',
        statusListCredential: list,
      };

      it('reads StatusList2021.', async(): Promise<void> => {
        bits = [ 6, 8 ];
        await expect(verifyWithStatus(entry)).resolves.toEqual([]);
        bits = [ 7 ];
        await expect(checks(verifyWithStatus(entry))).resolves.toEqual([ 'status' ]);
        const other = { ...entry, id: `${list}#8`, statusListIndex: '8' };
        await expect(checks(verifyWithStatus([ other, entry ]))).resolves.toEqual([ 'status' ]);
      });

      it.each<[unknown, number[], number, string[]]>([
        [ undefined, [ 6, 8 ], 16, []],
        [ 1, [ 7 ], 16, [ 'status' ]],
        [ 2, [ 7, 13, 16 ], 32, []],
        [ 2, [ 14 ], 32, [ 'status' ]],
        [ 2, [ 15 ], 32, [ 'status' ]],
        [ 2, [ 14 ], 16, [ 'inconclusive' ]],
        [ 0, [], 32, [ 'status' ]],
        [ '2', [], 32, [ 'status' ]],
        [ 1.5, [], 32, [ 'status' ]],
      ])('reads entries whose statusSize is %j, with bits %j in a list of %i KiB.', async(size, set, kibibytes, found):
      Promise<void> => {
        const version2 = {
          '@context': [ 'https://www.w3.org/ns/credentials/v2' ],
          type: [ 'VerifiableCredential' ],
          issuer: did,
          credentialSubject: { id: diploma.webId },
        };
        const bytes = Buffer.alloc(kibibytes * 1024);
        for (const bit of set) {
          bytes[bit >> 3] |= 0x80 >> (bit & 7);
        }
        here = new TestIssuer(base, async(): Promise<unknown> => sign({
          ...version2,
          type: [ 'VerifiableCredential', 'BitstringStatusListCredential' ],
          credentialSubject: {
            type: 'BitstringStatusList',
            statusPurpose: 'revocation',
            encodedList: `u${gzipSync(bytes).toString('base64url')}`,
          },
        }));
        const credentialStatus = {
          type: 'BitstringStatusListEntry',
          statusPurpose: 'revocation',
          statusListIndex: '7',
          statusListCredential: list,
          statusSize: size,
        };
        const verified = checks(here.verifier.verify(await sign({ ...version2, credentialStatus }), [ did ]))
          .catch((error: unknown): string[] => {
            if (error instanceof CheckUnavailable) {
              return [ 'inconclusive' ];
            }
            throw error;
          });
        await expect(verified).resolves.toEqual(found);
      });

      it('ignores a purpose that revokes nothing.', async(): Promise<void> => {
        await expect(verifyWithStatus({ ...entry, statusPurpose: 'message' })).resolves.toEqual([]);
      });

      it('finds a kind of status that it cannot check.', async(): Promise<void> => {
        await expect(checks(verifyWithStatus({ id: 'urn:x:status', type: 'x:Status' }))).resolves.toEqual([ 'status' ]);
        await expect(checks(verifyWithStatus({ ...entry, statusListIndex: '-1' }))).resolves.toEqual([ 'status' ]);
        await expect(checks(verifyWithStatus({ ...entry, statusPurpose: undefined }))).resolves.toEqual([ 'status' ]);
      });

      it('reads types in a list, of which one can be checked.', async(): Promise<void> => {
        for (const type of [[ entry.type ], [ 'x:Status', entry.type ]]) {
          bits = [ 6, 8 ];
          credentialOfList = { type: [ 'StatusList2021' ]};
          await expect(verifyWithStatus({ ...entry, type })).resolves.toEqual([]);
          bits = [ 7 ];
          await expect(checks(verifyWithStatus({ ...entry, type }))).resolves.toEqual([ 'status' ]);
        }
        const unknown = { id: 'urn:x:status', type: [ 'x:Status' ]};
        await expect(checks(verifyWithStatus(unknown))).resolves.toEqual([ 'status' ]);
      });

      it('is inconclusive with a list for another purpose, damaged, or too short.', async(): Promise<void> => {
        const wrong = [
          { statusPurpose: 'revocation' },
          { encodedList: 'H4sI' },
          { encodedList: 'H4sIAAAAAAAAA2MAAI3vAtIBAAAA' },
        ];
        for (credentialOfList of wrong) {
          await expect(verifyWithStatus(entry)).rejects.toThrow(CheckUnavailable);
        }
        credentialOfList = {};
        await expect(verifyWithStatus({ ...entry, statusListIndex: '131072' })).rejects.toThrow(CheckUnavailable);
      });
    });
  });
});

function without(member: string): () => Document {
  return (): Document => ({ [member]: undefined });
}

async function checks(findings: Promise<CredentialFinding[]>): Promise<string[]> {
  return (await findings).map(({ check }): string => check);
}
