import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { getFileNameLowLevel, openPromise, parseExtraFields } from 'yauzl';
import { messageOf } from '../../platform/errors';
import type { PackageFinding } from './Report';

/** A file of a package, which was read to its end once. */
export interface PackageFile {
  name: string;
  size: number;
  /** SHA-256 of its content, base64url. */
  digest: string;
  /** The first bytes. */
  head: Buffer;
  /** Reads it again. */
  read: () => Promise<Buffer>;
}

/** A package that is safe to read. */
export interface OpenArchive {
  files: PackageFile[];
  /** Names of all files and folders, as the zip has them. */
  names: string[];
  findings: PackageFinding[];
  close: () => void;
}

/** Bounds on what a package may hold. */
export interface ArchiveLimits {
  entries: number;
  /** Maximum unpacked bytes of all files together. */
  bytes: number;
  /** Maximum ratio of unpacked to packed bytes, after the first MiB. */
  ratio: number;
}

/** Bounds far above what plan requests need. */
const archiveLimits: ArchiveLimits = { entries: 10_000, bytes: 1024 * 1024 * 1024, ratio: 100 };

const messages: Record<string, string> = {
  'entry-damaged': 'The file is damaged or truncated.',
  'archive-nested': 'A package must not contain archives.',
  'name-ambiguous': 'The file has different names for different readers.',
};
const freeBytes = 1024 * 1024;
/** Enough to recognise any accepted media type, and every archive. */
const headBytes = 262;
const fileTypeMask = 0xF000;
const regularFile = 0x8000;
const folderType = 0x4000;
/** Bytes of the record at the end, without its comment. */
const endRecordBytes = 22;
/** Bytes of the record and the locator of large archives, which come before it. */
const longRecordsBytes = 76;
const longRecord = 0x06064B50;
/** Value of members of the last record that are in the long one instead. */
const inLongRecord = 0xFFFFFFFF;

/**
 * Checks the directory of a zip file before anything is unpacked, and then its files, each of which is read as a stream
 * and not kept.
 *
 * @param path - Path of the zip file.
 * @param progress - Receives the fraction that was read, from 0 to 1.
 * @param limits - Bounds.
 */
export async function openArchive(
  path: string,
  progress?: (part: number) => void,
  limits: ArchiveLimits = archiveLimits,
): Promise<OpenArchive> {
  let zip: ZipFile;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  } catch {
    return refused('archive-unreadable', 'It is not a zip file, or it is truncated.');
  }
  const findings: PackageFinding[] = [];
  function find(rule: string, message: string, file?: string): void {
    findings.push({ step: 'Archive', rule, message, file });
  }
  const files: PackageFile[] = [];
  let names: string[] = [];
  try {
    const start = cursorOf(zip);
    const all = await listEntries(zip, limits, find);
    if (findings.length === 0 && !await hasOneDirectory(path, zip, start)) {
      find('archive-ambiguous', 'It has different files for different readers.');
    }
    names = all.map(nameInZip);
    let done = 0;
    const total = all.reduce((sum, { uncompressedSize }): number => sum + uncompressedSize, 1);
    for (const entry of findings.length > 0 ? [] : all) {
      const file = await readThrough(zip, entry, (bytes): void => {
        done += bytes;
        progress?.(done / total);
      });
      if (typeof file === 'string') {
        find(file, messages[file], entry.fileName);
        break;
      }
      if (!isFolder(entry)) {
        files.push(file);
      }
    }
  } catch {
    find('archive-unreadable', 'Its directory cannot be read.');
  }
  return { files, names, findings, close: (): void => zip.close() };
}

function refused(rule: string, message: string): OpenArchive {
  return { files: [], names: [], findings: [{ step: 'Archive', rule, message }], close: (): undefined => undefined };
}

/** The place in the file up to which the directory was read. */
function cursorOf({ readEntryCursor }: ZipFile): number {
  // The types of the library are wrong.
  return Number(readEntryCursor);
}

/**
 * Checks that every reader of zip files finds the same directory: some trust its start, others its size or the number
 * of its entries. So it must begin and end as the records at the end of the file say, which directly follow it.
 *
 * @see [APPNOTE.TXT 6.3.10, sections 4.3.14 to 4.3.16](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT)
 */
async function hasOneDirectory(path: string, zip: ZipFile, start: number): Promise<boolean> {
  const end = cursorOf(zip);
  const between = zip.fileSize - zip.comment.length - endRecordBytes - end;
  if (between !== 0 && between !== longRecordsBytes) {
    return false;
  }
  const records = await readBytes(path, end, between + endRecordBytes);
  const found = [ end - start, start ];
  const given = [ records.readUInt32LE(between + 12), records.readUInt32LE(between + 16) ];
  if (between === 0) {
    return given.every((value, at): boolean => value === found[at]);
  }
  const long = [ records.readBigUInt64LE(40), records.readBigUInt64LE(48) ];
  return records.readUInt32LE() === longRecord && long.every((value, at): boolean => value === BigInt(found[at])) &&
    given.every((value, at): boolean => [ found[at], inLongRecord ].includes(value));
}

async function readBytes(path: string, from: number, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    return (await file.read(Buffer.alloc(length), 0, length, from)).buffer;
  } finally {
    await file.close();
  }
}

type Find = (rule: string, message: string, file?: string) => void;

/** The library reads a backslash as a slash, which other readers of zip files do not. */
function nameInZip({ fileName, fileNameRaw }: Entry): string {
  return fileNameRaw.includes('\\') ? fileNameRaw.toString('latin1') : fileName;
}

/** Lists the entries of the directory, without unpacking. A package with any finding is not read further. */
async function listEntries(zip: ZipFile, limits: ArchiveLimits, find: Find): Promise<Entry[]> {
  if (zip.entryCount > limits.entries) {
    find('entries-too-many', `A package has at most ${limits.entries} entries.`);
    return [];
  }
  const entries: Entry[] = [];
  const names = new Set<string>();
  let bytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName;
      const flaw = findEntryFault(entry);
      if (flaw) {
        find(...flaw, name);
      }
      const folded = foldName(name);
      if (names.has(folded)) {
        find('name-twice', 'Two entries have this name, or names that differ in case alone.', name);
      }
      names.add(folded);
      bytes += entry.uncompressedSize;
      entries.push(entry);
    }
  } catch (error: unknown) {
    // The library itself refuses these names.
    const isName = /invalid characters|absolute path|invalid relative path/u.test(messageOf(error));
    if (isName) {
      find('name-climbs', 'A name leads out of the folder of the package.');
      return [];
    }
    throw error;
  }
  const wrong = findFileAsFolder(entries);
  if (wrong) {
    find('name-twice', 'A file has the name of a folder.', wrong.fileName);
  }
  if (bytes > limits.bytes) {
    find('archive-too-large', `Unpacked, a package has at most ${limits.bytes} bytes.`);
  } else if (bytes > freeBytes && bytes > zip.fileSize * limits.ratio) {
    find('archive-expands', `Unpacked, a package is at most ${limits.ratio} times larger.`);
  }
  return entries;
}

function isFolder({ fileName }: Entry): boolean {
  return fileName.endsWith('/');
}

/**
 * Returns a name as file systems may understand it: without empty and dot segments, in one case, and, as on Windows,
 * without dots and spaces at the end of a segment.
 */
function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().split('/').map(withoutTail)
    .filter((segment): boolean => segment !== '')
    .join('/');
}

function withoutTail(segment: string): string {
  let end = segment.length;
  while (segment[end - 1] === '.' || segment[end - 1] === ' ') {
    end -= 1;
  }
  return segment.slice(0, end);
}

/** Finds a file that has the name of a folder, too. */
function findFileAsFolder(entries: readonly Entry[]): Entry | undefined {
  const sorted = entries.map((entry): [path: string, entry: Entry] => [ `${foldName(entry.fileName)}/`, entry ])
    .sort(([ one ], [ other ]): number => one < other ? -1 : 1);
  // What is in a folder directly follows it.
  const found = sorted.find(([ path, entry ], at): boolean => {
    const next = sorted.at(at + 1)?.[0];
    return !isFolder(entry) && next !== undefined && next !== path && next.startsWith(path);
  });
  return found?.[1];
}

/**
 * Checks that every reader of zip files finds the same name: some read only the header before the file, and some ignore
 * the extra field for names in Unicode.
 */
async function hasOneName(zip: ZipFile, entry: Entry): Promise<boolean> {
  const { fileName, fileNameRaw, generalPurposeBitFlag } = entry;
  const local = await zip.readLocalFileHeaderPromise(entry);
  const others = [
    getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, [], false),
    getFileNameLowLevel(local.generalPurposeBitFlag, local.fileName, parseExtraFields(local.extraField), false),
  ];
  return local.fileName.equals(fileNameRaw) && others.every((other): boolean => other === fileName);
}

function findEntryFault(entry: Entry): [rule: string, message: string] | undefined {
  const { compressionMethod, externalFileAttributes } = entry;
  if (entry.isEncrypted()) {
    return [ 'entry-encrypted', 'The file is encrypted.' ];
  }
  if (compressionMethod !== 0 && compressionMethod !== 8) {
    return [ 'entry-method', 'The file is compressed by another method than deflate.' ];
  }
  const type = (externalFileAttributes >>> 16) & fileTypeMask;
  return [ 0, regularFile, folderType ].includes(type) ?
    undefined :
      [ 'entry-special', 'The entry is a link or a device.' ];
}

async function readThrough(zip: ZipFile, entry: Entry, count: (bytes: number) => void): Promise<PackageFile | string> {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let checksum = 0;
  try {
    if (!await hasOneName(zip, entry)) {
      return 'name-ambiguous';
    }
    for await (const chunk of await openEntry(zip, entry)) {
      hash.update(chunk);
      checksum = crc32(chunk, checksum);
      if (head.length < headBytes) {
        head = Buffer.concat([ head, chunk.subarray(0, headBytes - head.length) ]);
      }
      count(chunk.length);
    }
  } catch {
    return 'entry-damaged';
  }
  if (checksum !== entry.crc32) {
    return 'entry-damaged';
  }
  if (isArchive(head, entry.fileName)) {
    return 'archive-nested';
  }
  return {
    name: entry.fileName,
    size: entry.uncompressedSize,
    digest: hash.digest('base64url'),
    head,
    read: async(): Promise<Buffer> => {
      const chunks: Buffer[] = [];
      for await (const chunk of await openEntry(zip, entry)) {
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
  };
}

async function openEntry(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> {
  return zip.openReadStreamPromise(entry);
}

/** First bytes of archives: zip, gzip, 7z, rar, bzip2, xz, Zstandard, LZ4, compress, lzip and cabinets. */
const magics = [
  '504b0304',
  '504b0506',
  '1f8b',
  '377abcaf271c',
  '526172211a07',
  '425a68',
  'fd377a585a00',
  '28b52ffd',
  '04224d18',
  '1f9d',
  '4c5a4950',
  '4d534346',
];

/** Recognises archives by their bytes, or by name. */
function isArchive(head: Buffer, name: string): boolean {
  const start = head.subarray(0, 8).toString('hex');
  return magics.some((magic): boolean => start.startsWith(magic)) ||
    head.subarray(257, 262).toString('latin1') === 'ustar' ||
    /\.(?:zip|7z|rar|gz|tgz|tar|bz2|tbz2|xz|txz|zst|lz4|lz|cab)$/iu.test(name);
}
