import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyCredential } from '@digitalbazaar/vc';
import { checkStatus as checkBitstring } from '@digitalbazaar/vc-bitstring-status-list';
import { checkStatus as checkRevocationList } from '@digitalbazaar/vc-revocation-list';
import { suites } from '../support/strangersLoader';
import { diploma, grantMembers, newKey, TestIssuer } from '../unit/credentials/support';

const contexts = join(__dirname, '../../templates/contexts');
const published: Record<string, string> = {
  'https://www.w3.org/2018/credentials/v1': 'credentials-v1',
  'https://www.w3.org/ns/credentials/v2': 'credentials-v2',
  'https://schema.inrupt.com/credentials/v2.jsonld': 'inrupt-v2',
  'https://w3id.org/security/suites/ed25519-2020/v1': 'ed25519-2020-v1',
  'https://w3id.org/vc-revocation-list-2020/v1': 'revocation-list-2020-v1',
  'https://w3id.org/security/multikey/v1': 'multikey-v1',
  'https://www.w3.org/ns/cid/v1': 'cid-v1',
};

/** A stranger's document loader: published contexts, and the public documents of the issuer's server. */
function strangersLoader(issuer: TestIssuer): (url: string) => Promise<object> {
  return async(url): Promise<object> => {
    if (published[url]) {
      const document = JSON.parse(readFileSync(join(contexts, `${published[url]}.json`), 'utf8')) as object;
      return { documentUrl: url, document };
    }
    const document = await issuer.get(url.split('#')[0]);
    const methods = document.verificationMethod as { id: string }[] | undefined;
    const method = methods?.find(({ id }): boolean => id === url);
    return { documentUrl: url, document: method ? { '@context': document['@context'], ...method } : document };
  };
}

async function isVerified(credential: object, issuer: TestIssuer): Promise<boolean> {
  const result = await verifyCredential({
    credential,
    suite: suites(),
    documentLoader: strangersLoader(issuer),
    now: issuer.now,
    // Its status has a test of its own.
    checkStatus: async(): Promise<object> => ({ verified: true }),
  });
  return result.verified;
}

/** Yields the document, each time with another member changed, at every depth and in the proof too. */
function* tamperedCopies(document: Record<string, any>): Generator<[string, Record<string, any>]> {
  for (const [ key, value ] of Object.entries(document)) {
    if (key === '@context') {
      continue;
    }
    if (typeof value === 'object' && value !== null) {
      for (const [ path, copy ] of tamperedCopies(value as Record<string, any>)) {
        yield [ `${key}.${path}`, { ...document, [key]: Array.isArray(value) ? Object.values(copy) : copy }];
      }
    } else {
      yield [ key, { ...document, [key]: changed(value) }];
    }
  }
}

function changed(value: unknown): unknown {
  if (typeof value === 'boolean') {
    return !value;
  }
  if (typeof value === 'number') {
    return value + 1;
  }
  const text = String(value);
  return /^\d{4}-/u.test(text) ? text.replace(/^\d{4}/u, '2026').replace(/-\d\d/u, '-01') : `${text}x`;
}

describe.each([ 'http://localhost:3000/', 'https://data.example/' ])('At %s, unmodified public libraries', (base): void => {
  let issuer: TestIssuer;

  beforeEach((): void => {
    issuer = new TestIssuer(base);
  });

  it('verify an access grant.', async(): Promise<void> => {
    const grant = JSON.parse(await issuer.grants.sign(grantMembers(base))) as object;
    await expect(isVerified(grant, issuer)).resolves.toBe(true);
  });

  it('verify access requests and denials.', async(): Promise<void> => {
    for (const kind of [ 'request', 'denial' ] as const) {
      const members = { ...grantMembers(base), kind, expiresAt: undefined };
      const document = JSON.parse(await issuer.grants.sign(members)) as object;
      await expect(isVerified(document, issuer)).resolves.toBe(true);
    }
  });

  it('verify a credential of personal data.', async(): Promise<void> => {
    const { document } = await issuer.credentials.issue(diploma);
    await expect(isVerified(document, issuer)).resolves.toBe(true);
  });

  it('verify documents signed with an earlier key.', async(): Promise<void> => {
    const { document } = await issuer.credentials.issue(diploma);
    const grant = JSON.parse(await issuer.grants.sign(grantMembers(base))) as object;
    issuer.keys.signing.credentials.unshift(newKey('k3'));
    issuer.keys.signing.grants.unshift(newKey('k4'));
    await expect(isVerified(document, issuer)).resolves.toBe(true);
    await expect(isVerified(grant, issuer)).resolves.toBe(true);
  });

  it('reject a key that is not the issuer\'s.', async(): Promise<void> => {
    const { document } = await issuer.credentials.issue(diploma);
    issuer.keys.signing.credentials = [ newKey('k2') ];
    await expect(isVerified(document, issuer)).resolves.toBe(false);
  });

  it('see in the list that an access grant was revoked.', async(): Promise<void> => {
    const members = grantMembers(base);
    const credential = JSON.parse(await issuer.grants.sign(members)) as object;
    const options = { credential, suite: suites(), documentLoader: strangersLoader(issuer) };
    await expect(checkRevocationList(options)).resolves.toEqual({ verified: true });
    await issuer.store.revoke({ ...members.status, index: 43 }, issuer.now);
    await expect(checkRevocationList(options)).resolves.toEqual({ verified: true });
    await issuer.store.revoke(members.status, issuer.now);
    await expect(checkRevocationList(options)).resolves.toEqual({ verified: false });
  });

  it('see in the list that a credential was revoked.', async(): Promise<void> => {
    const { document: credential, status } = await issuer.credentials.issue(diploma);
    const options = { credential, suite: suites(), documentLoader: strangersLoader(issuer) };
    await expect(checkBitstring(options)).resolves.toMatchObject({ verified: true, results: [{ status: false }]});
    await issuer.store.revoke({ ...status, index: status.index + 1 }, issuer.now);
    await expect(checkBitstring(options)).resolves.toMatchObject({ verified: true, results: [{ status: false }]});
    await issuer.store.revoke(status, issuer.now);
    await expect(checkBitstring(options)).resolves.toMatchObject({ verified: true, results: [{ status: true }]});
  });
});

describe('Unmodified public libraries', (): void => {
  const issuer = new TestIssuer('https://data.example/');

  it('reject an access grant with any one member changed.', async(): Promise<void> => {
    const grant = JSON.parse(await issuer.grants.sign(grantMembers(issuer.iris.base))) as Record<string, any>;
    const accepted: string[] = [];
    for (const [ path, copy ] of tamperedCopies(grant)) {
      if (await isVerified(copy, issuer)) {
        accepted.push(path);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('reject a credential with any one member changed.', async(): Promise<void> => {
    const { document } = await issuer.credentials.issue(diploma);
    const accepted: string[] = [];
    for (const [ path, copy ] of tamperedCopies(document)) {
      if (await isVerified(copy, issuer)) {
        accepted.push(path);
      }
    }
    expect(accepted).toEqual([]);
  });
});
