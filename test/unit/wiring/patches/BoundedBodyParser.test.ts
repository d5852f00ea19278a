import { guardedStreamFrom, N3PatchBodyParser, RepresentationMetadata } from '@solid/community-server';
import type { HttpRequest } from '@solid/community-server';
import { BoundedBodyParser } from '../../../../src/wiring/patches/BoundedBodyParser';

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

describe('The body of a patch', (): void => {
  it.each<[string, string]>([
    [ 'many triples', start + inserting(5000, (at): string => `<a${at}> <b> ${at} .`) ],
    [ 'a picture', start + inserting(1, (): string => `<a> <b> <data:image/png;base64,${'x'.repeat(200_000)}> .`) ],
    [ 'a long text', start + inserting(1, (): string => `<a> <b> "${'< base: '.repeat(20)}${'x'.repeat(500_000)}" .`) ],
  ])('may have %s.', async(_name, text): Promise<void> => {
    await expect(parse(text)).resolves.toHaveProperty('inserts');
  });

  it.each<[string, string]>([
    [ 'a long prefix', `@prefix p: <urn:${'x'.repeat(400_000)}>. ${
      inserting(1000, (at): string => `<a> <b> p:${at} .`)}` ],
    [ 'a long base', `@base <http://x/${'x'.repeat(40_000)}/>. ${inserting(1000, (at): string => `<a> <b> <${at}> .`)}` ],
    [ 'a base in pieces', `@base <http://x/>. ${`@base <${'x'.repeat(2000)}/>. `.repeat(200)}${
      inserting(1000, (at): string => `<a> <b> <${at}> .`)}` ],
  ])('may not have %s that makes it far longer.', async(_name, text): Promise<void> => {
    await expect(parse(start + text)).rejects.toThrow('far longer than it looks');
  });
});
