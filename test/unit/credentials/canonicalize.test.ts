import { canonicalize, limits, NotCanonicalizable } from '../../../src/credentials/canonicalize';
import { createDocumentLoader } from '../../../src/credentials/documentLoader';

const load = createDocumentLoader();
const context = { name: 'https://schema.org/name', knows: 'https://schema.org/knows' };

function nested(levels: number): object {
  return levels === 0 ? { name: 'last' } : { name: `level ${levels}`, knows: nested(levels - 1) };
}

function texts(count: number, text: string): string[] {
  return Array.from({ length: count }, (_, index): string => `${text}${index}`);
}

function named(count: number): object[] {
  return texts(count, '"\n_:c14n100 ').map((name): object => ({ name }));
}

describe('Canonicalizing', (): void => {
  it('gives the same text whatever the order of members.', async(): Promise<void> => {
    const one = await canonicalize({ '@context': context, '@id': 'urn:x:1', name: 'A', knows: { name: 'B' }}, load);
    const other = await canonicalize({ knows: { name: 'B' }, name: 'A', '@id': 'urn:x:1', '@context': context }, load);
    expect(one).toBe(other);
    expect(one).toContain('<urn:x:1> <https://schema.org/name> "A" .');
  });

  it.each<[string, object, string]>([
    [ 'a term without meaning', { '@context': context, '@id': 'urn:x:1', nmae: 'A' }, 'invalid property' ],
    [ 'a relative type', { '@context': context, '@id': 'urn:x:1', '@type': 'Person' }, 'relative @type' ],
    [ 'a relative id', { '@context': context, '@id': 'one', name: 'A' }, 'relative @id' ],
    [ 'an invalid language', { '@context': context, name: { '@value': 'A', '@language': 'n l' }}, 'language' ],
    [ 'half a character', { '@context': context, knows: [{ name: 'A\uD800' }]}, 'half a character' ],
    [ 'half a character in a name', { '@context': { 'n\uDC00': 'urn:x:n' }, 'n\uDC00': 'A' }, 'half a character' ],
    [ 'an unknown context', { '@context': 'https://elsewhere.example/c', name: 'A' }, 'https://elsewhere.example/c is not known' ],
    [ 'a protected term redefined', { '@context': [ 'https://www.w3.org/ns/credentials/v2', { type: 'urn:x:type' }]}, 'not valid JSON-LD' ],
  ])('refuses %s.', async(_what, document, problem): Promise<void> => {
    await expect(canonicalize(document, load)).rejects.toThrow(NotCanonicalizable);
    await expect(canonicalize(document, load)).rejects.toThrow(problem);
  });

  it('puts no value of the document into the message.', async(): Promise<void> => {
    const document = { '@context': context, '@id': 'urn:x:1', secretive: 'Jansens' };
    await expect(canonicalize(document, load)).rejects.toThrow(/^(?!.*Jansens)/u);
  });

  it('accepts documents nested up to the limit, and no deeper.', async(): Promise<void> => {
    const deepest = { '@context': context, ...nested(limits.depth - 1) };
    await expect(canonicalize(deepest, load)).resolves.toContain('last');
    await expect(canonicalize({ '@context': context, knows: deepest }, load)).rejects.toThrow('deeper than 32');
  });

  it('refuses a document of more than 1 MiB.', async(): Promise<void> => {
    const document = { '@context': context, name: 'é'.repeat(limits.bytes / 2) };
    await expect(canonicalize(document, load)).rejects.toThrow('larger than');
  });

  it('counts the items of a list as blank nodes.', async(): Promise<void> => {
    const document = { '@context': context, '@id': 'urn:x:1', name: { '@list': texts(limits.blankNodes + 1, '') }};
    await expect(canonicalize(document, load)).rejects.toThrow('more than 100 blank nodes');
  });

  it('refuses more values than the limit of statements before processing them.', async(): Promise<void> => {
    const document = { '@context': 'https://elsewhere.example/c', name: texts(limits.quads, '') };
    await expect(canonicalize(document, load)).rejects.toThrow('more than 5000 values');
  });

  it('refuses contexts that take long to process, without counting them otherwise.', async(): Promise<void> => {
    const terms = Object.fromEntries(texts(600, 't').map((name): [string, string] => [ name, `urn:x:${name}` ]));
    const document = { '@context': [ terms, ...Array.from({ length: 900 }).fill({}) ], '@id': 'urn:x:1', t1: 'A' };
    await expect(canonicalize(document, load)).rejects.toThrow('take too long');
  });

  it('accepts blank nodes up to the limit, and no more.', async(): Promise<void> => {
    const document = { '@context': context, '@id': 'urn:x:1', knows: named(limits.blankNodes) };
    await expect(canonicalize(document, load)).resolves.toBeDefined();
    await expect(canonicalize({ ...document, knows: named(limits.blankNodes + 1) }, load))
      .rejects.toThrow('more than 100 blank nodes');
  });

  it('counts a blank node without statements.', async(): Promise<void> => {
    const nodes = [ ...named(limits.blankNodes), { '@id': '_:silent' }];
    await expect(canonicalize({ '@context': context, '@id': 'urn:x:1', knows: nodes }, load))
      .rejects.toThrow('more than 100 blank nodes');
  });

  it('gives up on blank nodes crafted to look alike.', async(): Promise<void> => {
    const ids = Array.from({ length: 12 }, (_, index): string => `_:b${index}`);
    const graph = ids.map((id): object => ({
      '@id': id,
      knows: ids.filter((other): boolean => other !== id).map((other): object => ({ '@id': other })),
    }));
    await expect(canonicalize({ '@context': context, '@graph': graph }, load)).rejects.toThrow('blank nodes');
  });
});
