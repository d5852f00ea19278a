import * as jsonld from 'jsonld';
import { canonicalize } from '../../../src/credentials/canonicalize';
import { ContextCache } from '../../../src/credentials/ContextCache';
import type { LoadedDocument } from '../../../src/credentials/documentLoader';
import { createDocumentLoader } from '../../../src/credentials/documentLoader';
import { CONTEXTS } from '../../../src/platform/contextFiles';
import { fc } from '../../support/properties';

const load = createDocumentLoader();

/** Not in safe mode, which refuses most random documents: each warning would hide a difference. */
async function expandWith(made: object, contextResolver?: ContextCache): Promise<string> {
  const options: object = { base: null, documentLoader: loadAll, ...contextResolver && { contextResolver }};
  try {
    return JSON.stringify(await jsonld.expand(made, options));
  } catch (error: unknown) {
    return `refused: ${(error as { details: { code: string }}).details.code}`;
  }
}

const urls = fc.constantFrom<string>(
  CONTEXTS.credentialsV1,
  CONTEXTS.credentialsV2,
  CONTEXTS.inruptV2,
  CONTEXTS.ed25519Suite,
  CONTEXTS.dataIntegrityV2,
  CONTEXTS.revocationList,
  CONTEXTS.multikey,
);
const names = [ 'knows', 'part', 'title', 'mine', 'Thing', 'Other', 'proof' ];
const types = [
  'Thing',
  'Other',
  'VerifiableCredential',
  'BitstringStatusListEntry',
  'SolidAccessGrant',
  'Ed25519Signature2020',
  'DataIntegrityProof',
  'Multikey',
  'RevocationList2020Status',
  'Ed25519VerificationKey2020',
];
const members = [
  'name',
  'knows',
  'part',
  'title',
  'credentialSubject',
  'credentialStatus',
  'proof',
  'issuer',
  'validFrom',
  'statusListIndex',
  'providedConsent',
  'mode',
  'created',
  'verificationMethod',
  'publicKeyMultibase',
  'issuanceDate',
];

/** Embedded contexts, also within terms and types, with the features that make caching hard. */
const { context } = fc.letrec<{ context: object; term: unknown }>((tie): any => ({
  context: fc.record({
    '@version': fc.constant(1.1),
    '@protected': fc.boolean(),
    '@propagate': fc.boolean(),
    '@vocab': fc.constantFrom('https://one.example/', 'https://two.example/'),
    '@language': fc.constantFrom('nl', 'fr', null),
    ...Object.fromEntries(names.map((name): [string, fc.Arbitrary<unknown>] => [ name, tie('term') ])),
  }, { requiredKeys: []}),
  term: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom('https://one.example/a', 'https://two.example/b', null),
    fc.record({
      '@id': fc.constantFrom('https://one.example/a', 'https://two.example/b'),
      '@type': fc.constantFrom('@id', '@vocab', '@json', 'https://one.example/type'),
      '@container': fc.constantFrom('@set', '@list', '@language', '@graph'),
      '@protected': fc.boolean(),
    }, { requiredKeys: [ '@id' ]}),
    fc.record({
      '@id': fc.constantFrom('https://one.example/a', 'https://two.example/b'),
      '@context': fc.oneof(tie('context'), fc.tuple(urls, tie('context')), fc.constant(null)),
    }),
  ),
}));

/** More contexts that are known by their URL, as if they were shipped. */
const made = new Map(fc.sample(context, { numRuns: 40, seed: 7 })
  .map((one, index): [string, object] => [ `https://contexts.example/${index}`, withoutPropagate(one) ]));

function withoutPropagate(value: object): object {
  return JSON.parse(JSON.stringify(value, (member, part: unknown): unknown =>
    member === '@propagate' ? undefined : part)) as object;
}

async function loadAll(url: string): Promise<LoadedDocument> {
  const known = made.get(url);
  return known ? { documentUrl: url, document: { '@context': known }, tag: 'static' } : load(url);
}

const known = fc.oneof(urls, fc.constantFrom(...made.keys()));

const { node } = fc.letrec<{ node: Record<string, unknown>; value: unknown }>((tie): any => ({
  node: fc.record({
    '@context': fc.oneof(context, known, fc.tuple(known, context), fc.constant(null)),
    '@id': fc.constantFrom('https://one.example/1', 'urn:x:2', '_:b1'),
    '@type': fc.oneof(fc.constantFrom(...types), fc.subarray(types, { minLength: 1, maxLength: 3 })),
    ...Object.fromEntries(members.map((name): [string, fc.Arbitrary<unknown>] => [ name, tie('value') ])),
  }, { requiredKeys: []}),
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('text', 'https://one.example/3', 42, 1.5, true, '2026-11-21T08:00:00Z'),
    fc.record({ '@value': fc.constant('x'), '@language': fc.constantFrom('nl', 'fr') }, { requiredKeys: [ '@value' ]}),
    fc.record({ nl: fc.constant('een'), fr: fc.constant('un') }),
    fc.record({ '@id': fc.constantFrom('https://one.example/4', 'urn:x:5') }),
    fc.array(tie('value'), { maxLength: 2 }),
    tie('node'),
  ),
}));

const document = fc.tuple(fc.oneof(fc.array(known, { minLength: 1, maxLength: 3 }), fc.tuple(known, context)), node)
  .map(([ contexts, rest ]): object => ({ ...rest, '@context': contexts }));

describe('Cached contexts', (): void => {
  const cache = new ContextCache(loadAll);

  it('expand or refuse every document as freshly read contexts do.', async(): Promise<void> => {
    const outcomes = { expanded: 0, refused: 0 };
    await fc.assert(fc.asyncProperty(document, async(one): Promise<void> => {
      const expected = await expandWith(one);
      outcomes[expected.startsWith('refused') ? 'refused' : 'expanded'] += 1;
      await expect(expandWith(one, cache)).resolves.toBe(expected);
      // Once more, now that its contexts are known.
      await expect(expandWith(one, cache)).resolves.toBe(expected);
    }), { numRuns: 200 });
    expect(outcomes).toEqual({ expanded: expect.any(Number), refused: expect.any(Number) });
    expect(Math.min(outcomes.expanded, outcomes.refused)).toBeGreaterThan(20);
  });

  it('let no document redefine a protected term by equal text in a scoped context.', async(): Promise<void> => {
    const redefining = { mine: 'https://two.example/other' };
    const protecting = {
      '@version': 1.1,
      '@protected': true,
      mine: 'https://one.example/mine',
      part: { '@id': 'https://one.example/part', '@context': redefining },
    };
    const allowed = { '@context': protecting, '@id': 'urn:x:1', part: { mine: 'A' }};
    await expect(expandWith(allowed, cache)).resolves.toContain('https://two.example/other');
    const refused = { '@context': [ protecting, redefining ], '@id': 'urn:x:1', part: { mine: 'A' }};
    await expect(expandWith(refused, cache)).resolves.toBe('refused: protected term redefinition');
  });

  it('of two types are not reused for the second type alone.', async(): Promise<void> => {
    const types = {
      One: { '@id': 'urn:x:One', '@context': { first: 'urn:x:first' }},
      Two: { '@id': 'urn:x:Two', '@context': { second: 'urn:x:second' }},
    };
    const own = new ContextCache(async(documentUrl): Promise<LoadedDocument> =>
      ({ documentUrl, document: { '@context': types }, tag: 'static' }));
    const both = { '@context': 'urn:x:types', '@id': 'urn:x:1', first: 'A', second: 'B' };
    await expect(expandWith({ ...both, '@type': [ 'One', 'Two' ]}, own)).resolves.toContain('urn:x:first');
    await expect(expandWith({ ...both, '@type': 'Two' }, own)).resolves.not.toContain('urn:x:first');
    await expect(expandWith({ ...both, '@type': [ 'One', 'Two' ]}, own)).resolves.toContain('urn:x:first');
  });

  it('use no keyword that the cache does not support.', async(): Promise<void> => {
    for (const url of Object.values(CONTEXTS)) {
      expect(JSON.stringify((await load(url)).document)).not.toMatch(/"@(?:propagate|import)"/u);
    }
  });

  it('are not confused with those of another server with equal text.', async(): Promise<void> => {
    const own = { '@context': { mine: 'https://one.example/mine' }};
    const others = new ContextCache(async(url): Promise<LoadedDocument> => ({ documentUrl: url, document: own }));
    const made = { '@context': CONTEXTS.credentialsV2, '@id': 'urn:x:1', mine: 'A' };
    await expect(expandWith(made, others)).resolves.toContain('https://one.example/mine');
    await expect(expandWith(made, cache)).resolves.not.toContain('https://one.example/mine');
  });

  it.each([ 1, undefined ])('refuse %s as a context.', async(bad): Promise<void> => {
    const context: unknown = bad;
    await expect(cache.resolve({ context })).rejects.toThrow('neither an object nor a URL');
  });

  it('refuse contexts that name each other in a circle.', async(): Promise<void> => {
    const circle = new ContextCache(async(url): Promise<LoadedDocument> =>
      ({ documentUrl: url, document: { '@context': [ 'https://one.example/again' ]}}));
    await expect(circle.resolve({ context: 'https://one.example/' })).rejects.toThrow('in a cycle');
  });
});

describe('The canonical form', (): void => {
  const contexts = [ CONTEXTS.credentialsV1, CONTEXTS.inruptV2, CONTEXTS.ed25519Suite, CONTEXTS.revocationList ];
  const grant = {
    '@context': contexts,
    id: 'urn:x:1',
    type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
    issuer: 'https://one.example/',
    issuanceDate: '2026-11-21T08:00:00Z',
    credentialSubject: {
      id: 'https://one.example/anna',
      providedConsent: {
        mode: 'http://www.w3.org/ns/auth/acl#Read',
        forPersonalData: [ 'https://one.example/file' ],
        isProvidedTo: 'https://one.example/bank',
      },
    },
  };

  it.each([
    [ 'an access grant', grant ],
    [ 'a grant with more in it', { ...grant, '@context': [ ...contexts, { more: 'urn:x:more' }], more: 'A' }],
    [ 'a credential with two types', {
      '@context': [ CONTEXTS.credentialsV2, { '@vocab': 'https://one.example/' }],
      type: [ 'VerifiableCredential', 'VerifiablePresentation' ],
      holder: 'urn:x:2',
      credentialSubject: [{ name: 'A' }, { type: 'Thing', part: { type: [ 'Thing', 'Multikey' ], name: { nl: 'B' }}}],
    }],
  ])('of %s is that of jsonld alone.', async(_what, made): Promise<void> => {
    const options: object = { base: null, safe: true, rdfDirection: 'i18n-datatype', documentLoader: load };
    const expected = await jsonld.canonize(made, options);
    await expect(canonicalize(made, load)).resolves.toBe(expected);
    await expect(canonicalize(made, load)).resolves.toBe(expected);
  });
});
