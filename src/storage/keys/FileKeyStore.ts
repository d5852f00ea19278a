import { createHash, createPrivateKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { open, readdir, rename, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Clock, NewId } from '../../platform/clock';
import type { SecretName, SigningKey, SigningPurpose } from '../../credentials/KeyStore';
import { localKey } from '../../credentials/localKey';
import { encodeMultikey } from '../../credentials/multibase';
import { makeFolders } from '../../platform/makeFolders';
import { messageOf } from '../../platform/errors';
import { readSettingFile } from '../../platform/readSettingFile';
import { isOneOf } from '../../platform/lists';
import { makePrivateJwk } from '../../platform/makePrivateJwk';
import { parseOwn } from '../../platform/ownJson';

/** Names of secret files. Keys for tokens have none: they are derived from another secret. */
export type SecretFileName = Exclude<SecretName, 'tokens'>;

/** Everything that has a key file. */
export type KeyKind = SecretFileName | SigningPurpose;

/** Every secret with a file of its own. */
export const secretNames: readonly SecretFileName[] = [ 'blind-index', 'encryption' ];
/** Every purpose of signing keys. */
export const signingPurposes: readonly SigningPurpose[] = [ 'grants', 'credentials' ];
const secretBytes = 32;

/** Fingerprints by file name, by which records recognise their keys. */
export type Fingerprints = Map<string, string>;

/** Where keys are made, and with what. */
export interface KeyFolder {
  folder: string;
  clock: Clock;
  newId: NewId;
}

interface SecretFile {
  file: string;
  name: SecretFileName;
  secret: Buffer;
}

/** A signing key with its private half. */
export interface FileKey extends SigningKey {
  privateKey: KeyObject;
  createdAt: Date;
}

interface SigningFile {
  file: string;
  purpose: SigningPurpose;
  key: FileKey;
}

/**
 * Keys in a folder of files that only their owner may read: `{name}.key` or `{name}-{id}.key`, 32 bytes in base64url,
 * and `{purpose}-{id}.jwk`, an Ed25519 private key as a JWK with the time it was `created`.
 */
export class FileKeyStore {
  private constructor(
    private readonly secrets: SecretFile[],
    private readonly signingKeys: SigningFile[],
  ) {}

  /**
   * Reads the keys.
   *
   * @param folder - Their folder.
   * @param known - The fingerprints on record; empty when the records are new.
   *
   * @throws Error that names the flag and the file when a key is missing, malformed, readable by others, or not the one
   * that belongs to the records. The error contains no key.
   */
  public static async open(folder: string, known: Fingerprints): Promise<FileKeyStore> {
    const path = resolve(folder);
    const files = await listFiles(path);
    for (const file of known.keys()) {
      if (!files.includes(file)) {
        throw new Error(`--keys: ${join(path, file)} is missing, and the records cannot be read without it`);
      }
    }
    const store = new FileKeyStore(
      await readAll(files.filter(isSecretFile), async(file): Promise<SecretFile> => readSecret(path, file)),
      await readAll(files.filter(isSigningFile), async(file): Promise<SigningFile> => readSigningKey(path, file)),
    );
    store.compare(known, path);
    return store;
  }

  /** Returns a store with only these files. */
  public only(files: string[]): FileKeyStore {
    return new FileKeyStore(
      this.secrets.filter(({ file }): boolean => files.includes(file)),
      this.signingKeys.filter(({ file }): boolean => files.includes(file)),
    );
  }

  public getSecret(file: string): Buffer {
    // Asked for files that the records know, which are all here.
    return this.secrets.find((secret): boolean => secret.file === file)!.secret;
  }

  /** Names of the files of a secret. Empty for tokens, which only use the current secret. */
  public secretFiles(name: SecretName): string[] {
    return this.secrets.filter((secret): boolean => secret.name === name).map(({ file }): string => file);
  }

  /** Returns the signing keys, newest first. */
  public getSigningKeys(purpose: SigningPurpose): FileKey[] {
    return this.signingKeys
      .filter((file): boolean => file.purpose === purpose)
      .map(({ key }): FileKey => key)
      .sort((left, right): number => right.createdAt.getTime() - left.createdAt.getTime());
  }

  /** SHA-256 of every key by its file name: it identifies the key and reveals nothing else. */
  public fingerprints(): Fingerprints {
    return new Map([
      ...this.secrets.map(({ file, secret }): [string, string] => [ file, fingerprint(secret) ]),
      ...this.signingKeys.map(({ file, key }): [string, string] => [ file, fingerprint(privateBytes(key.privateKey)) ]),
    ]);
  }

  private compare(known: Fingerprints, path: string): void {
    const mine = this.fingerprints();
    for (const [ file, print ] of known) {
      if (mine.get(file) !== print) {
        throw new Error(`--keys: ${join(path, file)} is not the key of these records`);
      }
    }
  }
}

/**
 * Makes the keys of new records, except those that have files. Never call it for records that name their keys.
 *
 * @param purposes - Purposes that get a signing key.
 */
export async function makeMissingKeys(
  purposes: readonly SigningPurpose[],
  { folder, clock, newId }: KeyFolder,
): Promise<void> {
  const path = resolve(folder);
  await makeFolders(path, 0o700);
  const files = await listFiles(path);
  for (const name of secretNames) {
    if (!files.includes(`${name}.key`)) {
      await makeSecret(path, `${name}.key`);
    }
  }
  for (const purpose of purposes) {
    if (!files.some((file): boolean => isSigningFile(file) && file.startsWith(`${purpose}-`))) {
      await makeSigningKey(path, purpose, clock, newId);
    }
  }
}

/**
 * Makes another key file, not in use yet.
 *
 * @returns Its name.
 */
export async function makeKeyFile(
  kind: KeyKind,
  { folder, clock, newId }: KeyFolder,
): Promise<string> {
  const path = resolve(folder);
  return isSecretKind(kind) ?
      makeSecret(path, `${kind}-${newId()}.key`) :
      makeSigningKey(path, kind, clock, newId);
}

async function makeSecret(path: string, file: string): Promise<string> {
  await writePrivately(path, file, `${randomBytes(secretBytes).toString('base64url')}\n`);
  return file;
}

async function makeSigningKey(path: string, purpose: SigningPurpose, clock: Clock, newId: NewId): Promise<string> {
  const id = newId();
  const { d, x } = makePrivateJwk('Ed25519');
  const jwk = { kty: 'OKP', crv: 'Ed25519', kid: id, created: clock().toISOString(), x, d };
  const file = `${purpose}-${id}.jwk`;
  await writePrivately(path, file, `${JSON.stringify(jwk, undefined, 2)}\n`);
  return file;
}

/** Checks whether a kind is a secret instead of a signing key. */
export function isSecretKind(kind: KeyKind): kind is SecretFileName {
  return kind === 'blind-index' || kind === 'encryption';
}

/** Reads the kind of a key from the name of its file; `undefined` for other files. */
export function kindOf(file: string): KeyKind | undefined {
  return isSigningFile(file) ?
      signingPurposes.find((purpose): boolean => file.startsWith(`${purpose}-`)) :
      secretNames.find((name): boolean => isSecretFile(file) && file.startsWith(name));
}

/** Writes a file atomically and flushes it to disk, so that records never refer to a key that a crash can remove. */
async function writePrivately(path: string, file: string, text: string): Promise<void> {
  const draft = join(path, `.${file}.tmp`);
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, join(path, file));
  const folder = await open(path, 'r');
  await folder.sync().finally(async(): Promise<void> => folder.close());
}

async function listFiles(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).filter((file): boolean => isSecretFile(file) || isSigningFile(file)).sort();
  } catch (error: unknown) {
    const reason = messageOf(error);
    throw new Error(`--keys: cannot read the folder ${path} of the keys of these records: ${reason}`, { cause: error });
  }
}

function isSecretFile(file: string): boolean {
  return /^(?:blind-index|encryption)(?:-[\w-]+)?\.key$/u.test(file);
}

function isSigningFile(file: string): boolean {
  return /^(?:grants|credentials)-[\w-]+\.jwk$/u.test(file);
}

async function readAll<T>(files: string[], read: (file: string) => Promise<T>): Promise<T[]> {
  return Promise.all(files.map(read));
}

async function readPrivately(path: string, file: string): Promise<string> {
  const { mode } = await stat(join(path, file));

  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`--keys: ${join(path, file)} can be read or written by others: give it mode 0600`);
  }
  return readSettingFile('--keys', join(path, file));
}

async function readSecret(path: string, file: string): Promise<SecretFile> {
  const name = secretNames.find((each): boolean => file.startsWith(each));
  const secret = Buffer.from((await readPrivately(path, file)).trim(), 'base64url');
  if (name === undefined || secret.length !== secretBytes) {
    throw new Error(`--keys: ${join(path, file)} is not ${secretBytes} bytes in base64url`);
  }
  return { file, name, secret };
}

async function readSigningKey(path: string, file: string): Promise<SigningFile> {
  const text = await readPrivately(path, file);
  try {
    const purpose = kindOf(file);
    if (!isOneOf(signingPurposes, purpose)) {
      throw new Error('Not a name of ours');
    }
    const id = basename(file, '.jwk').slice(`${purpose}-`.length);
    return { file, purpose, key: parseSigningKey(id, parseOwn(text)) };
  } catch {
    // Without the cause, which could quote the file.
    throw new Error(`--keys: ${join(path, file)} is not an Ed25519 private key as a JWK with a creation time`);
  }
}

function parseSigningKey(id: string, jwk: Record<string, string>): FileKey {
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  const key = localKey(privateKey);
  const { publicKey } = key;
  const createdAt = new Date(jwk.created);
  const { x } = publicKey.export({ format: 'jwk' });
  if (jwk.crv !== 'Ed25519' || x !== jwk.x || Number.isNaN(createdAt.getTime())) {
    throw new Error('Not an Ed25519 key of ours');
  }
  return { ...key, id, privateKey, publicKeyMultibase: encodeMultikey(publicKey), createdAt };
}

function privateBytes(key: KeyObject): Buffer {
  // PKCS #8 ends with the key, of 32 bytes.
  return key.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
}

function fingerprint(secret: Buffer): string {
  return createHash('sha256').update('css-data-sharing key fingerprint').update(secret).digest('hex');
}
