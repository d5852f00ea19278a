import type { AccessGrant } from '../../../src/grants/AccessGrant';
import { fits, requestMismatch } from '../../../src/grants/requestMatch';
import type { GrantStatement } from '../../../src/grants/GrantStatement';
import { parseWebId } from '../../../src/platform/webId';

const base = 'https://pods.example/';
const owner = parseWebId(`${base}anna/profile/card#me`);
const bank = parseWebId('https://bank.example/#me');
const now = new Date('2026-11-21T12:00:00Z');

function request(changes: Partial<AccessGrant> = {}, template?: string[]): AccessGrant {
  return {
    id: '1',
    uri: `${base}.access/vc/1`,
    kind: 'request',
    subject: bank,
    recipient: owner,
    modes: [ 'Write' ],
    resources: [ `${base}anna/a/`, `${base}anna/b` ],
    purposes: [],
    inherit: true,
    status: { listId: 'l', index: 1 },
    issuedAt: now,
    document: JSON.stringify({ credentialSubject: { hasConsent: { template }}}),
    ...changes,
  };
}

function answer(resource: string, changes: Partial<GrantStatement> = {}): GrantStatement {
  return {
    kind: 'grant',
    recipient: bank,
    modes: [ 'Append' ],
    resources: [ resource ],
    statedResources: [ resource ],
    templates: [],
    purposes: [],
    inherit: true,
    isRequestVerified: true,
    customFields: {},
    ...changes,
  };
}

describe('A request', (): void => {
  it.each([ 'anna/a/', 'anna/a/1', 'anna/a/b/', 'anna/b' ])('is answered by a grant on %s.', (path): void => {
    expect(requestMismatch(answer(base + path), owner, request(), now)).toBeUndefined();
  });

  it.each([ 'anna/', 'anna/a', 'anna/ab', 'anna/b/', 'anna/b/1', 'anna/c' ])(
    'is not answered by a grant on %s.',
    (path): void => {
      expect(requestMismatch(answer(base + path), owner, request(), now)).toMatch('resources');
    },
  );

  it('for a container alone is not answered by what it contains.', (): void => {
    const alone = request({ inherit: false });
    expect(requestMismatch(answer(`${base}anna/a/`), owner, alone, now)).toMatch('resources');
    expect(requestMismatch(answer(`${base}anna/a/1`), owner, alone, now)).toMatch('resources');
    expect(requestMismatch(answer(`${base}anna/a/`, { inherit: false }), owner, alone, now)).toBeUndefined();
  });

  it('is not answered by a grant of other modes, to others, or by others.', (): void => {
    const resource = `${base}anna/b`;
    expect(requestMismatch(answer(resource, { modes: [ 'Read' ]}), owner, request(), now)).toMatch('modes');
    expect(requestMismatch(answer(resource, { recipient: owner }), owner, request(), now)).toMatch('isProvidedTo');
    expect(requestMismatch(answer(resource), bank, request(), now)).toMatch('somebody else');
    expect(requestMismatch(answer(resource), owner, request({ revokedAt: now }), now)).toMatch('open');
    expect(requestMismatch(answer(resource), owner, request({ expiresAt: now }), now)).toMatch('open');
  });

  it('that is a template for anyone is answered by anyone, for what fits.', (): void => {
    const template = request({ recipient: '', resources: []}, [ `${base}{pod}/a/{name}.txt` ]);
    expect(requestMismatch(answer(`${base}anna/a/1.txt`), owner, template, now)).toBeUndefined();
    expect(requestMismatch(answer(`${base}anna/b/1.txt`), owner, template, now)).toMatch('resources');
  });
});

describe('A URI template', (): void => {
  it.each<[string, string, boolean]>([
    [ 'https://{DOMAIN}{PATH}', 'https://a.example/b', true ],
    [ 'https://{DOMAIN}{PATH}', 'http://a.example/b', false ],
    [ 'https://a.example/{x}/b/{y}', 'https://a.example/1/b/2', true ],
    [ 'https://a.example/{x}/b/{y}', 'https://a.example/1/c/2', false ],
    [ 'https://a.example/{x}.txt', 'https://a.example/1.txt', true ],
    [ 'https://a.example/{x}.txt', 'https://a.example/1.txt.acl', false ],
    [ 'https://a.example/ab{x}ba', 'https://a.example/aba', false ],
    [ 'https://a.example/a{x}b{y}b', 'https://a.example/ab', false ],
    [ 'https://a.example/', 'https://a.example/', true ],
    [ 'https://a.example/', 'https://a.example/b', false ],
    [ 'https://a.example/.{x}', 'https://a.example/xx', false ],
  ])('%s fits %s: %s.', (template, uri, does): void => {
    expect(fits(template, uri)).toBe(does);
  });

  it('of many expressions is matched quickly.', (): void => {
    const template = `https://a.example/${'{x}a'.repeat(400)}!`;
    expect(fits(template, `https://a.example/${'a'.repeat(2000)}`)).toBe(false);
  });
});
