import { Readable } from 'node:stream';
import {
  BadRequestHttpError,
  BasicRepresentation,
  guardedStreamFrom,
  guardStream,
  INTERNAL_QUADS,
  readableToQuads,
} from '@solid/community-server';
import { isOutage } from '../../../../src/platform/outage';
import { GuardedRdfToQuadConverter } from '../../../../src/server/outside/GuardedRdfToQuadConverter';
import { OutsideDocuments } from '../../../../src/server/outside/OutsideDocuments';
import { answerJson, startLoopback } from '../../../support/loopback';

const baseUrl = 'https://data.example/';
const outside = new OutsideDocuments({ baseUrl, allowLoopback: true });
const converter = new GuardedRdfToQuadConverter(outside);
const long = 'x'.repeat(2 * 1024 * 1024);

/** How many statements a document has. */
async function read(contentType: string, text: string | string[], path = 'alice/document'): Promise<number> {
  const identifier = { path: baseUrl + path };
  const representation = new BasicRepresentation(guardedStreamFrom(text), identifier, contentType);
  const { data } = await converter.handle({ identifier, representation, preferences: {}});
  return (await readableToQuads(data)).size;
}

function times(count: number, text: (at: number) => string): string {
  return Array.from({ length: count }, (_, at): string => text(at)).join('');
}

/** A chain of bases. */
function bases(length: number): string {
  return `@base <http://x.example/${'y/'.repeat(length / 2)}>. ${times(20_000, (): string => '@base <../y/>.')} <> <p> 1 .`;
}

/** The same in RDF/XML, with the attribute written in some way. */
function xmlBases(length: number, write: (base: string) => string): string {
  const long = write(`http://x.example/${'y/'.repeat(length / 2)}`);
  return '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="urn:" ' +
    `${long}>${times(10_000, (): string => '<rdf:Description xml:base="../y/"/>')}` +
    '<rdf:Description rdf:about=""><p:p>1</p:p></rdf:Description></rdf:RDF>';
}

function xml(entity: string, uses: number): string {
  return `<!DOCTYPE rdf:RDF [<!ENTITY e "${entity}">]>` +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="urn:"><rdf:Description>' +
    `${times(uses, (at): string => `<p:is>${at}&e;</p:is>`)}</rdf:Description></rdf:RDF>`;
}

describe('RDF', (): void => {
  it.each<[string, string, number]>([
    [ 'text/turtle', `@prefix p: <http://p.example/>. ${times(2000, (at): string => `p:${at} p:is "one", ${at} .`)}`, 4000 ],
    [ 'text/turtle', `<> <urn:is> <data:text/plain,${long}>, """${long.repeat(9)}""".`, 2 ],
    [ 'application/rdf+xml', xml('one', 200), 200 ],
    [ 'application/ld+json', JSON.stringify({ '@context': { is: 'urn:is' }, is: [ 'one', 'two' ]}), 2 ],
  ])('in %s is read.', async(type, text, size): Promise<void> => {
    await expect(read(type, text)).resolves.toBe(size);
  });

  it.each<[string, string]>([
    [ 'text/turtle', `@prefix p: <urn:${long}>. ${times(200, (at): string => `<> <urn:is> p:${at}.`)}` ],
    [ 'text/turtle', `@prefix p: <urn:${long}>. ${times(200, (at): string => `<> p:${at} 1 .`)}` ],
    [ 'text/turtle', `@prefix p: <urn:${long}>. ${times(200, (at): string => `p:${at} <urn:is> 1 .`)}` ],
    [ 'text/turtle', `@prefix p: <urn:${long}>. ${times(200, (at): string => `<> <urn:is> "a"^^p:${at}.`)}` ],
    [ 'application/rdf+xml', xml(long, 200) ],
  ])('in %s is not read if it expands out of all proportion.', async(type, text): Promise<void> => {
    await expect(read(type, text)).rejects.toThrow('far longer than it looks');
  });

  it.each([
    [ 'text/html', '<p property="http://p.example/">1</p>' ],
    [ 'application/xhtml+xml', '<p property="http://p.example/">1</p>' ],
    [ 'application/xml', '<p property="http://p.example/">1</p>' ],
    [ 'text/xml', '<p property="http://p.example/">1</p>' ],
    [ 'image/svg+xml', '<p property="http://p.example/">1</p>' ],
    [ 'text/shaclc', 'shape <http://p.example/> {}' ],
    [ 'text/shaclc-ext', 'shape <http://p.example/> {}' ],
  ])('is not sought in %s, for which there are no limits.', async(contentType, text): Promise<void> => {
    const identifier = { path: `${baseUrl}alice/document` };
    const representation = new BasicRepresentation(guardedStreamFrom(text), identifier, contentType);
    await expect(converter.handleSafe({ identifier, representation, preferences: { type: { [INTERNAL_QUADS]: 1 }}}))
      .rejects.toThrow(`Cannot convert from ${contentType}`);
  });

  it('with a long base is not read.', async(): Promise<void> => {
    await expect(read('text/turtle', bases(400_000))).rejects.toThrow('base is too long');
    await expect(read('text/turtle', bases(2000))).resolves.toBe(1);
    for (const write of [
      (base: string): string => `xml:base="${base}"`,
      (base: string): string => `a="" xml:base \n =\n  '${base}'`,
    ]) {
      await expect(read('application/rdf+xml', xmlBases(400_000, write))).rejects.toThrow('base is too long');
      await expect(read('application/rdf+xml', xmlBases(2000, write))).resolves.toBe(1);
    }
  });

  it.each([ `<> <urn:is> ${long}`, `<> <urn:is> ${long}:a .`, `<> <urn:is> <${long}` ])(
    'with an error is quoted in part.',
    async(text): Promise<void> => {
      const error: unknown = await read('text/turtle', text).catch((failure: unknown): unknown => failure);
      expect((error as Error).message).toContain('xxx');
      expect((error as Error).message.length).toBeLessThan(400);
    },
  );

  it.each([
    [ 'word', '' ],
    [ 'IRI', '<' ],
  ])('with a very long %s is read in linear time.', async(_name, begin): Promise<void> => {
    const pieces = [ `<> <urn:is> ${begin}`, ...Array.from({ length: 1920 }, (): string => 'x'.repeat(1024)) ];
    const begun = performance.now();
    await expect(read('text/turtle', pieces)).rejects.toThrow('Unexpected');
    // Much longer if all of it is read again with each piece. Of twice as much text, one run in many exceeded the stack
    // of an expression.
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it.each([ '', '<' ])(
    'with a symbol that exceeds the stack of an expression (%s…) is refused, and ends nothing else.',
    async(begin): Promise<void> => {
      const pieces = [ `<> <urn:is> ${begin}`, ...Array.from({ length: 300 }, (): string => 'x'.repeat(65_536)) ];
      await expect(read('text/turtle', pieces)).rejects.toThrow('too long');
    },
  );

  it.each([
    [ 'text/turtle', '<> <urn:is> 1 {| <urn:is> 2 |} |} .' ],
    [ 'application/trig', '<urn:graph> { <> <urn:is> 1 {| <urn:is> 2 |} |} . }' ],
    [ 'text/n3', '@forSome <urn:one> "" .' ],
    [ 'text/n3', '@forAll <urn:one> , <urn:two>' ],
    [ 'text/n3', '{ } [] { () => a }' ],
  ])('in %s with a mistake that the parser does not expect (%s) is refused, and ends nothing else.', async(type, text):
  Promise<void> => {
    const error: unknown = await read(type, text).catch((failure: unknown): unknown => failure);
    expect(error).toBeInstanceOf(BadRequestHttpError);
    expect((error as Error).message).toContain('statement is incomplete');
    // The same, as it arrives.
    await expect(read(type, text.match(/./gu)!)).rejects.toThrow('statement is incomplete');
  });

  it('with symbols in pieces of any length is read.', async(): Promise<void> => {
    const [ long, longer ] = [ 'y'.repeat(100_000), 'z'.repeat(150_000) ];
    const text = times(3, (at): string => `<> <urn:is> "${long}${at}", <urn:${longer}${at}>. `);
    for (const length of [ 1000, 65_536, 200_000 ]) {
      const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, at): string =>
        text.slice(at * length, (at + 1) * length));
      await expect(read('text/turtle', pieces)).resolves.toBe(6);
    }
  });

  it('with a number of very many digits is read, or refused, at once.', async(): Promise<void> => {
    const digits = '1'.repeat(80_000);
    const begun = performance.now();
    await expect(read('text/turtle', `<> <urn:is> ${digits} .`)).resolves.toBe(1);
    await expect(read('text/turtle', `<> <urn:is> ${digits}a .`)).rejects.toThrow('Unexpected');
    // Half a minute with the library's own expression.
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('with a base that is an entity, or the sum of many, is not read.', async(): Promise<void> => {
    const nested = `${times(50, (at): string => `<p:p xml:base="${at}${'y'.repeat(200)}/">`)}${'</p:p>'.repeat(50)}`;
    const start = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="urn:"';
    await expect(read('application/rdf+xml', `${start}>${nested}</rdf:RDF>`)).rejects.toThrow('base is too long');
    const entity = `<!DOCTYPE rdf:RDF [<!ENTITY e "http://x.example/${'y/'.repeat(9)}">]>${start} xml:base="&e;"></rdf:RDF>`;
    await expect(read('application/rdf+xml', entity)).rejects.toThrow('base is too long');
    const siblings = times(100, (): string => `<rdf:Description xml:base="http://x.example/${'y'.repeat(100)}/"/>`);
    await expect(read('application/rdf+xml', `${start}>${siblings}</rdf:RDF>`)).resolves.toBe(0);
  });

  it('is not read if its contexts, embedded or named, cause too much work.', async(): Promise<void> => {
    const terms = Object.fromEntries(Array.from({ length: 800 }, (_, at): string[] => [ `t${at}`, `urn:${at}` ]));
    const contexts = await startLoopback((_request, response): void =>
      answerJson(response, 200, { '@context': terms }, 'application/ld+json'));
    for (const context of [ terms, `${contexts.url}/context` ]) {
      const graph = Array.from({ length: 800 }).fill({ '@context': {}, 'urn:is': 1 });
      const text = JSON.stringify({ '@context': context, '@graph': graph });
      await expect(read('application/ld+json', text)).rejects.toThrow('too complex');
      await expect(read('application/ld+json', JSON.stringify({ '@context': context, t1: 1 }))).resolves.toBe(1);
    }
    await contexts.stop();
  });

  it.each<[string, unknown, (values: unknown[]) => object]>([
    [ 'values', 1, (values): object => ({ 'urn:is': values }) ],
    [ 'members of a set', 1, (values): object => ({ 'urn:is': { '@set': values }}) ],
    [ 'reverse values', {}, (values): object => ({ '@reverse': { 'urn:is': values }}) ],
  ])('in JSON-LD with very many %s lets other work run.', async(_name, value, member): Promise<void> => {
    const values = Array.from({ length: 20_000 }).fill(value);
    let turns = 0;
    let next = setImmediate(function count(): void {
      turns += 1;
      next = setImmediate(count);
    });
    await read('application/ld+json', JSON.stringify({ '@id': 'urn:all', ...member(values) }));
    clearImmediate(next);
    // A few without pauses; each turn may take five milliseconds of work.
    expect(turns).toBeGreaterThan(20);
  });

  it('is read with few large contexts in memory.', async(): Promise<void> => {
    const unused = Array.from({ length: 200_000 }, (): object => []);
    const fetched: string[] = [];
    const contexts = await startLoopback((request, response): void => {
      fetched.push(request.url!);
      answerJson(response, 200, { '@context': { is: 'urn:is' }, unused }, 'application/ld+json');
    });
    const names = Array.from({ length: 8 }, (_, at): string => `/${at}`);
    for (const name of [ ...names, '/7', '/0' ]) {
      const text = JSON.stringify({ '@context': contexts.url + name, is: 1 });
      await expect(read('application/ld+json', text)).resolves.toBe(1);
    }
    expect(fetched).toEqual([ ...names, '/0' ]);
    await contexts.stop();
  });

  it('in a subscription request must be short.', async(): Promise<void> => {
    const text = `#${'x'.repeat(16 * 1024)}`;
    await expect(read('text/turtle', text)).resolves.toBe(0);
    await expect(read('text/turtle', text, '.notifications/WebSocketChannel2023/')).rejects.toThrow('16384 bytes');
    await expect(read('text/turtle', '<> <urn:is> 1 .', '.notifications/WebSocketChannel2023/')).resolves.toBe(1);
  });

  it('that cannot be read is refused with the reason.', async(): Promise<void> => {
    const failure = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    for (const type of [ 'text/turtle', 'application/ld+json', 'application/rdf+xml', 'text/n3' ]) {
      const identifier = { path: `${baseUrl}alice/document` };
      const body = guardStream(new Readable({ read(): void {
        this.destroy(failure);
      } }));
      const representation = new BasicRepresentation(body, identifier, type);
      const reading = converter.handle({ identifier, representation, preferences: {}})
        .then(async({ data }): Promise<unknown> => readableToQuads(data));
      expect(isOutage(await reading.catch((error: unknown): unknown => error))).toBe(true);
    }
  });
});
