import { BadRequestHttpError } from '@solid/community-server';
import { GuardedRdfToQuadConverter } from '../../../../src/server/outside/GuardedRdfToQuadConverter';
import { OutsideDocuments } from '../../../../src/server/outside/OutsideDocuments';
import { readStatements } from '../../../../src/server/outside/readStatements';
import { startLoopback } from '../../../support/loopback';

const outside = new OutsideDocuments({ baseUrl: 'https://data.example/', allowLoopback: false });
const converter = new GuardedRdfToQuadConverter(outside);

function documentOf(type: string, body: string): Response {
  const document = new Response(body, { headers: { 'content-type': type }});
  return Object.defineProperty(document, 'url', { value: 'https://elsewhere.example/' });
}

describe('A document that a caller named', (): void => {
  it('has statements.', async(): Promise<void> => {
    const { size } = await readStatements(documentOf('text/turtle', '<> <urn:is> 1, 2 .'), converter);
    expect(size).toBe(2);
    await expect(readStatements(documentOf('text/turtle', ''), converter, '<> <urn:is> 1 .'))
      .resolves.toMatchObject({ size: 1 });
  });

  it.each([
    [ 'text/turtle', '<> <urn:is>' ],
    [ 'text/turtle', '<> <urn:is> 1 {| <urn:is> 2 |} |} .' ],
    [ 'application/ld+json', '{"@context":{"constructor":1}}' ],
    [ 'internal/quads', '' ],
    [ 'text/html', '<p>' ],
  ])('in %s that cannot be read is a mistake of the caller: %s.', async(type, body): Promise<void> => {
    const reading = readStatements(documentOf(type, body), converter);
    await expect(reading).rejects.toThrow('Unable to read data at https://elsewhere.example/');
    await expect(reading).rejects.toBeInstanceOf(BadRequestHttpError);
  });

  it.each([
    'HTTP/1.1 999 Unknown\r\n',
    'HTTP/1.1 200 OK\r\nContent-Type: text/turtle\r\nX-Name: \u{1F600}\r\n',
  ])('with an unknown status or header (%j) is a mistake of the caller, too.', async(head): Promise<void> => {
    const server = await startLoopback((_request, { socket }): void => {
      socket!.end(`${head}Content-Length: 0\r\n\r\n`);
    });
    const here = new OutsideDocuments({ baseUrl: 'https://data.example/', allowLoopback: true });
    await expect(here.fetchRdf(server.url)).rejects.toBeInstanceOf(BadRequestHttpError);
    await server.stop();
  });
});
