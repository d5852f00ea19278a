import type { Arbitrary } from 'fast-check';
import fc from 'fast-check';
// eslint-disable-next-line import/extensions -- it has this one
import requests from '../../fixtures/differential/requests.json';
import { rulesFor } from './rulesFor';
import type { Caller } from './Side';

/**
 * One request, the same for each server except for placeholders: `{here}` is the container of the sequence, as a
 * path in the target and as a URL elsewhere, `{subject}` the URL of what a description or access rules are about,
 * `{rules}` the suffix of access rules, `{owner}` and `{other}` are WebIDs, `{etag}` and `{modified}` what the server
 * last reported for the target, `{created}` the name of what the last POST created.
 */
export interface Step {
  caller: Caller;
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: string;
  /** A binary body, in hexadecimal digits. */
  bytes?: string;
}

interface Body {
  type?: string;
  body?: string;
  bytes?: string;
}

/** Ingredients of requests of a kind. */
interface Parts {
  caller: Arbitrary<Caller>;
  method: Arbitrary<string>;
  target: Arbitrary<string>;
  headers: Record<string, Arbitrary<string | null>>;
  body: Arbitrary<Body | null>;
}

const { bodies, names, headers: values, patches, modes } = requests;
const nothing = fc.constant(null);
const longText: Body = { type: 'text/plain', body: 'long '.repeat(30_000) };

/** Chooses one of several, by the weight in each pair. */
function pick<T>(...choices: [number, Arbitrary<T>][]): Arbitrary<T> {
  const weighted = choices.map(([ weight, arbitrary ]): { weight: number; arbitrary: Arbitrary<T> } =>
    ({ weight, arbitrary }));
  return fc.oneof(...weighted);
}

/** Returns a value once in a number of times, otherwise nothing. */
function sometimes<T>(times: number, arbitrary: Arbitrary<T>): Arbitrary<T | null> {
  return pick<T | null>([ times - 1, nothing ], [ 1, arbitrary ]);
}

function oneOf<T>(list: readonly T[]): Arbitrary<T> {
  return fc.constantFrom(...list);
}

function typed(type: string, texts: readonly string[]): Arbitrary<Body> {
  return oneOf(texts).map((text): Body => ({ type, body: text }));
}

const document = pick([ 8, oneOf(names.documents) ], [ 2, oneOf(names.oddDocuments) ], [ 2, fc.constant('{created}') ]);
const container = pick([ 6, oneOf(names.containers) ], [ 1, oneOf(names.oddContainers) ]);
const subject = pick([ 3, document ], [ 2, container ]);
const description = subject.map((name): string => `${name}.meta`);
const rules = subject.map((name): string => `${name}.{rules}`);
const anything =
  pick([ 10, document ], [ 7, container ], [ 3, description ], [ 3, rules ], [ 1, oneOf(names.oddAuxiliaries) ]);

const rdf = pick<Body>(
  [ 8, typed('text/turtle', bodies.turtle) ],
  [ 1, typed('text/turtle', bodies.awkwardTurtle) ],
  [ 3, oneOf(bodies.rdf) ],
);
const anyBody = pick<Body>(
  [ 12, rdf ],
  [ 8, oneOf<Body>([ ...bodies.other, longText ]) ],
  [ 1, oneOf<Body>(bodies.awkward) ],
);
const patch = pick<Body>(
  [ 5, typed('text/n3', patches.n3) ],
  [ 5, typed('application/sparql-update', patches.sparql) ],
  [ 1, anyBody ],
);
const newRules = pick<Body>(
  [ 12, fc.tuple(oneOf(modes), oneOf(modes), fc.boolean()).map(([ others, everybodys, isInherited ]): Body =>
    ({ type: 'text/turtle', body: rulesFor(others, everybodys, isInherited) })) ],
  [ 1, anyBody ],
);

const anybody = fc.constantFrom<Caller>('owner', 'owner', 'other', 'nobody');
const mostlyOwner = pick<Caller>([ 5, fc.constant('owner') ], [ 1, anybody ]);
const slug = sometimes(2, pick([ 12, oneOf(requests.slugs) ], [ 1, oneOf(requests.oddSlugs) ]));
const link = sometimes(3, oneOf(values.link));
const prefer = sometimes(12, oneOf(values.prefer));
const conditions: Arbitrary<Record<string, string | undefined> | null> = sometimes(5, oneOf(requests.conditions));

/** Requests of a kind; by default the owner's, without a body. */
function requestsOf({ caller = mostlyOwner, method, target, headers = {}, body = nothing }:
Pick<Parts, 'method' | 'target'> & Partial<Parts>): Arbitrary<Step> {
  return fc.record({
    caller,
    method,
    target,
    headers: fc.record({ ...headers, prefer, origin: sometimes(12, oneOf(values.origin)) }),
    asked: conditions,
    sent: body,
  }).map(({ asked, sent, ...step }): Step => {
    const { type, ...content } = sent ?? {};
    return {
      ...step,
      target: `{here}${step.target}`,
      headers: onlyTexts({ ...step.headers, ...asked, 'content-type': type }),
      ...content,
    };
  });
}

function onlyTexts(headers: Record<string, string | null | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Any request of the kinds that clients send, and some that no client should send. */
export const step: Arbitrary<Step> = pick(
  [ 8, requestsOf({
    caller: anybody,
    method: oneOf([ 'GET', 'GET', 'GET', 'HEAD' ]),
    target: anything,
    headers: { accept: sometimes(2, oneOf(values.accept)), range: sometimes(8, oneOf(values.range)) },
  }) ],
  [ 1, requestsOf({
    caller: anybody,
    method: fc.constant('OPTIONS'),
    target: anything,
    headers: { 'access-control-request-method': sometimes(2, oneOf(values.requestMethod)) },
  }) ],
  [ 7, requestsOf({ method: fc.constant('PUT'), target: document, headers: { link }, body: anyBody }) ],
  [ 2, requestsOf({
    method: fc.constant('PUT'),
    target: container,
    headers: { link },
    body: pick<Body | null>([ 3, rdf ], [ 1, anyBody ], [ 1, nothing ]),
  }) ],
  [ 1, requestsOf({ method: fc.constant('PUT'), target: description, body: anyBody }) ],
  [ 3, requestsOf({ method: fc.constant('PUT'), target: rules, body: newRules }) ],
  [ 5, requestsOf({
    caller: anybody,
    method: fc.constant('POST'),
    target: pick([ 5, container ], [ 1, document ]),
    headers: { link, slug },
    body: pick<Body | null>([ 9, anyBody ], [ 1, nothing ]),
  }) ],
  [ 6, requestsOf({ method: fc.constant('PATCH'), target: pick([ 4, document ], [ 2, description ]), body: patch }) ],
  [ 1, requestsOf({ method: fc.constant('PATCH'), target: pick([ 1, container ], [ 1, rules ]), body: patch }) ],
  [ 4, requestsOf({ method: fc.constant('DELETE'), target: anything }) ],
  [ 1, requestsOf({
    method: oneOf([ 'PROPFIND', 'TRACE', 'MKCOL', 'put', 'LINK' ]),
    target: anything,
    body: sometimes(2, anyBody),
  }) ],
);
