import { parseHttpDate } from '../../../src/platform/parseHttpDate';
import { findUnfitName } from '../../../src/platform/targets';
import { rulesFor } from './rulesFor';
import type { AccessSystem, SideName } from './Side';
import type { Outcome } from './Play';
import type { Step } from './steps';

/** A part of a response in which our server differs from the stock one. */
export interface Difference {
  step: Step;
  side: SideName;
  access: AccessSystem;
  /** Part of the response, as in an observation. */
  part: string;
  stock?: string;
  ours?: string;
  outcomes: { stock: Outcome; ours: Outcome };
}

/** An intended difference. */
export interface WantedDifference {
  /** Name in the documentation. */
  name: string;
  matches: (difference: Difference) => boolean;
  /** Access system that shows it; both by default. */
  only?: AccessSystem;
  /** Storages on which its example reliably shows it; all by default. */
  on?: SideName[];
  /** A sequence that shows it. */
  example: Step[];
}

/** Matches one of some headers in which our server adds to the stock one. */
function moreIn(...names: string[]): (difference: Difference) => boolean {
  return ({ part, ours = '', stock }): boolean => names.some((name): boolean => part === `header ${name}`) &&
    (stock ?? '').split(', ').every((item): boolean => ours.includes(item));
}

/** Matches another status: the stock server's is one of some, ours is another. */
function status(ours: RegExp, stock = /./u): (difference: Difference) => boolean {
  return ({ part, ours: found, stock: expected }): boolean =>
    part === 'status' && ours.test(found ?? '') && stock.test(expected ?? '');
}

const turtle = { 'content-type': 'text/turtle' };
const container = '<http://www.w3.org/ns/ldp#BasicContainer>; rel="type"';
const emptyPatch = '@prefix solid: <http://www.w3.org/ns/solid/terms#>. <> a solid:InsertDeletePatch.';
const httpDate = 'Sat, 01 Jan 2000 00:00:00 GMT';
const describedHere = '{here}.well-known/solid';
const auxiliaryName = /\.(?:acl|acr|meta|\{rules\})\/?$/iu;

export const wantedDifferences: WantedDifference[] = [
  {
    name: 'more-headers',
    matches: moreIn('content-security-policy', 'x-content-type-options', 'x-correlation-id'),
    example: [{ caller: 'owner', method: 'GET', target: '{here}', headers: {}}],
  },
  {
    name: 'more-exposed-headers',
    matches: moreIn('access-control-expose-headers'),
    example: [{ caller: 'owner', method: 'GET', target: '{here}', headers: { origin: 'https://app.example' }}],
  },
  {
    name: 'kept-preflights',
    matches: (difference): boolean => difference.part === 'header access-control-max-age',
    example: [{ caller: 'owner', method: 'OPTIONS', target: '{here}', headers: {}}],
  },
  {
    name: 'named-methods',
    matches: ({ part, step: { method }, stock }): boolean => method === 'OPTIONS' && stock === undefined &&
      /^header (?:allow|accept-(?:patch|post|put)|link)$/u.test(part),
    example: [{ caller: 'owner', method: 'OPTIONS', target: '{here}', headers: {}}],
  },
  {
    name: 'challenges',
    matches: moreIn('www-authenticate'),
    example: [{ caller: 'other', method: 'GET', target: '{here}', headers: {}}],
  },
  {
    name: 'ranges-unsent',
    matches: ({ part, ours, outcomes }): boolean => part === 'header content-range' && ours === undefined &&
      outcomes.ours.answer.status !== 206,
    example: [
      { caller: 'owner', method: 'GET', target: '{here}', headers: {}},
      { caller: 'owner', method: 'GET', target: '{here}', headers: { range: 'bytes=0-3', 'if-none-match': '{etag}' }},
    ],
  },
  {
    name: 'internal-types',
    matches: (difference): boolean => difference.part === 'status' && (
      Object.values(difference.step.headers).some((value): boolean => /^internal\//iu.test(value)) ||
      (difference.step.headers['content-type'] ?? '').includes('*')
    ),
    example: [
      { caller: 'owner', method: 'GET', target: '{here}', headers: { accept: 'internal/quads' }},
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'internal/x' }, body: 'x' },
      { caller: 'owner', method: 'PUT', target: '{here}b', headers: { 'content-type': '*/*' }, body: 'x' },
    ],
  },
  {
    name: 'content-codings',
    matches: (difference): boolean => status(/415/u)(difference) &&
      difference.step.headers['content-encoding'] !== undefined,
    example: [
      {
        caller: 'owner',
        method: 'PUT',
        target: '{here}a',
        headers: { ...turtle, 'content-encoding': 'gzip' },
        body: '',
      },
    ],
  },
  {
    name: 'auxiliary-names',
    matches: (difference): boolean => status(/400/u)(difference) &&
      [ difference.step.target, difference.step.headers.slug ?? '' ].some((name): boolean => auxiliaryName.test(name)),
    example: [{ caller: 'owner', method: 'POST', target: '{here}', headers: { slug: 'x.meta', link: container }}],
  },
  {
    name: 'unfit-slugs',
    matches: (difference): boolean => status(/400/u)(difference) && difference.step.headers.slug !== undefined,
    example: [{ caller: 'owner', method: 'POST', target: '{here}', headers: { ...turtle, slug: '%' }, body: '' }],
  },
  {
    name: 'unfit-names',
    matches: (difference): boolean => isUnfit(difference.step.target) &&
      (difference.step.method === 'OPTIONS' || String(difference.outcomes.ours.answer.status).startsWith('4')),
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}x$.txt', headers: turtle, body: '' },
      { caller: 'owner', method: 'PUT', target: `{here}${'n'.repeat(262)}`, headers: turtle, body: '' },
    ],
  },
  {
    name: 'unconvertible',
    matches: (difference): boolean => status(/406/u)(difference),
    example: [
      { caller: 'owner', method: 'GET', target: '{here}', headers: { accept: 'application/sparql-results+json' }},
    ],
  },
  {
    name: 'unread-formats',
    matches: (difference): boolean => status(/501/u, /20\d/u)(difference) &&
      /\bxml$|shaclc/u.test(difference.step.headers['content-type'] ?? ''),
    example: [
      {
        caller: 'owner',
        method: 'PUT',
        target: '{here}.{rules}',
        headers: { 'content-type': 'application/xml' },
        body: '<a/>',
      },
    ],
  },
  {
    name: 'media-types-in-lower-case',
    matches: ({ step, part, stock, ours }): boolean =>
      ([ 'header content-type', 'header etag' ].includes(part) || (part === 'body' && step.target.endsWith('.meta'))) &&
      stock?.toLowerCase() === ours?.toLowerCase(),
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'a/b; Charset=x' }, body: '' },
      { caller: 'owner', method: 'GET', target: '{here}a', headers: {}},
    ],
  },
  {
    name: 'quoted-parameters',
    matches: ({ part, stock, ours }): boolean => part === 'header content-type' && ours?.replaceAll('"', '') === stock,
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'a/b; c="d e"' }, body: '' },
      { caller: 'owner', method: 'GET', target: '{here}a', headers: {}},
    ],
  },
  {
    name: 'links-to-iris',
    matches: ({ part, stock = '', ours = '' }): boolean => part === 'header link' &&
      ours.split(', ').every((link): boolean => stock.includes(link)) && stock.includes('<text>; rel="type"'),
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'a/b' }, body: '' },
      {
        caller: 'owner',
        method: 'PATCH',
        target: '{here}a.meta',
        headers: { 'content-type': 'application/sparql-update' },
        body: 'INSERT DATA { <{here}a> a "text" }',
      },
      { caller: 'owner', method: 'GET', target: '{here}a', headers: {}},
    ],
  },
  {
    name: 'relation-types',
    matches: ({ step: { headers }}): boolean => (headers.link ?? '').includes('TYPE'),
    example: [
      { caller: 'owner', method: 'POST', target: '{here}', headers: { link: container.replace('type', 'TYPE') }},
    ],
  },
  {
    name: 'links-to-streams',
    // The stream of a blank node: URLs of resources are escaped.
    matches: ({ part, stock = '', ours = '' }): boolean => part === 'header link' &&
      ours === stock.split(', ')
        .filter((link): boolean => !/\/StreamingHTTPChannel2023\/[^%>]+>/u.test(link)).join(', '),
    example: [{ caller: 'owner', method: 'PUT', target: '{here}a', headers: turtle, body: '' }],
  },
  {
    name: 'kept-media-types',
    matches: ({ step, part, stock = '', ours = '' }): boolean =>
      (ours.includes('text/xml') || stock.includes('application/octet-stream')) &&
      (part === 'header content-type' || part === 'header etag' ||
        (part === 'body' && step.target.endsWith('.meta') && withoutFormat(stock) === withoutFormat(ours))),
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'text/xml' }, body: '<a/>' },
      { caller: 'owner', method: 'GET', target: '{here}a', headers: {}},
      { caller: 'owner', method: 'GET', target: '{here}a.meta', headers: {}},
    ],
  },
  {
    name: 'names-in-listings',
    matches: ({ step, part, stock = '' }): boolean => part === 'body' &&
      /(?:\/|\{here\}|\.meta)$/u.test(step.target) && /%25(?:22|2A|3A|3C|3E|3F|7C)/u.test(stock),
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a*b', headers: turtle, body: '' },
      { caller: 'owner', method: 'GET', target: '{here}', headers: {}},
    ],
  },
  {
    name: 'empty-patches',
    matches: (difference): boolean => status(/401|403/u)(difference) && difference.step.method === 'PATCH',
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: turtle, body: '' },
      { caller: 'other', method: 'PATCH', target: '{here}a', headers: { 'content-type': 'text/n3' }, body: emptyPatch },
    ],
  },
  {
    name: 'patched-formats',
    matches: ({ outcomes: { stock, ours }, step: { method }}): boolean => method === 'PATCH' &&
      stock.answer.status === 501 && ours.answer.status === 409,
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'image/png' }, body: 'x' },
      {
        caller: 'owner',
        method: 'PATCH',
        target: '{here}a',
        headers: { 'content-type': 'application/sparql-update' },
        body: 'INSERT DATA { <a> <urn:p> 1 }',
      },
    ],
  },
  {
    name: 'unfinished-documents',
    matches: (difference): boolean => status(/400/u, /501/u)(difference) && difference.step.method === 'PATCH',
    example: [
      {
        caller: 'owner',
        method: 'PUT',
        target: '{here}a',
        headers: { 'content-type': 'application/rdf+xml' },
        body: '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="">',
      },
      {
        caller: 'owner',
        method: 'PATCH',
        target: '{here}a',
        headers: { 'content-type': 'application/sparql-update' },
        body: 'INSERT DATA { <> <https://example.org/p> "v" }',
      },
    ],
  },
  {
    name: 'uncited-parts',
    matches: (difference): boolean => status(/422/u)(difference) && difference.step.method === 'PATCH' &&
      difference.step.headers['content-type'] === 'text/n3',
    example: [
      {
        caller: 'owner',
        method: 'PATCH',
        target: '{here}a',
        headers: { 'content-type': 'text/n3' },
        body: `${emptyPatch.slice(0, -1)}; solid:inserts <#a>.`,
      },
    ],
  },
  {
    name: 'facts-about-members',
    matches: (difference): boolean => status(/409/u)(difference) && difference.step.target.endsWith('.meta'),
    example: [
      {
        caller: 'owner',
        method: 'PATCH',
        target: '{here}.meta',
        headers: { 'content-type': 'application/sparql-update' },
        body: 'INSERT DATA { <a> <http://www.w3.org/ns/posix/stat#size> 5 }',
      },
    ],
  },
  {
    name: 'stated-members',
    matches: (difference): boolean => status(/409|413/u, /201/u)(difference) &&
      difference.step.method === 'PUT' && difference.step.target.endsWith('/'),
    example: [
      {
        caller: 'owner',
        method: 'PUT',
        target: '{here}a/',
        headers: turtle,
        body: '<> <http://www.w3.org/ns/ldp#contains> <b>.',
      },
    ],
  },
  {
    name: 'unwritten-rules',
    only: 'ACP',
    matches: (difference): boolean => difference.access === 'ACP' &&
      /\.(?:acr|\{rules\})$/u.test(difference.step.target) && ([ 'GET', 'HEAD' ].includes(difference.step.method) ?
        status(/./u, /404/u)(difference) :
        (difference.step.headers['if-none-match'] !== undefined && status(/412/u, /20\d|404/u)(difference)) ||
        (difference.step.headers['if-match'] !== undefined && status(/20\d/u, /412/u)(difference))),
    example: [
      { caller: 'owner', method: 'GET', target: '{here}.{rules}', headers: {}},
      { caller: 'owner', method: 'DELETE', target: '{here}.{rules}', headers: { 'if-none-match': '*' }},
    ],
  },
  {
    name: 'pages',
    matches: ({ part, outcomes }): boolean => [ 'body', 'length' ].includes(part) &&
      String(outcomes.stock.answer.body).includes('<h1>Community Solid Server</h1>'),
    example: [{ caller: 'owner', method: 'GET', target: '{here}', headers: { accept: 'text/html' }}],
  },
  {
    name: 'sizes-of-ranges',
    matches: ({ step, part, stock = '', ours }): boolean => part === 'header content-range' ?
      stock.endsWith('/*') && /^bytes \d+-\d+\/\d+$/u.test(ours ?? '') :
      part === 'status' && stock === '416' && ours === '206' && /^bytes=-\d+$/u.test(step.headers.range ?? ''),
    example: [
      { caller: 'owner', method: 'GET', target: '{here}', headers: { range: 'bytes=0-3' }},
      { caller: 'owner', method: 'GET', target: '{here}', headers: { range: 'bytes=-4' }},
    ],
  },
  {
    name: 'unread-ranges',
    matches: ({ step, part, outcomes }): boolean => step.headers.range !== undefined && part === 'status' &&
      (step.method === 'HEAD' || !/^bytes=(?:\d+-\d*|-\d+)$/u.test(step.headers.range)) &&
      [ 206, 400, 416 ].includes(outcomes.stock.answer.status),
    example: [
      { caller: 'owner', method: 'GET', target: '{here}', headers: { range: 'bytes=' }},
      { caller: 'owner', method: 'HEAD', target: '{here}', headers: { range: 'bytes=0-3' }},
    ],
  },
  {
    name: 'puts-of-parts',
    matches: ({ step, part }): boolean => step.headers['content-range'] !== undefined && part === 'status',
    example: [
      {
        caller: 'owner',
        method: 'PUT',
        target: '{here}a',
        headers: { ...turtle, 'content-range': 'bytes 0-0/9' },
        body: '',
      },
    ],
  },
  {
    name: 'accepted-in-any-case',
    matches: (difference): boolean => /[A-Z]/u.test(difference.step.headers.accept ?? '') &&
      (status(/200/u, /501/u)(difference) ||
        ([ 'header content-type', 'body' ].includes(difference.part) && difference.outcomes.ours.answer.status >= 400)),
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: turtle, body: '' },
      { caller: 'owner', method: 'GET', target: '{here}a', headers: { accept: 'TEXT/TURTLE' }},
    ],
  },
  {
    name: 'storage-descriptions',
    matches: ({ step }): boolean => step.target === describedHere,
    example: [{ caller: 'nobody', method: 'GET', target: describedHere, headers: {}}],
  },
  {
    name: 'read-conditions',
    matches: (difference): boolean => status(/412/u, /304/u)(difference),
    example: [{ caller: 'owner', method: 'GET', target: '{here}', headers: { 'if-match': '"another"' }}],
  },
  {
    name: 'odd-dates',
    matches: (difference): boolean => status(/./u, /304|412/u)(difference) &&
      [ 'if-modified-since', 'if-unmodified-since' ].some((name): boolean =>
        parseHttpDate(difference.step.headers[name] ?? httpDate) === undefined),
    example: [
      { caller: 'owner', method: 'GET', target: '{here}', headers: { 'if-unmodified-since': '2000-01-01' }},
    ],
  },
  {
    name: 'absent-matches',
    matches: (difference): boolean => status(/412/u, /20\d|40[49]/u)(difference) &&
      difference.step.headers['if-match'] !== undefined,
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { ...turtle, 'if-match': '"x"' }, body: '' },
    ],
  },
  {
    name: 'weak-tags',
    matches: (difference): boolean => status(/304|412/u)(difference) &&
      (difference.step.headers['if-none-match'] ?? '').includes('W/'),
    example: [
      { caller: 'owner', method: 'GET', target: '{here}', headers: {}},
      { caller: 'owner', method: 'GET', target: '{here}', headers: { 'if-none-match': 'W/{etag}' }},
    ],
  },
  {
    name: 'description-versions',
    matches: ({ step, part, stock, ours }): boolean => step.target.endsWith('.meta') &&
      ([ 'header etag', 'header last-modified' ].some((name): boolean => name === part && stock === undefined) ||
        (part === 'status' && /412|304/u.test(`${stock} ${ours}`) &&
          Object.keys(step.headers).some((name): boolean => name.startsWith('if-')))),
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'text/plain' }, body: 'x' },
      { caller: 'owner', method: 'GET', target: '{here}a.meta', headers: {}},
      {
        caller: 'owner',
        method: 'PATCH',
        target: '{here}a.meta',
        headers: { 'content-type': 'application/sparql-update', 'if-none-match': '*' },
        body: 'INSERT DATA { <> <https://example.org/p> "v" }',
      },
    ],
  },
  {
    name: 'description-methods',
    matches: ({ part, step: { method, target }, stock, ours }): boolean => target.endsWith('.meta') && (
      (part === 'status' && method === 'PUT' && stock?.includes('405') === true && /20[15]|4\d\d/u.test(ours ?? '')) ||
      (part === 'status' && [ 'POST', 'DELETE' ].includes(method) && /40[45]/u.test(ours ?? '') &&
        /40[49]/u.test(stock ?? '')) ||
        /^header (?:allow|accept-patch|accept-put)$/u.test(part)
    ),
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'text/plain' }, body: 'x' },
      { caller: 'owner', method: 'GET', target: '{here}a.meta', headers: {}},
      { caller: 'owner', method: 'PUT', target: '{here}a.meta', headers: turtle, body: '<a> <urn:p> 1.' },
    ],
  },
  {
    name: 'allowed-methods',
    matches: ({ part, step: { target }}): boolean => target.endsWith('.well-known/solid') &&
      [ 'header allow', 'header accept-patch', 'header accept-post', 'header accept-put' ].includes(part),
    example: [{ caller: 'owner', method: 'DELETE', target: '/owner/.well-known/solid', headers: {}}],
  },
  {
    name: 'storage-roots',
    matches: status(/405/u, /403/u),
    example: [{ caller: 'owner', method: 'DELETE', target: '/owner/', headers: {}}],
  },
  {
    name: 'rules-in-containers',
    on: [ 'files' ],
    matches: (difference): boolean => difference.side === 'files' && /(?:\/|\{here\})$/u.test(difference.step.target) &&
      (isNewer(difference) || (status(/200|412/u, /20\d|304/u)(difference) &&
        Object.keys(difference.step.headers).some((name): boolean => name.startsWith('if-')))),
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a.{rules}', headers: turtle, body: rulesFor('', '', false) },
      { caller: 'owner', method: 'GET', target: '{here}', headers: {}},
      { caller: 'owner', method: 'PUT', target: '{here}a.{rules}', headers: turtle, body: rulesFor('', '', false) },
      { caller: 'owner', method: 'GET', target: '{here}', headers: {}},
    ],
  },
];

/** True if ours reports another version, and the stock server none. */
function isNewer({ part, stock, ours }: Difference): boolean {
  return part === 'header etag' && stock?.startsWith('same-') === true && ours === stock.replace('same-', 'changed-');
}

/** A description as triples, without the media type of what it describes. */
function withoutFormat(description: string): string {
  return description.replaceAll(/^.*<http:\/\/www\.w3\.org\/ns\/ma-ont#format>.*$/gmu, '');
}

/** True for a path with a name that some storage does not support. */
function isUnfit(target: string): boolean {
  const [ path ] = target.split('?');
  return path.includes('%00') || findUnfitName(path.replace(/^\{here\}/u, '/')) !== undefined;
}
