import { createHash } from 'node:crypto';
import type { Client, Scheme } from './world';
import { createClient } from './world';
import type { Claims, SigningOptions, TestIssuer } from './TestIssuer';

/** A citizen, who calls the server with tokens of a test issuer. */
export interface TestCitizen {
  nationalNumber: string;
  webId: string;
  podUrl: string;
  podId: string;
  /** With a DPoP-bound token that names WebID and national number. */
  client: Client;
}

/**
 * Makes a client with a token of an issuer, bound to its key for DPoP.
 *
 * @param claims - Beside or instead of the usual ones.
 */
export async function clientOf(
  issuer: TestIssuer,
  claims: Claims = {},
  scheme: Scheme = 'Bearer',
  signing: SigningOptions = {},
): Promise<Client> {
  const client = await createClient(scheme);
  const binding = scheme === 'DPoP' ? { cnf: { jkt: await client.jkt() }} : {};
  return client.withToken(await issuer.sign({ ...binding, ...claims }, signing));
}

/**
 * Gives a citizen a WebID and pod, and logs them in with both claims.
 *
 * @param more - Claims beside or instead of the usual ones.
 */
export async function createCitizen(
  base: string,
  issuer: TestIssuer,
  nationalNumber: string,
  more: Claims = {},
): Promise<TestCitizen> {
  const claims = { citizen_national_id: nationalNumber, ...more };
  const response = await (await clientOf(issuer, claims)).request('PUT', `${base}v1/webids`);
  expect(response.status).toBe(201);
  const { uri } = await response.json() as { uri: string };
  const podUrl = uri.slice(0, -'profile/card#me'.length);
  const client = await clientOf(issuer, { ...claims, webid: uri }, 'DPoP');
  return { nationalNumber, webId: uri, podUrl, podId: podUrl.slice(base.length, -1), client };
}

/**
 * Expects a problem document of a type that reveals nothing the caller may not know.
 *
 * @param type - Last part of the type's URI; '' for `about:blank`.
 */
export async function expectProblem(response: Response, status: number, type: string): Promise<void> {
  const text = await response.text();
  const { instance, ...told } = JSON.parse(text) as Record<string, unknown>;
  expect(told).toEqual({
    status,
    type: type === '' ? 'about:blank' : expect.stringMatching(new RegExp(`^http.*/v1/problems/${type}$`, 'u')),
    title: expect.any(String),
    detail: told.detail === null ? null : expect.any(String),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
    ...told.dataValues !== undefined && { dataValues: expect.any(Array) },
  });
  expect(instance).toMatch(/^urn:uuid:[\da-f-]{36}$/u);
  expect(response.status).toBe(status);
  expect(response.headers.get('x-correlation-id')).toMatch(/^[\da-f-]{36}$/u);
  expect(JSON.stringify(told).replaceAll(/[\w-]{22}\.[\w-]{22}/gu, '')).not.toMatch(/eyJ|\d{11}/u);
}

/**
 * Finds a national number in a text or file: with or without separators, which may be URL-encoded, anywhere in base64,
 * base64url or hex, or as a plain hash, which trying all numbers would reveal.
 */
export function mentions(content: Buffer | string, nationalNumber: string): boolean {
  const text = typeof content === 'string' ? content : content.toString('latin1');
  return new RegExp(nationalNumber.replaceAll(/(?<=\d)(?=\d)/gu, '(?:[ ./-]|%2[0DEF])?'), 'iu').test(text) ||
    disguises(nationalNumber).some((disguise): boolean => text.includes(disguise));
}

function disguises(nationalNumber: string): string[] {
  const bytes = Buffer.from(nationalNumber);
  const hashes = [ 'md5', 'sha1', 'sha256', 'sha512' ].map((name): Buffer =>
    createHash(name).update(bytes).digest());
  return [
    // Base64 depends on the position within a group of three bytes; characters that neighbours affect are left out.
    ...[ 0, 1, 2 ].map((shift): string => Buffer.concat([ Buffer.alloc(shift), bytes ]).toString('base64')
      .slice(Math.ceil(shift * 8 / 6), Math.floor((shift + bytes.length) * 8 / 6))),
    bytes.toString('hex'),
    ...hashes.flatMap((hash): string[] =>
      [ hash.toString('hex'), hash.toString('base64url').slice(0, 20), hash.toString('base64').slice(0, 20) ]),
    ...hashes.map((hash): string => hash.toString('latin1')),
  ];
}

/** Lists the places that contain one of the numbers, in the sense of {@link mentions}. */
export function placesThatMention(places: Record<string, (Buffer | string)[]>, numbers: string[]): string[] {
  return Object.entries(places)
    .filter(([ , contents ]): boolean => contents.some((content): boolean =>
      numbers.some((number): boolean => mentions(content, number))))
    .map(([ place ]): string => place);
}

/** All headers of a response, to compare several of them at once. */
export function headersOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries(headers as unknown as Iterable<[string, string]>);
}
