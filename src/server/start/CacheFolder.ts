import { createHash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const suffix = '.json';
/** Maximum entries; beyond it, the oldest unused ones are removed. */
const maxEntries = 30;
const writableByOthers = 0o022;
const sticky = 0o1000;

/**
 * A folder of files that decide which code runs. It is used only when nobody else can have written to it than those who
 * can change the code: root, the owner of the code and the user of this process.
 */
export class CacheFolder {
  private readonly path: string;
  private readonly owners: ReadonlySet<number>;
  private readonly isBesideCode: boolean;

  /**
   * @param path - The folder; created at the first write.
   * @param codeOwner - User id of the owner of the code.
   * @param isBesideCode - True when the folder above contains code as well; otherwise all folders above are checked,
   * too.
   */
  public constructor(path: string, codeOwner: number, isBesideCode: boolean) {
    this.path = path;
    // Where it is missing, there is no cache: see startCache.
    this.owners = new Set([ 0, process.geteuid!(), codeOwner ]);
    this.isBesideCode = isBesideCode;
  }

  /**
   * Returns the content of an entry; undefined when it is missing, damaged, or cannot be trusted.
   *
   * @param key - Letters and digits.
   */
  public read(key: string): string | undefined {
    try {
      const text = this.isTrusted() ? this.readTrusted(join(this.path, key + suffix)) : '';
      const [ digest ] = text.split('\n', 1);
      const content = text.slice(digest.length + 1);
      return digest === digestOf(content) ? content : undefined;
    } catch {
      // Missing or unreadable.
    }
  }

  /**
   * Writes an entry atomically, so that readers and other writers never see a part of it.
   *
   * @param key - Letters and digits.
   * @param isPublic - True when other users may read it.
   *
   * @returns False when it could not be written, as on a read-only file system.
   */
  public write(key: string, content: string, isPublic: boolean): boolean {
    try {
      mkdirSync(this.path, { recursive: !this.isBesideCode, mode: 0o755 });
    } catch {
      // It exists already, or cannot be created.
    }
    const file = join(this.path, key + suffix);
    const draft = `${file}.${randomUUID()}`;
    try {
      if (!this.isTrusted()) {
        return false;
      }
      this.writeDraft(draft, `${digestOf(content)}\n${content}`, isPublic ? 0o644 : 0o600);
      renameSync(draft, file);
      this.removeOldest();
      return true;
    } catch {
      rmSync(draft, { force: true });
      return false;
    }
  }

  private isTrusted(): boolean {
    const folder = lstatSync(this.path);
    return folder.isDirectory() && this.isOurs(folder) && (this.isBesideCode || this.areFoldersAboveTrusted());
  }

  /** Checks that nobody else can replace one of the folders above. */
  private areFoldersAboveTrusted(): boolean {
    for (let folder = this.path; folder !== dirname(folder); folder = dirname(folder)) {
      const above = lstatSync(dirname(folder));
      if (!above.isDirectory() || !(this.isOurs(above) || (above.mode & sticky && this.owners.has(above.uid)))) {
        return false;
      }
    }
    return true;
  }

  private isOurs({ uid, mode }: Stats): boolean {
    return this.owners.has(uid) && (mode & writableByOthers) === 0;
  }

  private readTrusted(file: string): string {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(descriptor);
      return stats.isFile() && this.isOurs(stats) ? readFileSync(descriptor, 'utf8') : '';
    } finally {
      closeSync(descriptor);
    }
  }

  private writeDraft(draft: string, text: string, mode: number): void {
    const descriptor = openSync(draft, 'wx', mode);
    try {
      writeFileSync(descriptor, text);
      // Regardless of the umask.
      fchmodSync(descriptor, mode);
    } finally {
      closeSync(descriptor);
    }
  }

  private removeOldest(): void {
    const files = readdirSync(this.path).map((name): string => join(this.path, name))
      .map((file): [ string, number ] => [ file, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 ])
      .sort(([ , a ], [ , b ]): number => b - a);
    for (const [ file ] of files.slice(maxEntries)) {
      rmSync(file, { force: true });
    }
  }
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
