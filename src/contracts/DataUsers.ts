import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Store } from 'n3';
import type { I18nString } from '../data-types/DataType';
import type { TurtleFile } from '../data-types/turtle';
import { findMissingLanguage, listFiles, readTurtle, translations } from '../data-types/turtle';
import type { Mistakes } from '../platform/Mistakes';
import { readRegularFile, whyUnreadable } from '../platform/readRegularFile';
import type { WebId } from '../platform/webId';
import { parseWebId } from '../platform/webId';
import { OIDC, ownIris, SKOS } from '../vocabulary';

/** The operator's description of a data user, for the pages on which citizens decide. */
export interface DataUser {
  /** `{base}v1/data-users/{name}` */
  uri: string;
  webId: WebId;
  /** Names in the four languages. */
  names: I18nString[];
  definitions: I18nString[];
  logo?: Logo;
  /** Addresses and numbers for contacting the data user, as in its description. */
  contacts: string[];
  /** URL. */
  privacyStatement?: string;
  /** URLs to which citizens may be sent back (RFC 6749, section 3.1.2). */
  redirectUris: string[];
  /** The data user's commitment in the agreement with the operator, in the four languages; empty when not described. */
  agreement: I18nString[];
  /** The description as published. */
  turtle: string;
}

/** Logo of a data user. */
export interface Logo {
  contentType: 'image/svg+xml' | 'image/png';
  bytes: Buffer;
}

const logoTypes = { svg: 'image/svg+xml', png: 'image/png' } as const;
const maxLogoBytes = 20_000;

/** The data users that the operator describes, by WebID. */
export class DataUsers {
  private constructor(private byWebId: ReadonlyMap<string, DataUser>) {}

  /**
   * Reads the descriptions in a folder, `{name}.ttl`, each with an optional logo, `{name}.svg` or `{name}.png`.
   *
   * @param folder - `--dataUsers`; may be missing.
   * @param base - The server's base URL.
   * @param mistakes - Collects mistakes, naming the file and the wrong property.
   */
  public static async load(folder: string, base: string, mistakes: Mistakes): Promise<DataUsers> {
    const byWebId = new Map<string, DataUser>();
    const files = await mistakes.during(async(): Promise<string[]> =>
      await listFiles(folder, '.ttl', '--dataUsers') ?? []);
    for (const file of files ?? []) {
      await mistakes.during(async(): Promise<void> => add(byWebId, await readDataUser(file, base), file));
    }
    return new DataUsers(byWebId);
  }

  /** Replaces the descriptions by those of another instance. */
  public adopt({ byWebId }: DataUsers): void {
    this.byWebId = byWebId;
  }

  /** Returns the description of a data user, if there is one. */
  public find(webId: string): DataUser | undefined {
    return this.byWebId.get(webId);
  }

  /** Lists all data users, in the order of their files. */
  public list(): DataUser[] {
    return [ ...this.byWebId.values() ];
  }
}

function add(byWebId: Map<string, DataUser>, dataUser: DataUser, file: string): void {
  const other = byWebId.get(dataUser.webId);
  if (other) {
    throw new Error(`${file}: core:webId <${dataUser.webId}> is also that of ${other.uri}`);
  }
  byWebId.set(dataUser.webId, dataUser);
}

async function readDataUser(file: string, base: string): Promise<DataUser> {
  const name = basename(file, '.ttl');
  if (!/^[\w.-]+$/u.test(name)) {
    throw new Error(`${file}: the file name must have the characters A-Z a-z 0-9 . _ - only`);
  }
  const uri = `${base}v1/data-users/${name}`;
  const document = await readTurtle(file, base);
  return { uri, ...describe(document, uri, base), logo: await readLogo(file) };
}

function describe({ file, store, turtle }: TurtleFile, uri: string, base: string): Omit<DataUser, 'uri' | 'logo'> {
  const names = translations(store, uri, SKOS.prefLabel);
  const lacking = findMissingLanguage(names);
  if (lacking !== undefined) {
    throw new Error(`${file}: skos:prefLabel of ${uri} must occur once in language '${lacking}'`);
  }
  const [ webId, ...others ] = urls(file, store, uri, `${ownIris(base).core}webId`);
  if (webId === undefined || others.length > 0) {
    throw new Error(`${file}: core:webId of ${uri} must occur once`);
  }
  const redirectUris = urls(file, store, uri, OIDC.redirectUris);
  const wrong = redirectUris.find((text): boolean => !isReturnAddress(new URL(text)));
  if (wrong !== undefined) {
    throw new Error(`${file}: oidc:redirect_uris <${wrong}> must be https, or http on this machine, ` +
      'without a user name, password or fragment');
  }
  return {
    webId: parseWebId(webId),
    names,
    definitions: translations(store, uri, SKOS.definition),
    contacts: store.getObjects(uri, OIDC.contacts, null).map(({ value }): string => value),
    privacyStatement: urls(file, store, uri, OIDC.policyUri)[0],
    redirectUris,
    agreement: agreementOf(store, uri, `${ownIris(base).core}agreement`, file),
    turtle,
  };
}

function agreementOf(store: Store, uri: string, property: string, file: string): I18nString[] {
  const agreement = translations(store, uri, property);
  const lacking = findMissingLanguage(agreement);
  if (agreement.length > 0 && lacking !== undefined) {
    throw new Error(`${file}: core:agreement of ${uri} must occur once in language '${lacking}'`);
  }
  return agreement;
}

/** Returns the values of a property, as written, which must be http(s) URLs. */
function urls(file: string, store: Store, subject: string, property: string): string[] {
  return store.getObjects(subject, property, null).map(({ value }): string => {
    if (!URL.canParse(value) || !/^https?:$/u.test(new URL(value).protocol)) {
      throw new Error(`${file}: ${value} must be an http(s) URL`);
    }
    return value;
  });
}

/** Refuses open redirectors, and plain http except to this machine: OAuth 2.0 Security BCP (RFC 9700), section 2.1. */
function isReturnAddress({ protocol, hostname, username, password, hash }: URL): boolean {
  const isLoopback = [ 'localhost', '127.0.0.1', '[::1]' ].includes(hostname);
  return (protocol === 'https:' || isLoopback) && username === '' && password === '' && hash === '';
}

/** Reads the logo beside a description. */
async function readLogo(file: string): Promise<Logo | undefined> {
  for (const [ extension, contentType ] of Object.entries(logoTypes)) {
    const path = file.replace(/ttl$/u, extension);
    const found = await stat(path).catch((): undefined => undefined);
    if (found) {
      if (found.size > maxLogoBytes) {
        throw new Error(`${path}: a logo must have at most ${maxLogoBytes} bytes`);
      }
      const bytes = await readRegularFile(path, maxLogoBytes).catch((cause: unknown): never => {
        throw new Error(`${path} ${whyUnreadable(cause)}`, { cause });
      });
      return { contentType, bytes };
    }
  }
}
