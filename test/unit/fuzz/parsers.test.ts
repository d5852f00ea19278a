/* eslint-disable jest/no-standalone-expect, no-control-regex -- each parser has its own */
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { ContractDocumentError, parseContract } from '../../../src/contracts/parseContract';
import type { DataTypeCatalogue } from '../../../src/data-types/DataType';
import { grantIdOf } from '../../../src/grants/AccessGrant';
import { parseAccessGrantVc } from '../../../src/grants/parseAccessGrantVc';
import { readStatement } from '../../../src/grants/GrantStatement';
import { preferredMediaType } from '../../../src/platform/accept';
import { isNotModified, requestedRange } from '../../../src/http/conditional';
import { parseStrictJson } from '../../../src/http/json';
import { firstSegment, parseTarget } from '../../../src/http/target';
import { parseBelgianNumber } from '../../../src/identity/parseBelgianNumber';
import { ClientAddresses, readTrustedProxies } from '../../../src/limits/ClientAddresses';
import { parseResourceUri } from '../../../src/pods/resourceUri';
import {
  AccessGrantInvalid,
  BadRequest,
  BodyInvalid,
  CredentialMalformed,
  OriginNotHere,
  PreconditionFailed,
  Problem,
  RangeNotSatisfiable,
  ResourceUriInvalid,
} from '../../../src/problems';
import { DpopProofs } from '../../../src/tokens/DpopProofs';
import { parseJws } from '../../../src/tokens/jws';
import { Refusal } from '../../../src/tokens/Refusal';
import { checkTimes, checkTokenHeader, issuerOf, readTokenClaims } from '../../../src/tokens/tokenRules';
import { fc, seed } from '../../support/properties';

const base = 'https://pods.example/';
const corpora = join(__dirname, '../../fixtures/corpus');
const now = new Date('2026-03-02T10:05:00.000Z');
const numRuns = Number(process.env.FUZZ_RUNS ?? 1000);

/** Ingredients of attacks. */
const tokens = [
  '__proto__',
  'constructor',
  'prototype',
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  'null',
  'true',
  '1e999',
  '-0',
  '{"__proto__":{"polluted":1}}',
  '"constructor":{"prototype":{"polluted":1}}',
  '%00',
  '\u0000',
  '%2e%2e',
  '..',
  '/',
  '%2F',
  '\\u0000',
  '\r\nX-Injected: 1',
  '@',
  '//',
  '#',
  '?',
  '&',
  '=',
  '.',
  '..',
  '\uD800',
  '\uFEFF',
  'é',
  '=='.repeat(40),
  '['.repeat(100),
  'e30',
  '9'.repeat(400),
  'javascript:',
  'https://',
  '[::1]',
  ' ',
  '\t',
  '*',
  'W/',
  'bytes=',
];

interface Parser {
  /** Folder of the corpus. */
  corpus: string;
  /** Parses a text, and checks the invariants of the result. */
  read: (text: string) => void;
  /** Errors that it may throw. */
  errors: (abstract new(...args: never[]) => Error)[];
}

const dataTypes = {
  find: (iri: string): unknown => iri === `${base}v1/data-types/diploma/2024-05-22` ? {} : undefined,
  list: (): unknown[] => [],
} as unknown as DataTypeCatalogue;
const addresses = new ClientAddresses(readTrustedProxies('127.0.0.1, 10.0.0.0/8'));
const validators = { etag: '"abc"', modified: new Date('2026-01-01T00:00:00Z') };
const proofs = new DpopProofs();

const parsers: Record<string, Parser> = {
  'a token': {
    corpus: 'jws',
    errors: [ Refusal ],
    read(text): void {
      const jws = parseJws(text);
      if (jws) {
        issuerOf(jws.payload);
        checkTokenHeader(jws.header);
      }
    },
  },
  'a DPoP proof': {
    corpus: 'jws',
    errors: [ Refusal ],
    read(text): void {
      proofs.verify(text, { method: 'GET', url: base, tokenHash: 'hash', jkt: 'jkt', now });
    },
  },
  'the claims of a token': {
    corpus: 'claims',
    errors: [ Refusal, SyntaxError ],
    read(text): void {
      const payload = JSON.parse(text) as Record<string, unknown>;
      if (typeof payload !== 'object' || payload === null) {
        return;
      }
      issuerOf(payload);
      const { caller } = readTokenClaims(payload, {
        scheme: 'DPoP',
        policy: { citizen: true },
        issuer: { own: false, national: false, trusted: true, listed: true },
        audience: 'solid',
        legacyTokens: false,
      });
      checkTimes(payload, now);
      expect(caller.nationalNumber).toBeUndefined();
      expect(caller.webId === undefined || /^https?:/u.test(caller.webId)).toBe(true);
    },
  },
  accessGrantVc: {
    corpus: 'access-grant-vc',
    errors: [ CredentialMalformed ],
    read(text): void {
      expect(typeof parseAccessGrantVc(text).id).toBe('string');
    },
  },
  'a statement of access': {
    corpus: 'statement',
    errors: [ Problem, SyntaxError ],
    read(text): void {
      const { resources } = readStatement(JSON.parse(text), base) as unknown as { resources: string[] };
      expect(resources.every((uri): boolean => URL.canParse(uri))).toBe(true);
    },
  },
  'a contract': {
    corpus: 'contract',
    errors: [ ContractDocumentError, SyntaxError ],
    read(text): void {
      const { forDataUser, forDataType } = parseContract('any', JSON.parse(text), base, dataTypes);
      expect(URL.canParse(forDataUser)).toBe(true);
      expect(forDataType.every((iri): boolean => iri.startsWith(base))).toBe(true);
    },
  },
  'a range': {
    corpus: 'range',
    errors: [ RangeNotSatisfiable ],
    read(text): void {
      for (const size of [ 0, 1, 10, 1e9, Infinity ]) {
        const range = requestedRange({ range: text, 'if-range': undefined }, size, validators);
        expect(!range || (range.first >= 0 && range.first <= range.last && range.last < size)).toBe(true);
      }
    },
  },
  'a condition': {
    corpus: 'condition',
    errors: [ PreconditionFailed ],
    read(text): void {
      expect(typeof isNotModified({ 'if-none-match': text }, validators)).toBe('boolean');
      expect(typeof isNotModified({ 'if-modified-since': text }, validators)).toBe('boolean');
      requestedRange({ range: 'bytes=0-1', 'if-range': text }, 10, validators);
      isNotModified({ 'if-match': text, 'if-unmodified-since': text }, validators);
    },
  },
  'the URI of a resource': {
    corpus: 'resource-uri',
    errors: [ ResourceUriInvalid, OriginNotHere ],
    read(text): void {
      const uri = parseResourceUri(text, base);
      expect(uri.startsWith(base)).toBe(true);
      expect(new URL(uri).href).toBe(uri);
      expect(parseResourceUri(uri, base)).toBe(uri);
      expect(decodeURIComponent(uri)).not.toMatch(/\/\.\.?(?:\/|$)|[\u0000-\u001F\\]/u);
      expect(uri).not.toMatch(/^https:\/\/pods\.example\/(?:v1|\.access|\.uma|\.internal)(?:\/|$)/u);
    },
  },
  'a national number': {
    corpus: 'national-number',
    errors: [],
    read(text): void {
      const number = parseBelgianNumber(text);
      expect(number === undefined || (/^\d{11}$/u.test(number) && parseBelgianNumber(number) === number)).toBe(true);
    },
  },
  'a JSON body': {
    corpus: 'json',
    errors: [ BodyInvalid ],
    read(text): void {
      const value = parseStrictJson(Buffer.from(text));
      expect(JSON.stringify(value)).not.toContain('"__proto__":');
      // Fails for half a surrogate pair.
      JSON.stringify(value, (key, each: unknown): unknown => typeof each === 'string' ? encodeURI(key + each) : each);
    },
  },
  'the target of a request': {
    corpus: 'target',
    errors: [ BadRequest ],
    read(text): void {
      expect(firstSegment(text)).not.toContain('?');
      const { segments } = parseTarget(text);
      expect(segments.every((segment): boolean => !/[/\\\u0000-\u001F]|^\.\.?$/u.test(segment))).toBe(true);
    },
  },
  'X-Forwarded-For': {
    corpus: 'forwarded',
    errors: [],
    read(text): void {
      const socket = { remoteAddress: '127.0.0.1' };
      const key = addresses.keyOf({ socket, headers: { 'x-forwarded-for': text }} as unknown as IncomingMessage);
      expect(key ?? '').toMatch(/^[\da-f.:]{0,19}$/u);
    },
  },
  'Accept, and the URI of a grant': {
    corpus: 'condition',
    errors: [ AccessGrantInvalid ],
    read(text): void {
      expect([ undefined, 'text/turtle' ]).toContain(preferredMediaType(text, [ 'text/turtle' ]));
      expect(grantIdOf(text, `${base}.access/`)?.length ?? 36).toBe(36);
    },
  },
};

describe('Whatever bytes come in,', (): void => {
  describe.each(Object.entries(parsers))('%s', (_name, parser): void => {
    const corpus = readCorpus(parser.corpus);

    it('from the corpus is parsed or refused.', (): void => {
      for (const text of corpus) {
        attempt(parser, text);
      }
    });

    it(`in ${numRuns} mutations of it is parsed or refused (FUZZ_SEED=${seed}).`, (): void => {
      fc.assert(fc.property(inputs(corpus), (text): void => attempt(parser, text)), { numRuns, seed });
    });
  });
});

/** Parses a text; whatever the result, the prototype of objects must not have changed. */
function attempt({ read, errors }: Parser, text: string): void {
  try {
    read(text);
  } catch (error: unknown) {
    if (!errors.some((type): boolean => error instanceof type)) {
      throw error;
    }
  }
  for (const shared of [ Object.prototype, Array.prototype, Function.prototype ]) {
    if (Object.keys(shared).length > 0) {
      throw new Error(`A prototype was polluted with ${Object.keys(shared).join(', ')}`);
    }
  }
}

function readCorpus(name: string): string[] {
  const folder = join(corpora, name);
  return readdirSync(folder).map((file): string => readFileSync(join(folder, file), 'utf8'));
}

/** Texts of the corpus with parts removed, inserted and repeated, and texts made of ingredients of attacks only. */
function inputs(corpus: string[]): fc.Arbitrary<string> {
  const part = fc.oneof(fc.constantFrom(...tokens), fc.string({ unit: 'binary', maxLength: 8 }));
  const change = fc.tuple(fc.nat(1000), fc.nat(12), part);
  const changed = fc.tuple(fc.constantFrom(...corpus), fc.array(change, { minLength: 1, maxLength: 5 }))
    .map(([ text, changes ]): string => changeText(text, changes));
  return fc.oneof({ weight: 4, arbitrary: changed }, fc.array(part, { maxLength: 12 }).map((parts): string =>
    parts.join('')));
}

function changeText(text: string, changes: [ at: number, cut: number, put: string ][]): string {
  let changed = text;
  for (const [ at, cut, put ] of changes) {
    const from = at % (changed.length + 1);
    changed = changed.slice(0, from) + put + changed.slice(from + cut);
  }
  return changed;
}
