import { resolve } from 'node:path';
import { DateTime, Duration } from 'luxon';
import { wholeOf } from '../login/claims';
import { RefusedSetting } from '../platform/RefusedSetting';
import { readSwitch } from '../platform/readSwitch';
import { readPasswordLogin } from '../server/accounts/PasswordRule';
import type { PasswordLogin } from '../server/accounts/PasswordRule';
import { isSameIssuer } from '../tokens/issuers';

/** The operator's settings from the command line and the environment. */
export interface DataSharingSettings {
  /** Base URL of the server: an origin without a path. */
  baseUrl: string;
  /** Root folder of the pods, when they are files. */
  rootFilePath?: string;
  /** Comma-separated URLs of issuers trusted for `citizen_national_id`, each optionally with a pattern. */
  nationalIssuers: string;
  /** JSON file of the national identity providers for log-in, or empty. */
  nationalLogin: string;
  /** Accounts that may have a password: those of `everybody`, of `others` than citizens, or of `nobody`. */
  passwordLogin: string;
  /** True to link existing WebIDs of citizens. */
  ownWebIds: boolean;
  /** Comma-separated URLs of the only issuers that are accepted, or empty. */
  trustedIssuers: string;
  /** Comma-separated client ids of applications that may act for citizens, or empty. */
  apps: string;
  /** Value that `aud` of a token must contain. */
  audience: string;
  /** True when the deprecated JWS tokens of citizens are accepted. */
  legacyTokens: boolean;
  /** ISO 8601 date on which they end, for the `Sunset` header, or empty. */
  legacyTokensSunset: string;
  /** Maximum different wrong national numbers that a data user may try on one citizen in 24 hours. */
  maxWrongBusinessKeys: number;
  /** The same for all data users together. */
  maxWrongBusinessKeysPerCitizen: number;
  /** Folder of contract documents. */
  contracts: string;
  /** Folder of additional data types, or empty. */
  dataTypes: string;
  /** Folder of purpose documents. */
  purposes: string;
  /** Folder of descriptions of data users. */
  dataUsers: string;
  /** Folder of the theme of the pages, or empty. */
  theme: string;
  /** Folder or JSON file of sources. */
  sources: string;
  /** Folder or JSON file of a building register, or empty. */
  buildings: string;
  /** ISO 8601 duration within which each share is checked at its origin once, or `off`. */
  originChecks: string;
  /** ISO 8601 duration for which events of data users are kept. */
  eventsKept: string;
  /** ISO 8601 duration within which a data user must delete a copy once deletion is due. */
  copyGrace: string;
  /** Time zone of contract dates. */
  timeZone: string;
  /** ISO 8601 duration that caps grants made by clients, or empty. */
  maxGrantDuration: string;
  /** True when URLs named by callers may reach http and loopback addresses. */
  allowLoopback: boolean;
  /** Seconds for which a stopping server keeps serving while not ready, so that load balancers notice. */
  drainSeconds: number;
}

/** The settings after their check. */
export interface CheckedSettings {
  /** With a trailing slash. */
  baseUrl: string;
  nationalIssuers: string[];
  /** Patterns of the numbers that a national issuer is believed for, by its URL; for all, when it has none. */
  nationalPatterns: ReadonlyMap<string, RegExp>;
  passwordLogin: PasswordLogin;
  ownWebIds: boolean;
  trustedIssuers?: string[];
  apps?: string[];
  audience: string;
  legacyTokens: boolean;
  legacyTokensSunset?: Date;
  maxWrongBusinessKeys: number;
  maxWrongBusinessKeysPerCitizen: number;
  allowLoopback: boolean;
  drainSeconds: number;
  /** In milliseconds; absent when it is off. */
  originCheckMs?: number;
  eventsKeptMs: number;
  copyGraceMs: number;
  timeZone: string;
  maxGrantDuration?: Duration;
  /** Absolute paths of files and folders by flag; absent when not set. */
  paths: {
    contracts: string;
    dataTypes?: string;
    purposes: string;
    dataUsers: string;
    theme?: string;
    sources: string;
    buildings?: string;
    nationalLogin?: string;
  };
}

/**
 * Checks the settings.
 *
 * @throws Error that names the flag.
 */
export function readSettings(settings: DataSharingSettings): CheckedSettings {
  return {
    baseUrl: readBaseUrl(settings.baseUrl),
    ...readNationalIssuers(settings.nationalIssuers),
    passwordLogin: readPasswordLogin(settings.passwordLogin),
    ownWebIds: readSwitch('ownWebIds', settings.ownWebIds),
    trustedIssuers: readUrls('trustedIssuers', settings.trustedIssuers),
    apps: readList(settings.apps),
    audience: readText('audience', settings.audience),
    legacyTokens: readSwitch('legacyTokens', settings.legacyTokens),
    legacyTokensSunset: readDate('legacyTokensSunset', settings.legacyTokensSunset),
    maxWrongBusinessKeys: readCount('maxWrongBusinessKeys', settings.maxWrongBusinessKeys),
    maxWrongBusinessKeysPerCitizen:
      readCount('maxWrongBusinessKeysPerCitizen', settings.maxWrongBusinessKeysPerCitizen),
    allowLoopback: readSwitch('allowLoopback', settings.allowLoopback),
    drainSeconds: readSeconds('drainSeconds', settings.drainSeconds),
    originCheckMs: settings.originChecks === 'off' ?
      undefined :
        readDuration('originChecks', readText('originChecks', settings.originChecks))!.toMillis(),
    eventsKeptMs: readDuration('eventsKept', readText('eventsKept', settings.eventsKept))!.toMillis(),
    copyGraceMs: readDuration('copyGrace', readText('copyGrace', settings.copyGrace))!.toMillis(),
    timeZone: settings.timeZone,
    maxGrantDuration: readDuration('maxGrantDuration', settings.maxGrantDuration),
    paths: {
      contracts: readPath('contracts', settings.contracts),
      purposes: readPath('purposes', settings.purposes),
      dataUsers: readPath('dataUsers', settings.dataUsers),
      sources: readPath('sources', settings.sources),
      ...settings.theme === '' ? {} : { theme: readPath('theme', settings.theme) },
      ...settings.dataTypes === '' ? {} : { dataTypes: readPath('dataTypes', settings.dataTypes) },
      ...settings.buildings === '' ? {} : { buildings: readPath('buildings', settings.buildings) },
      ...settings.nationalLogin === '' ? {} : { nationalLogin: readPath('nationalLogin', settings.nationalLogin) },
    },
  };
}

/**
 * Checks the base URL.
 *
 * @returns It with a trailing slash.
 *
 * @throws Error that names the flag.
 */
export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/u.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new RefusedSetting(
      `--baseUrl must be an origin without a path: clients look discovery up at the root; not ${text}`,
    );
  }
  return `${url.origin}/`;
}

/** The items of a comma-separated list; `undefined` when there are none. */
export function readList(text: string): string[] | undefined {
  const items = text.split(',').map((item): string => item.trim()).filter((item): boolean => item !== '');
  return items.length > 0 ? items : undefined;
}

/**
 * The national issuers that are believed for every citizen: the profiles made here list them.
 *
 * @param text - The setting.
 */
export function issuersOfEverybody(text: string): string[] {
  return splitIssuers(text).filter(({ pattern }): boolean => pattern === undefined).map(({ issuer }): string => issuer);
}

/** Splits entries at commas, and each at its first space: before it the issuer, after it the pattern. */
function splitIssuers(text: string): { issuer: string; pattern?: string }[] {
  return (readList(text) ?? []).map((entry): { issuer: string; pattern?: string } => {
    const [ issuer, ...pattern ] = entry.split(/\s+/u);
    return { issuer, ...pattern.length > 0 && { pattern: pattern.join(' ') }};
  });
}

function readNationalIssuers(text: string): Pick<CheckedSettings, 'nationalIssuers' | 'nationalPatterns'> {
  const entries = splitIssuers(text);
  const nationalIssuers = entries.map(({ issuer }): string => issuer);
  requireUrls('nationalIssuers', nationalIssuers);
  const nationalPatterns = new Map<string, RegExp>();
  for (const { issuer, pattern } of entries) {
    if (pattern !== undefined) {
      if (nationalIssuers.filter((other): boolean => isSameIssuer(other, issuer)).length > 1) {
        throw new RefusedSetting(`--nationalIssuers must name an issuer with a pattern once: ${issuer}`);
      }
      nationalPatterns.set(issuer, readPattern('nationalIssuers', pattern));
    }
  }
  return { nationalIssuers, nationalPatterns };
}

function readPattern(flag: string, pattern: string): RegExp {
  try {
    // Alone first: parentheses of its own must not end those around it.
    new RegExp(pattern, 'u').test('');
    return wholeOf(pattern);
  } catch (cause: unknown) {
    throw new RefusedSetting(`--${flag} has a pattern that is no regular expression: ${pattern}`, { cause });
  }
}

function readUrls(flag: string, text: string): string[] | undefined {
  const urls = readList(text);
  requireUrls(flag, urls ?? []);
  return urls;
}

function requireUrls(flag: string, urls: string[]): void {
  for (const url of urls) {
    if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)) {
      throw new RefusedSetting(`--${flag} must be a comma-separated list of http(s) URLs: ${url}`);
    }
  }
}

function readText(flag: string, text: string): string {
  if (text.trim() === '') {
    throw new RefusedSetting(`--${flag} must not be empty`);
  }
  return text.trim();
}

/** The beginning of a day, in UTC. */
function readDate(flag: string, text: string): Date | undefined {
  if (text === '') {
    return;
  }
  const date = DateTime.fromISO(text, { zone: 'utc' });
  if (!date.isValid || !/^\d{4}-\d{2}-\d{2}$/u.test(text)) {
    throw new RefusedSetting(`--${flag} must be an ISO 8601 date, such as 2027-01-01: ${text}`);
  }
  return date.toJSDate();
}

/** Environment variables come as text. */
function readCount(flag: string, value: unknown): number {
  if (!/^[1-9]\d{0,5}$/u.test(String(value))) {
    throw new RefusedSetting(`--${flag} must be a whole number from 1 on`);
  }
  return Number(value);
}

/** Environment variables come as text. */
function readSeconds(flag: string, value: unknown): number {
  if (!/^\d{1,3}$/u.test(String(value))) {
    throw new RefusedSetting(`--${flag} must be a whole number of seconds up to 999`);
  }
  return Number(value);
}

function readPath(flag: string, path: string): string {
  return resolve(readText(flag, path));
}

function readDuration(flag: string, text: string): Duration | undefined {
  if (text === '') {
    return;
  }
  const duration = Duration.fromISO(text);
  if (!duration.isValid || duration.toMillis() <= 0) {
    throw new RefusedSetting(`--${flag} must be an ISO 8601 duration above zero, such as P180D: ${text}`);
  }
  return duration;
}
