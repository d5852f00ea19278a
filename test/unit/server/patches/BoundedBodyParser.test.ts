import {
  guardedStreamFrom,
  N3PatchBodyParser,
  RepresentationMetadata,
  SparqlUpdateBodyParser,
} from '@solid/community-server';
import type { HttpRequest } from '@solid/community-server';
import type { Term } from '@rdfjs/types';
import { BoundedBodyParser } from '../../../../src/server/patches/BoundedBodyParser';

const parser = new BoundedBodyParser(new N3PatchBodyParser());
const target = { path: 'https://data.example/alice/document' };
const start = '@prefix solid: <http://www.w3.org/ns/solid/terms#>. ';

async function parse(text: string): Promise<unknown> {
  const metadata = new RepresentationMetadata(target, 'text/n3');
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- parsers do nothing but read it
  return parser.handle({ request: guardedStreamFrom(text) as HttpRequest, metadata });
}

function inserting(count: number, triple: (at: number) => string): string {
  const triples = Array.from({ length: count }, (_, at): string => triple(at)).join('');
  return `<> a solid:InsertDeletePatch; solid:inserts { ${triples} }.`;
}

const updates = new BoundedBodyParser(new SparqlUpdateBodyParser());

async function parseUpdate(text: string): Promise<unknown> {
  const metadata = new RepresentationMetadata(target, 'application/sparql-update');
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- parsers do nothing but read it
  return updates.handle({ request: guardedStreamFrom(text) as HttpRequest, metadata });
}

/** Returns conditions of the maximum nesting. */
function nested(text: string): string {
  return `INSERT {} WHERE { ${'{ SELECT * '.repeat(90)} { ${text} } ${'}'.repeat(90)} }`;
}

describe('The body of a patch', (): void => {
  it.each<[string, string]>([
    [ 'many triples', start + inserting(5000, (at): string => `<a${at}> <b> ${at} .`) ],
    [ 'a picture', start + inserting(1, (): string => `<a> <b> <data:image/png;base64,${'x'.repeat(200_000)}> .`) ],
    [ 'a long text', start + inserting(1, (): string => `<a> <b> "${'< base: '.repeat(20)}${'x'.repeat(500_000)}" .`) ],
  ])('can have %s.', async(_name, text): Promise<void> => {
    await expect(parse(text)).resolves.toHaveProperty('inserts');
  });

  it.each<[string, string]>([
    [ 'a long prefix', `@prefix p: <urn:${'x'.repeat(400_000)}>. ${
      inserting(1000, (at): string => `<a> <b> p:${at} .`)}` ],
    [ 'a long base', `@base <http://x/${'x'.repeat(40_000)}/>. ${inserting(1000, (at): string => `<a> <b> <${at}> .`)}` ],
    [ 'a base in pieces', `@base <http://x/>. ${`@base <${'x'.repeat(2000)}/>. `.repeat(200)}${
      inserting(1000, (at): string => `<a> <b> <${at}> .`)}` ],
  ])('cannot have %s that makes it far longer.', async(_name, text): Promise<void> => {
    await expect(parse(start + text)).rejects.toThrow('far longer than it looks');
  });

  it.each<[string, string]>([
    [ 'many items', '1 '.repeat(31_000) ],
    [ 'many lists', '() '.repeat(16_000) ],
    [ 'very many triples', '<a><b><c>.'.repeat(8000) ],
  ])('cannot have %s.', async(_name, text): Promise<void> => {
    await expect(parse(`${start}<> a solid:InsertDeletePatch; solid:where { <a> <b> ( ${text} ) }.`)).rejects
      .toMatchObject({ statusCode: 413 });
  });
});

describe.each<[string, (text: string) => Promise<unknown>, string]>([
  [ 'an N3 patch', parse, `${start}${inserting(1, (): string => '<a> <b> <c> .')}` ],
  [ 'a SPARQL update', parseUpdate, 'INSERT DATA { <a> <b> <c> }' ],
])('The body of %s', (_name, parseIt, patch): void => {
  /** A body of a given size: its comment has two bytes for each letter. */
  function ofLength(bytes: number): string {
    const rest = bytes - Buffer.byteLength(`${patch}\n#`);
    return `${patch}\n#${'é'.repeat(Math.floor(rest / 2))}${rest % 2 === 0 ? '' : '-'}`;
  }

  it('can have a MiB, and not a byte more.', async(): Promise<void> => {
    const [ longest, longer ] = [ ofLength(2 ** 20), ofLength((2 ** 20) + 1) ];
    expect([ longest, longer ].map((text): number => Buffer.byteLength(text))).toEqual([ 2 ** 20, (2 ** 20) + 1 ]);
    await expect(parseIt(longest)).resolves.toBeDefined();
    await expect(parseIt(longer)).rejects.toMatchObject({ statusCode: 413 });
  });
});

describe('The body of a SPARQL update', (): void => {
  it.each<[string, string]>([
    [ 'a thousand triples', `INSERT DATA {\n${'  <urn:s> <urn:p> "a text".\n'.repeat(1000)}}` ],
    [ 'hundreds of triples with prefixes', `PREFIX schema: <http://schema.org/>
      INSERT DATA { ${'<#it> schema:dateCreated "2026-11-22"^^schema:Date .\n'.repeat(600)} }` ],
    [ 'a long text', `INSERT DATA { <a> <b> '''${'(some { words } " '.repeat(20_000)}''' }` ],
    [ 'many spaces', `# as it\n#${' '.repeat(1000)}\nINSERT${' '.repeat(1000)}{\n} WHERE${'\n'.repeat(1000)}{}` ],
    [ 'a long word', `INSERT DATA { <a> <b> <${'c'.repeat(500_000)}> }` ],
  ])('can have %s.', async(_name, text): Promise<void> => {
    await expect(parseUpdate(text)).resolves.toHaveProperty('algebra');
  });

  it('keeps spaces and comment signs within strings and names.', async(): Promise<void> => {
    const text = `INSERT DATA { <urn:a#b> <p:x> "INSERT   { # 'x" , 'it  "s' , '''a  'b'\t\n# c''' , """\\"  "" #""" }`;
    const patch = await parseUpdate(text) as { algebra: { insert: { subject: Term; object: Term }[] }};
    const { insert } = patch.algebra;
    expect(insert[0].subject.value).toBe('urn:a#b');
    expect(insert.map(({ object }): string => object.value))
      .toEqual([ 'INSERT   { # \'x', 'it  "s', 'a  \'b\'\t\n# c', '"  "" #' ]);
  });

  it.each<[string, string]>([
    [ 'many symbols', `INSERT DATA { <a> <b> 1${',1'.repeat(5000)} }` ],
    [ 'words with nothing between them', `INSERT {} WHERE { VALUES ?a { ${'true'.repeat(5000)} } }` ],
    [ 'numbers with nothing between them', `INSERT {} WHERE { VALUES ?a { 1${'.1'.repeat(6000)} } }` ],
    [ 'symbols that are nested', nested('?s ?p ?o . '.repeat(100)) ],
    [ 'symbols behind a comparison', `INSERT {} WHERE { FILTER(1<1${'+1'.repeat(6000)}) }` ],
    [ 'symbols behind quotes', `INSERT {} WHERE { VALUES ?a { '''1' ${'1 '.repeat(6000)} } }` ],
    [ 'symbols behind quotes that cannot end', `INSERT {} WHERE { VALUES ?a { '''1'${' 1'.repeat(6000)} "\\q"''' }}` ],
  ])('cannot have too many %s.', async(_name, text): Promise<void> => {
    await expect(parseUpdate(text)).rejects.toMatchObject({ statusCode: 413 });
  });

  it('cannot be nested too deeply, wherever that begins.', async(): Promise<void> => {
    for (const open of [ '', '1<', 'p:\\) ', '# \r' ]) {
      await expect(parseUpdate(`INSERT {} WHERE { FILTER(${open}${'('.repeat(100)}1`)).rejects.toThrow('100 deep');
    }
  });

  it.each<[string, string]>([
    [ 'escapes in a string that does not end', `<a> <b> "${String.raw`\U0000BBBB`.repeat(34)}` ],
    [ 'escapes in a long string that does not end', `<a> <b> '''${String.raw`\U0000BBBB`.repeat(34)}` ],
    [ 'letters that have two spellings', `<a> <b> a${'\u03B9'.repeat(34)} }` ],
    [ 'letters that have two spellings, in a name', `<a> <b> <c> . } ; a.${'\u0399_'.repeat(34)}%` ],
  ])('with many %s is refused at once.', async(_name, text): Promise<void> => {
    const begun = performance.now();
    await expect(parseUpdate(`INSERT DATA { ${text}`)).rejects.toMatchObject({ statusCode: 400 });
    // Minutes with the library's own expressions, and twice as long with each further one.
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it.each<[string, string]>([
    [ 'a long one', `BASE <http://a.example/${'x'.repeat(50_000)}/>` ],
    [ 'many', `BASE\n<http://a.example/${'x'.repeat(1000)}/>\n${`base<${'y'.repeat(100)}/>#\n`.repeat(20)}` ],
  ])('cannot have %s as base.', async(_name, text): Promise<void> => {
    await expect(parseUpdate(`${text} INSERT DATA { <a> <b> <c> }`)).rejects.toThrow('at most 2048 characters');
  });
});
