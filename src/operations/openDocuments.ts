import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Buildings } from '../buildings/Buildings';
import { noBuildings, openBuildings } from '../buildings/openBuildings';
import { Artefacts } from '../contracts/Artefacts';
import { ContractFolder } from '../contracts/ContractFolder';
import { consumable } from '../contracts/contractRules';
import { DataUsers } from '../contracts/DataUsers';
import type { ContractUseStore } from '../contracts/ContractUseStore';
import { ShaclDataTypes } from '../data-types/ShaclDataTypes';
import type { LoginProvider } from '../login/LoginProvider';
import { readLoginProviders } from '../login/readLoginProviders';
import type { Clock } from '../platform/clock';
import { RefusedSetting } from '../platform/RefusedSetting';
import { keepApart } from '../platform/keepApart';
import type { Logger } from '../platform/logger';
import type { Mistakes } from '../platform/Mistakes';
import type { Theme } from '../platform/theme';
import { plainTheme, readTheme } from '../platform/theme';
import type { PasswordLogin } from '../platform/passwordLogin';
import { openSources } from '../sources/openSources';
import { CurrentSources } from '../sources/CurrentSources';
import type { DocumentKinds } from './DocumentKinds';
import type { CheckedSettings } from './settings';

/** Documents of the operator, read at start. */
export interface OperatorDocuments {
  dataTypes: ShaclDataTypes;
  contracts: ContractFolder;
  artefacts: Artefacts;
  dataUsers: DataUsers;
  sources: CurrentSources;
  buildings: Buildings;
  loginProviders: LoginProvider[];
  /** The theme of the pages. */
  theme: Theme;
}

/** Options for reading the documents. */
export interface DocumentContext {
  settings: CheckedSettings;
  extensions: DocumentKinds;
  /** Root folder of the pods, when they are files. */
  rootFilePath?: string;
  /** Contracts that have been used, with their digests. */
  uses: Pick<ContractUseStore, 'list'>;
  /** Logs wrong records when they are requested. */
  logger: Pick<Logger, 'warn'>;
  now: Clock;
}

/** Folders that may be missing unless a setting names others. */
const defaultFolders = {
  contracts: './css-data-sharing/contracts',
  purposes: './css-data-sharing/purposes',
  dataUsers: './css-data-sharing/data-users',
  sources: './css-data-sharing/sources',
} as const;

/**
 * Reads data types, purposes and contracts, and opens sources and the building register.
 *
 * @param context - What they are read with.
 * @param mistakes - Collects mistakes, by file or flag. With errors among them, the result is incomplete.
 */
export async function openDocuments(context: DocumentContext, mistakes: Mistakes): Promise<OperatorDocuments> {
  const { settings: { baseUrl: base, paths, serviceName, timeZone }, uses } = context;
  await mistakes.during(async(): Promise<void> => requireNamed('contracts', paths.contracts));
  const types = await openTypes(context, mistakes);
  const { artefacts: purposes, dataTypes } = types;
  const options = { folder: paths.contracts, base, dataTypes, uses, purposes, timeZone };
  const contracts = await ContractFolder.open(options, mistakes);
  const buildings = await openRegister(context, mistakes);
  const loginProviders = await mistakes.during(async(): Promise<LoginProvider[]> => readLogin(context)) ?? [];
  const theme = await mistakes.during(async(): Promise<Theme> => readTheme(paths.theme ?? '', serviceName)) ??
    plainTheme(serviceName);
  return { ...types, contracts, buildings, loginProviders, theme };
}

/**
 * Reads data types, purposes and data users, and opens sources.
 *
 * @param context - As for {@link openDocuments}.
 * @param mistakes - Collects mistakes, by file or flag.
 */
export async function openTypes(
  context: DocumentContext,
  mistakes: Mistakes,
): Promise<Pick<OperatorDocuments, 'artefacts' | 'dataTypes' | 'dataUsers' | 'sources'>> {
  const { settings: { baseUrl: base, paths }} = context;
  for (const flag of [ 'purposes', 'dataUsers', 'sources' ] as const) {
    await mistakes.during(async(): Promise<void> => requireNamed(flag, paths[flag]));
  }
  const dataTypes = await ShaclDataTypes.load({ base, folder: paths.dataTypes }, mistakes);
  const dataUsers = await DataUsers.load(paths.dataUsers, base, mistakes);
  const artefacts = await Artefacts.load({ base, dataTypes, dataUsers, purposes: paths.purposes }, mistakes);
  return { dataTypes, dataUsers, artefacts, sources: await openSourcesApart(context, dataTypes, mistakes) };
}

/** Description of disabled password log-in for the summary, by setting. */
const passwordsOff: Record<PasswordLogin, string[]> = {
  everybody: [],
  others: [ 'log-in of citizens with a password (--passwordLogin)' ],
  nobody: [ 'log-in with a password (--passwordLogin)' ],
};

/** Summarises the documents found, in lines for the operator. */
export function summariseDocuments(
  { artefacts, contracts, dataTypes, dataUsers, loginProviders, sources }: OperatorDocuments,
  { apps, legacyTokens, nationalIssuers, nationalPatterns, passwordLogin, paths, timeZone }: CheckedSettings,
  now: Date,
): string[] {
  const all = contracts.list();
  const usable = timeZone === '' ? [] : consumable(all, now, timeZone);
  const slugs = dataTypes.list().map(({ iri, slug }): string => `${slug} (${sources.kindOf(iri) ?? 'no source'})`);
  const off = [
    ...nationalIssuers.length === 0 ? [ 'citizens by national number (--nationalIssuers)' ] : [],
    ...loginProviders.length === 0 ? [ 'log-in with a national identity (--nationalLogin)' ] : [],
    ...passwordsOff[passwordLogin],
    ...apps ? [] : [ 'a restriction to known applications (--apps)' ],
    ...paths.buildings === undefined ? [ 'the building register (--buildings)' ] : [],
    ...legacyTokens ? [] : [ 'JWS tokens of citizens (--legacyTokens)' ],
  ];
  return [
    `Contracts: ${all.length}, of which ${usable.length} can be used today. Purposes: ${artefacts.purposes}. ` +
    `Data users described: ${dataUsers.list().length}.`,
    `Data types: ${slugs.join(', ')}.`,
    `National issuers: ${nationalIssuers.map((issuer): string =>
      nationalPatterns.has(issuer) ? `${issuer} (some numbers only)` : issuer).join(', ') || 'none'}.`,
    `Log-in with: ${loginProviders.map(({ id, issuer }): string => `${id} (${issuer})`).join(', ') || 'none'}.`,
    `Off: ${off.join(', ') || 'nothing'}.`,
  ];
}

async function readLogin(
  { settings: { allowLoopback, passwordLogin, paths }}: DocumentContext,
): Promise<LoginProvider[]> {
  const { nationalLogin: file } = paths;
  if (file === undefined && passwordLogin !== 'everybody') {
    throw new RefusedSetting(`--passwordLogin ${passwordLogin} needs --nationalLogin: citizens could not log in`);
  }
  return file === undefined ? [] : readLoginProviders({ file, environment: process.env, allowHttp: allowLoopback });
}

async function requireNamed(flag: keyof typeof defaultFolders, path: string): Promise<void> {
  const found = await stat(path).catch((): undefined => undefined);
  if (!found && path !== resolve(defaultFolders[flag])) {
    throw new Error(`--${flag}: there is nothing at ${path}`);
  }
}

async function openRegister(
  { extensions, settings: { paths: { buildings }}}: DocumentContext,
  mistakes: Mistakes,
): Promise<Buildings> {
  if (buildings === undefined) {
    return noBuildings;
  }
  return await mistakes.during(async(): Promise<Buildings> =>
    openBuildings(buildings, extensions.buildingKinds, process.env)) ?? noBuildings;
}

async function openSourcesApart(
  { extensions, logger, now, rootFilePath, settings: { baseUrl, paths }}: DocumentContext,
  dataTypes: ShaclDataTypes,
  mistakes: Mistakes,
): Promise<CurrentSources> {
  const { nationalNumbers: numbers, sourceKinds: kinds } = extensions;
  const options = { kinds, numbers, dataTypes, baseUrl, env: process.env, now, logger };
  const sources = await openSources(paths.sources, options, mistakes);
  for (const { folder } of sources.all) {
    if (folder !== undefined) {
      await mistakes.during(async(): Promise<void> => keepApart(rootFilePath, { sources: folder }));
    }
  }
  return new CurrentSources(sources);
}
