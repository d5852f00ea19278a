import { Service } from '../../../app/src/lib/service';

const base = 'https://service.example/';
const purpose = `${base}v1/purposes/loan`;

describe('The description of a purpose', (): void => {
  let answer: jest.Mock;

  beforeEach((): void => {
    answer = jest.fn();
    jest.spyOn(globalThis, 'fetch').mockImplementation(answer);
  });

  afterEach((): void => {
    jest.restoreAllMocks();
  });

  it('is what the service says of it.', async(): Promise<void> => {
    answer.mockResolvedValue(new Response(JSON.stringify({ '@graph': [
      { '@id': purpose, 'skos:prefLabel': { '@value': 'a loan', '@language': 'en' }},
    ]}), { headers: { 'content-type': 'application/ld+json' }}));
    await expect(new Service(base).describe(purpose)).resolves
      .toMatchObject({ labels: [{ value: 'a loan', language: 'en' }]});
  });

  it.each([
    [ 'a page', `${base}v1/docs`, new Response('<!doctype html>', { headers: { 'content-type': 'text/html' }}) ],
    [ 'nothing there', `${base}v1/purposes/none`, Response.json({}, { status: 404 }) ],
    [ 'another document', `${base}v1/openapi.json`, Response.json({ openapi: '3.1.0' }) ],
  ])('is empty when it is %s.', async(_, iri, response): Promise<void> => {
    answer.mockResolvedValue(response);
    await expect(new Service(base).describe(iri)).resolves
      .toEqual({ labels: [], phrases: [], definitions: [], source: []});
  });

  it('is not asked of another server.', async(): Promise<void> => {
    await new Service(base).describe('https://other.example/purpose');
    expect(answer).not.toHaveBeenCalled();
  });
});
