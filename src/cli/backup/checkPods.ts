import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Citizen, CitizenStore } from '../../identity/CitizenStore';
import type { ServerSecrets } from '../../storage/keys/ServerSecrets';
import type { ValueSeals } from '../../storage/keys/ValueSeals';
import { internalFolder } from '../../server/files/internalFolder';
import { codeOf, messageOf } from '../../platform/errors';
import { readRegularText } from '../../platform/readRegularFile';
import { parseOwn } from '../../platform/ownJson';

/** The pods that belong to some records. */
export interface KnownPods {
  citizens: Pick<CitizenStore, 'findById' | 'listPage'>;
  serverSecrets: Pick<ServerSecrets, 'get' | 'valueSeals'>;
}

const baseUrlFile = `${internalFolder}setup/current-base-url$.json`;
const accounts = 'accounts/data/';
const pageSize = 1000;
/** Number of accounts to try, because one may be damaged, or be removed meanwhile. */
const accountsLookedAt = 5;

/**
 * Checks, without changes, that a folder has the pods of these records: it is the root of a server with the same base
 * URL, has a pod for every citizen, and accounts sealed with the secret in the records.
 *
 * @throws Error that says what is wrong.
 */
export async function checkPods(root: string, known: KnownPods): Promise<void> {
  const names = new Set((await list(root)).map(({ name }): string => name));
  const baseUrl = await readBaseUrl(root);
  await checkCitizens(root, baseUrl, names, known.citizens);
  await checkAccounts(root, known.serverSecrets);
}

/** Checks the folder that `--rootFilePath` names in the same way: the error names the flag, and says what to do. */
export async function requirePods(root: string, known: KnownPods): Promise<void> {
  await checkPods(root, known).catch((error: unknown): never => {
    const message = messageOf(error);
    throw new Error(
      `--rootFilePath (-f): ${message}. Give the folder of pods of the server that these records belong to.`,
      { cause: error },
    );
  });
}

function refuse(problem: string): never {
  throw new Error(problem);
}

async function list(root: string): Promise<Dirent[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown): never =>
    refuse(codeOf(error) === 'ENOENT' ?
      `there is no folder ${root}` :
      `${root} cannot be read as a folder: ${messageOf(error)}`));
  return entries.length > 0 ? entries : refuse(`${root} is empty`);
}

async function readBaseUrl(root: string): Promise<string> {
  try {
    const { payload } = parseOwn<{ payload: string }>(await readRegularText(join(root, baseUrlFile)));
    return new URL(payload).href;
  } catch (error: unknown) {
    return refuse(codeOf(error) === 'ENOENT' ?
      `no server has ever used ${root}: it has no ${baseUrlFile}` :
      `${baseUrlFile} in ${root} cannot be read`);
  }
}

async function checkCitizens(
  root: string,
  baseUrl: string,
  names: Set<string>,
  citizens: KnownPods['citizens'],
): Promise<void> {
  const missing: Citizen[] = [];
  let page: Citizen[] = [];
  do {
    page = await citizens.listPage(page.at(-1)?.id ?? '', pageSize, 'ACTIVE');
    const elsewhere = page.find(({ podUrl }): boolean => !podUrl.startsWith(baseUrl));
    if (elsewhere) {
      const { origin } = new URL(elsewhere.podUrl);
      refuse(`the pods in ${root} belong to ${baseUrl}, and the records to ${origin}/`);
    }
    missing.push(...page.filter(({ podUrl }): boolean => !names.has(podNameIn(podUrl, baseUrl))));
  } while (page.length === pageSize);
  for (const { id, podUrl } of missing) {
    // The citizen may have been erased meanwhile.
    if ((await citizens.findById(id))?.state === 'ACTIVE') {
      const name = podNameIn(podUrl, baseUrl);
      refuse(`the pods of ${missing.length} citizens on record, such as ${name}, are not in ${root}`);
    }
  }
}

function podNameIn(podUrl: string, baseUrl: string): string {
  return decodeURIComponent(podUrl.slice(baseUrl.length).split('/')[0]);
}

async function checkAccounts(root: string, secrets: KnownPods['serverSecrets']): Promise<void> {
  const sealed = await readAccounts(join(root, internalFolder, accounts));
  if (sealed.length === 0) {
    return;
  }
  const seals = await findSeals(secrets);
  if (!sealed.some((account): boolean => opens(seals, account))) {
    refuse(`the accounts in ${root} do not belong to these records: they are encrypted with another secret`);
  }
}

interface SealedAccount {
  name: string;
  sealed: string;
}

/** Reads some sealed accounts: all are sealed after a start with sealing. */
async function readAccounts(folder: string): Promise<SealedAccount[]> {
  const files = (await readdir(folder).catch((): string[] => [])).filter((file): boolean => file.endsWith('$.json'));
  const read = await Promise.all(files.slice(0, accountsLookedAt)
    .map(async(file): Promise<SealedAccount | undefined> => {
      const text = await readRegularText(join(folder, file)).catch((): string => '');
      const sealed = /"payload":\{"sealed":"([^"]+)"\}/u.exec(text)?.[1];
      return sealed === undefined ? undefined : { name: file.slice(0, -'$.json'.length), sealed };
    }));
  return read.filter((account): account is SealedAccount => account !== undefined);
}

/** Returns `undefined` when the records have no secrets, without creating any. */
async function findSeals(secrets: KnownPods['serverSecrets']): Promise<ValueSeals | undefined> {
  try {
    await secrets.get('values', async(): Promise<never> => {
      throw new Error('There is no secret for values');
    });
  } catch {
    return undefined;
  }
  return secrets.valueSeals();
}

function opens(seals: ValueSeals | undefined, { name, sealed }: SealedAccount): boolean {
  try {
    seals?.open(`/${accounts}`, name, sealed);
    return seals !== undefined;
  } catch {
    return false;
  }
}
