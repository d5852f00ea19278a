import type { Quad } from '@rdfjs/types';
import { toRDF } from 'jsonld';
import type { Clock } from '../platform/clock';
import { ContextWork } from '../platform/ContextWork';
import { SOLID } from '../vocabulary';
import { FreshCache } from '../platform/FreshCache';
import type { Fetched, GuardedFetch } from '../platform/guardedFetch';
import { FetchFailed } from '../platform/fetchErrors';
import { parseJson } from '../platform/parseJson';
import type { WebId } from '../platform/webId';
import { readTurtle } from './readTurtle';

/** Facts from WebID profile documents. */
export interface WebIdProfiles {
  /**
   * Returns the issuers that a profile lists in `solid:oidcIssuer`; none when the profile is missing.
   *
   * @throws FetchRefused, FetchFailed when a remote profile cannot be read.
   */
  issuers: (webId: WebId) => Promise<string[]>;
}

/** Cached profiles. */
export interface RememberedProfiles extends WebIdProfiles {
  /** Reads a profile again because an issuer is missing, unless it was read less than `minAgeMs` ago. */
  renew: (webId: WebId, minAgeMs: number) => Promise<string[]>;
}

const lifeMs = 120_000;
const maxProfiles = 10_000;
/** Characters of a document that its parser may keep for each name in it. */
const keptLength = 8192;
const maxJsonLdBytes = 128 * 1024;

/** Maximum bytes of a profile on any host. */
export const maxProfileBytes = 1024 * 1024;

/** A profile document as read. */
export type ProfileDocument = Pick<Fetched, 'body' | 'contentType' | 'url'>;

/** Reads this server's own profiles in process, and all others by HTTP. */
export class ProfileRouter implements WebIdProfiles {
  public constructor(
    private readonly baseUrl: string,
    private readonly local: WebIdProfiles,
    private readonly remote: WebIdProfiles,
  ) {}

  public async issuers(webId: WebId): Promise<string[]> {
    return (webId.startsWith(this.baseUrl) ? this.local : this.remote).issuers(webId);
  }
}

/** Caches the issuers of profiles for 120 s. */
export class CachedProfiles implements RememberedProfiles {
  private readonly cache: FreshCache<string[]>;

  public constructor(private readonly source: WebIdProfiles, now: Clock) {
    this.cache = new FreshCache({ lifeMs, maxEntries: maxProfiles, weigh: weightOf, now });
  }

  public async issuers(webId: WebId): Promise<string[]> {
    return this.cache.get(webId, async(): Promise<string[]> => this.source.issuers(webId));
  }

  public async renew(webId: WebId, minAgeMs: number): Promise<string[]> {
    return this.cache.renew(webId, minAgeMs, async(): Promise<string[]> => this.source.issuers(webId));
  }
}

function weightOf(issuers: string[]): number {
  return issuers.reduce((weight, { length }): number => weight + 1 + length / keptLength, 0);
}

/**
 * Fetches profiles of other servers, as Turtle or as JSON-LD without remote contexts.
 *
 * @see [Solid-OIDC, section 6.1](https://solidproject.org/TR/oidc#oidc-issuer-discovery)
 */
export class RemoteProfiles implements WebIdProfiles {
  public constructor(private readonly fetch: GuardedFetch) {}

  public async issuers(webId: WebId): Promise<string[]> {
    const [ document ] = webId.split('#');
    const profile = await this.fetch(document, { accept: 'text/turtle, application/ld+json;q=0.8' });
    if (profile.status !== 200) {
      throw new FetchFailed(`the profile answers with status ${profile.status}`);
    }
    return issuersInDocument(profile, webId);
  }
}

/**
 * Parses the issuers that a profile document lists for a WebID.
 *
 * @throws FetchFailed when it is neither Turtle nor JSON-LD without remote contexts.
 */
export async function issuersInDocument(profile: ProfileDocument, webId: WebId): Promise<string[]> {
  return issuersIn(await parseProfile(profile), webId);
}

/** Returns the issuers that the statements of a profile document list for a WebID. */
function issuersIn(quads: Iterable<Quad>, webId: WebId): string[] {
  return [ ...quads ]
    .filter((quad): boolean => quad.subject.value === webId && quad.predicate.value === SOLID.oidcIssuer &&
      quad.object.termType === 'NamedNode')
    .map((quad): string => quad.object.value);
}

async function parseProfile(profile: ProfileDocument): Promise<Quad[]> {
  try {
    if (profile.contentType === 'text/turtle') {
      return await readTurtle(profile.body.toString('utf8'), profile.url);
    }
    if (profile.contentType === 'application/ld+json' && profile.body.length <= maxJsonLdBytes) {
      return await parseJsonLd(profile);
    }
  } catch (error: unknown) {
    throw new FetchFailed('the profile cannot be parsed', { cause: error });
  }
  throw new FetchFailed('the profile is neither Turtle nor JSON-LD');
}

async function parseJsonLd(profile: ProfileDocument): Promise<Quad[]> {
  const text = profile.body.toString('utf8');
  if (ContextWork.of(text).isTooMuch) {
    throw new FetchFailed('the contexts of the profile take too long to work on');
  }
  // The library accepts any JSON, and without `format` it returns quads.
  return await toRDF(parseJson(text) as object, {
    base: profile.url,
    documentLoader: async(): Promise<never> => {
      throw new FetchFailed('contexts of profiles are not fetched');
    },
  }) as Quad[];
}
