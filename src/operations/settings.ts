import type { Duration } from 'luxon';
import { readNationalIssuers } from '../login/nationalIssuers';
import type { NationalIssuers } from '../login/nationalIssuers';
import {
  readBaseUrl,
  readDate,
  readDuration,
  readList,
  readMilliseconds,
  readPath,
  readSeconds,
  readText,
  readUrls,
} from '../platform/readSettings';
import { readSwitch } from '../platform/readSwitch';
import { readWholeNumber } from '../platform/readWholeNumber';
import { readServiceName } from '../platform/theme';
import { readPasswordLogin } from '../platform/passwordLogin';
import type { PasswordLogin } from '../platform/passwordLogin';

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
  /** Name of the service on pages without a theme. */
  serviceName: string;
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

/** The settings after validation. */
export interface CheckedSettings extends NationalIssuers {
  /** With a trailing slash. */
  baseUrl: string;
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
  serviceName: string;
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

/** Lists the issuers that the operator named, and so vouches for. */
export function issuersFromSettings({ nationalIssuers, trustedIssuers = []}: CheckedSettings): string[] {
  return [ ...nationalIssuers, ...trustedIssuers ];
}

/**
 * Checks the settings.
 *
 * @throws Error that names the flag.
 */
export function readSettings(settings: DataSharingSettings): CheckedSettings {
  const allowLoopback = readSwitch('allowLoopback', settings.allowLoopback);
  return {
    baseUrl: readBaseUrl(settings.baseUrl),
    ...readNationalIssuers(settings.nationalIssuers, allowLoopback),
    passwordLogin: readPasswordLogin(settings.passwordLogin),
    ownWebIds: readSwitch('ownWebIds', settings.ownWebIds),
    trustedIssuers: readUrls('trustedIssuers', settings.trustedIssuers),
    apps: readList(settings.apps),
    audience: readText('audience', settings.audience),
    legacyTokens: readSwitch('legacyTokens', settings.legacyTokens),
    legacyTokensSunset: readDate('legacyTokensSunset', settings.legacyTokensSunset),
    maxWrongBusinessKeys: readWholeNumber('maxWrongBusinessKeys', settings.maxWrongBusinessKeys),
    maxWrongBusinessKeysPerCitizen:
      readWholeNumber('maxWrongBusinessKeysPerCitizen', settings.maxWrongBusinessKeysPerCitizen),
    allowLoopback,
    drainSeconds: readSeconds('drainSeconds', settings.drainSeconds),
    originCheckMs: settings.originChecks === 'off' ?
      undefined :
        readMilliseconds('originChecks', settings.originChecks),
    eventsKeptMs: readMilliseconds('eventsKept', settings.eventsKept),
    copyGraceMs: readMilliseconds('copyGrace', settings.copyGrace),
    serviceName: readServiceName(settings.serviceName),
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
