import type { Quad } from '@rdfjs/types';
import jsonld from 'jsonld';
import { Parser, Writer } from 'n3';
import type { Answer } from './Side';
import type { Scribe } from './Scribe';

/** Compared parts of an answer by name, such as `status`, `header link` and `body`. */
export type Observation = Record<string, string>;

/** Context in which an answer is observed. */
export interface Point {
  method: string;
  target: string;
  scribe: Scribe;
  /** Earlier entity tags of this server, by target. */
  tags: ReadonlyMap<string, string>;
}

/** Headers of the connection, and those that change with time. */
const passing = new Set([ 'connection', 'date', 'keep-alive', 'transfer-encoding', 'content-length' ]);
/** Headers that are lists without order. */
const lists = new Set([
  'accept-patch',
  'accept-post',
  'accept-put',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-expose-headers',
  'allow',
  'link',
  'vary',
  'wac-allow',
]);
const graphs: Record<string, string> = {
  'text/turtle': 'Turtle',
  'application/trig': 'TriG',
  'application/n-triples': 'N-Triples',
  'application/n-quads': 'N-Quads',
  'text/n3': 'N3',
};
/** Times as reported by storages, which always differ. */
const times = new Set([ 'http://purl.org/dc/terms/modified', 'http://www.w3.org/ns/posix/stat#mtime' ]);

const sizeOf = 'http://www.w3.org/ns/posix/stat#size';
const mediaTypes = 'http://www.w3.org/ns/iana/media-types/';

/** Returns the parts of a response on which two servers must agree. */
export async function observe(answer: Answer, point: Point): Promise<Observation> {
  const observed: Observation = { status: answer.status === 0 ? `none: ${answer.cut}` : String(answer.status) };
  for (const [ name, values ] of Object.entries(answer.headers)) {
    if (!passing.has(name)) {
      observed[`header ${name}`] = describeHeader(name, values, point);
    }
  }
  observed.length = describeLength(answer, point.method);
  observed.body = await describeBody(answer, point);
  return observed;
}

function describeHeader(name: string, values: string[], { scribe, tags, target }: Point): string {
  const value = values.join(', ');
  if (name === 'etag') {
    const [ time, type ] = partsOf(value);
    const before = tags.get(target);
    if (before === undefined) {
      return `first-${type}`;
    }
    return `${partsOf(before)[0] === time ? 'same' : 'changed'}-${type}`;
  }
  if (name === 'last-modified' || name === 'expires') {
    return Number.isNaN(Date.parse(value)) ? value : 'a time';
  }
  const text = scribe.rewrite(value);
  return lists.has(name) ?
      [ ...new Set(text.split(/,(?![^<]*>)/u).map((part): string => part.trim())) ].sort().join(', ') :
    text;
}

/** An entity tag of this server is a version, a time at first, and a media type. */
function partsOf(tag: string): [string, string] {
  const [ , time = '', type = '' ] = /^"([\d.a-z]+)-(.*)"$/u.exec(tag) ?? [ undefined, tag ];
  return [ time, type ];
}

/** True when the whole declared body arrived. */
function describeLength({ headers, body, cut, status }: Answer, method: string): string {
  const [ announced ] = headers['content-length'] ?? [];
  if (cut !== undefined) {
    return 'cut';
  }
  return announced === undefined || method === 'HEAD' || status === 304 || Number(announced) === body.length ?
    'right' :
    'wrong';
}

async function describeBody({ headers, body, status }: Answer, point: Point): Promise<string> {
  const type = headers['content-type']?.[0].split(';')[0].trim() ?? '';
  if (body.length === 0) {
    return '';
  }
  if (status >= 400) {
    return describeError(type, body);
  }
  const text = body.toString();
  if (!Buffer.from(text).equals(body)) {
    return body.toString('hex');
  }
  return describeGraph(type, point.scribe.rewrite(text), `http://base${point.scribe.rewrite(point.target)}`);
}

/** Describes an error by its machine-readable parts: each server has its own wording. */
function describeError(type: string, body: Buffer): string {
  if (type !== 'application/json') {
    return `an error as ${type}`;
  }
  const { name, statusCode } = JSON.parse(body.toString()) as { name: string; statusCode: number };
  return `${name} ${statusCode}`;
}

/** Describes an RDF document as a graph; other bodies stay unchanged. */
async function describeGraph(type: string, text: string, baseIRI: string): Promise<string> {
  const format = graphs[type];
  if (format === undefined && type !== 'application/ld+json' && !isListingAsJson(type, text)) {
    return text;
  }
  try {
    const quads = format === undefined ?
      await jsonld.toRDF(JSON.parse(text), { base: baseIRI }) as Quad[] :
        new Parser({ format, baseIRI }).parse(text);
    return await canonical(withoutChance(quads));
  } catch {
    return text;
  }
}

/** True for a listing sent as JSON, which is JSON-LD, too. */
function isListingAsJson(type: string, text: string): boolean {
  return type === 'application/json' && text.includes('"http://www.w3.org/ns/ldp#Container"');
}

/** Removes times, and sizes of what may be RDF: they depend on a server's names for blank nodes. */
function withoutChance(quads: Quad[]): Quad[] {
  const sized = new Set(quads
    .filter(({ object }): boolean => object.value.startsWith(mediaTypes) && !isGraphType(object.value))
    .map(({ subject }): string => subject.value));
  return quads.filter(({ subject, predicate }): boolean =>
    !times.has(predicate.value) && (predicate.value !== sizeOf || sized.has(subject.value)));
}

/** True for the class of resources of a media type of RDF. */
function isGraphType(type: string): boolean {
  return [ 'application/ld+json', ...Object.keys(graphs) ].some((name): boolean => type.includes(name));
}

async function canonical(quads: Quad[]): Promise<string> {
  const nquads = new Writer({ format: 'N-Quads' }).quadsToString(quads);
  const isOrdered = !nquads.includes('_:');
  return isOrdered ?
      [ ...new Set(nquads.split(/(?<=\n)/u)) ].sort().join('') :
      jsonld.canonize(nquads as unknown as object, {
        algorithm: 'RDFC-1.0',
        inputFormat: 'application/n-quads',
        format: 'application/n-quads',
      } as object);
}
