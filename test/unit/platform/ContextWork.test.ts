import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContextWork } from '../../../src/platform/ContextWork';

const shipped = join(__dirname, '../../../templates/contexts');

/** Returns terms, each with its own IRI. */
function terms(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at): [string, string] => [ `t${at}`, `urn:${at}` ]));
}

/** Terms that are each defined by the next. */
function chain(length: number): Record<string, string> {
  const links = Array.from({ length }, (_, at): [string, string] => [ `t${at}`, `t${at + 1}:` ]);
  return { ...Object.fromEntries(links), [`t${length}`]: 'urn:end' };
}

function many(count: number, value: unknown): unknown[] {
  return Array.from({ length: count }).fill(value);
}

function isTooMuch(document: unknown): boolean {
  return ContextWork.of(JSON.stringify(document)).isTooMuch;
}

/** Puts a value into arrays. */
function within(depth: number, value: unknown): unknown {
  return depth === 0 ? value : [ within(depth - 1, value) ];
}

const scoped = { '@id': 'urn:p', '@context': { z: 'urn:z' }};

describe('The work that contexts cause', (): void => {
  it.each<[string, unknown]>([
    [ 'a large context', { '@context': terms(900), '@graph': many(500, { t1: [ 1, 2, { t2: 3 }]}) }],
    [ 'small contexts in many places', many(100, { '@context': terms(10), t1: 1 }) ],
    [ 'a term with a context of its own', { '@context': { ...terms(20), p: scoped }, p: many(2000, { z: 1 }) }],
    [ 'what looks like contexts in strings', { a: '"@context":{'.repeat(5000), b: many(2000, '@context') }],
    [ 'no context', many(100_000, { a: 1 }) ],
    [ 'what is nested as deeply as usual', within(14, many(20_000, [ 1 ])) ],
    [ 'what is nested very deeply, once', within(99, 1) ],
    [ 'a long name in a context', { '@context': { '@vocab': `urn:${'a'.repeat(1000)}` }, a: many(5000, 1) }],
    [ 'a base', { '@context': { '@base': `http://a.example/${'x'.repeat(2000)}/` }, a: `@base${'x'.repeat(4000)}` }],
  ])('is little for %s.', (_name, document): void => {
    expect(isTooMuch(document)).toBe(false);
  });

  it.each<[string, unknown]>([
    [ 'many terms', { '@context': terms(1001) }],
    [ 'many contexts beside each other', { '@context': terms(800), '@graph': many(800, { '@context': {}}) }],
    [ 'many contexts in a list', { '@context': [ terms(800), ...many(800, {}) ]}],
    [ 'many contexts in lists of lists', { '@context': [ terms(800), many(400, [[{}], 'https://c.example/' ]) ]}],
    [ 'many URLs of contexts', [{ '@context': terms(800) }, ...many(800, { '@context': 'https://c.example/' }) ]],
    [ 'many uses of a term', { '@context': { ...terms(500), p: scoped }, '@graph': many(800, { p: {}}) }],
    [ 'many uses of a type', { '@context': { ...terms(500), p: scoped }, '@type': many(1200, 'p') }],
    [ 'a term with many contexts', {
      '@context': { ...terms(100), p: { '@id': 'urn:p', '@context': many(100, {}) }},
      p: many(100, {}),
    }],
    [ 'much that is nested deeply', within(90, many(200, 1)) ],
    [ 'a long text that many names repeat', {
      '@context': { '@vocab': `urn:${'a'.repeat(50_000)}` },
      ...Object.fromEntries(many(1000, 1).map((value, at): [string, unknown] => [ `x${at}`, value ])),
    }],
    [ 'many bases', { '@context': many(50, { '@base': 'a/'.repeat(30) }) }],
  ])('is too much for %s.', (_name, document): void => {
    expect(isTooMuch(document)).toBe(true);
  });

  it('is recognised in any spelling of the member.', (): void => {
    const text = JSON.stringify({ '@context': terms(1001) });
    const escaped = String.raw`\u0040\u0063\u006f\u006E\u0074\u0065\u0078\u0074`;
    for (const spelling of [ String.raw`\u0040context`, escaped ]) {
      expect(ContextWork.of(text.replace('@context', spelling)).isTooMuch).toBe(true);
    }
    expect(ContextWork.of(text.replace('"@context":', '"@context" \n: ')).isTooMuch).toBe(true);
    expect(ContextWork.of(text.replace('@context', String.raw`\q@context`)).isTooMuch).toBe(false);
  });

  it('is counted for contexts that are fetched too.', (): void => {
    const work = ContextWork.of(JSON.stringify(many(200, { '@context': 'https://c.example/' })));
    work.addFetched({ '@context': terms(2000) });
    expect((): void => work.addFetched({ '@context': terms(2000) })).toThrow('too complex');
    const uses = ContextWork.of(JSON.stringify(many(500, { p: {}})));
    expect((): void => uses.addFetched({ '@context': { ...terms(500), p: scoped }})).toThrow('too complex');
  });

  it.each<[string, object]>([
    [ 'are very large', { '@context': terms(5001) }],
    [ 'have many parts', { '@context': many(11, {}) }],
    [ 'define a term by a term, and so on', { '@context': chain(11) }],
    [ 'do so in parts', { '@context': [ chain(9), { t9: { '@id': 'ta:' }, ta: 'tb:', tb: 'tc:', tc: '' }]}],
  ])('is refused for fetched contexts that %s.', (_name, document): void => {
    expect((): void => new ContextWork().addFetched(document)).toThrow('too large');
  });

  it('is allowed for published contexts.', (): void => {
    const all = new ContextWork();
    for (const file of readdirSync(shipped).filter((name): boolean => name.endsWith('.json'))) {
      all.addFetched(JSON.parse(readFileSync(join(shipped, file), 'utf8')) as object);
    }
    all.addFetched({ '@context': { schema: 'https://schema.org/', ...terms(3000), 'schema:name': { '@id': 'schema:name' }}});
    all.addFetched({});
    expect(all.isTooMuch).toBe(false);
  });
});
