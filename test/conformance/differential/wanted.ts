import type { AccessSystem, SideName } from './Side';
import type { Outcome } from './Play';
import type { Step } from './steps';

/** A part of an answer in which a server of ours is not the stock one. */
export interface Difference {
  step: Step;
  side: SideName;
  access: AccessSystem;
  /** Part of the answer, as in an observation. */
  part: string;
  stock?: string;
  ours?: string;
  outcomes: { stock: Outcome; ours: Outcome };
}

/** A difference that is meant. */
export interface WantedDifference {
  /** As in the documentation. */
  name: string;
  matches: (difference: Difference) => boolean;
  /** The access system with which it shows; both by default. */
  only?: AccessSystem;
  /** The storages on which its example shows it for certain; all by default. */
  on?: SideName[];
  /** A sequence that shows it. */
  example: Step[];
}

/** One of some headers, in which we say more than the stock server. */
function moreIn(...names: string[]): (difference: Difference) => boolean {
  return ({ part, ours = '', stock }): boolean => names.some((name): boolean => part === `header ${name}`) &&
    (stock ?? '').split(', ').every((item): boolean => ours.includes(item));
}

/** Another status: the stock server's is one of some, ours is another. */
function status(ours: RegExp, stock = /./u): (difference: Difference) => boolean {
  return ({ part, ours: found, stock: expected }): boolean =>
    part === 'status' && ours.test(found ?? '') && stock.test(expected ?? '');
}

const turtle = { 'content-type': 'text/turtle' };
const container = '<http://www.w3.org/ns/ldp#BasicContainer>; rel="type"';
const emptyPatch = '@prefix solid: <http://www.w3.org/ns/solid/terms#>. <> a solid:InsertDeletePatch.';
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
    name: 'challenges',
    matches: moreIn('www-authenticate'),
    example: [{ caller: 'other', method: 'GET', target: '{here}', headers: {}}],
  },
  {
    name: 'internal-types',
    matches: (difference): boolean => difference.part === 'status' &&
      Object.values(difference.step.headers).some((value): boolean => value.startsWith('internal/')),
    example: [
      { caller: 'owner', method: 'GET', target: '{here}', headers: { accept: 'internal/quads' }},
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'internal/x' }, body: 'x' },
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
    name: 'empty-patches',
    matches: (difference): boolean => status(/401|403/u)(difference) && difference.step.method === 'PATCH',
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: turtle, body: '' },
      { caller: 'other', method: 'PATCH', target: '{here}a', headers: { 'content-type': 'text/n3' }, body: emptyPatch },
    ],
  },
  {
    name: 'unwritten-rules',
    only: 'ACP',
    matches: (difference): boolean => difference.access === 'ACP' && status(/./u, /404/u)(difference) &&
      [ 'GET', 'HEAD' ].includes(difference.step.method) && /\.(?:acr|\{rules\})$/u.test(difference.step.target),
    example: [{ caller: 'owner', method: 'GET', target: '{here}.{rules}', headers: {}}],
  },
  {
    name: 'pages',
    matches: ({ part, outcomes }): boolean => [ 'body', 'length' ].includes(part) &&
      String(outcomes.stock.answer.body).includes('<h1>Community Solid Server</h1>'),
    example: [{ caller: 'owner', method: 'GET', target: '{here}', headers: { accept: 'text/html' }}],
  },
  {
    name: 'member-types',
    matches: ({ part, side, stock = '', ours = '' }): boolean => part === 'body' && side === 'PostgreSQL' &&
      withoutMemberTypes(stock) === withoutMemberTypes(ours),
    on: [ 'PostgreSQL' ],
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'a/b' }, body: 'x' },
      { caller: 'owner', method: 'GET', target: '{here}', headers: {}},
    ],
  },
  {
    name: 'conditions-on-descriptions',
    matches: (difference): boolean => difference.side === 'PostgreSQL' && difference.part === 'status' &&
      difference.step.method === 'PATCH' && difference.step.target.endsWith('.meta') &&
      Object.keys(difference.step.headers).some((name): boolean => name.startsWith('if-')),
    on: [ 'PostgreSQL' ],
    example: [
      { caller: 'owner', method: 'PUT', target: '{here}a', headers: { 'content-type': 'a/b' }, body: 'x' },
      {
        caller: 'owner',
        method: 'PATCH',
        target: '{here}a.meta',
        headers: { 'content-type': 'application/sparql-update', 'if-none-match': '*' },
        body: 'INSERT DATA { <> <https://example.org/p> "v" }',
      },
    ],
  },
];

/** A listing that does not say of which media type members are. */
function withoutMemberTypes(listing: string): string {
  return listing.replaceAll(/^.* <http:\/\/www\.w3\.org\/ns\/iana\/media-types\/.*\n/gmu, '');
}
