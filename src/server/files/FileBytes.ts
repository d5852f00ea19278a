import type { Clock } from '../../platform/clock';
import type { FileState } from '../../platform/fileState';
import { isQuiet, isSameState, stateOf } from '../../platform/fileState';

/** A file as read. */
export interface ReadFile {
  stats: FileState;
  bytes: Buffer;
}

const maxBytes = 32 * 1024 * 1024;

/** Caches the content of small files for as long as the file system reports them unchanged. */
export class FileBytes {
  private readonly files = new Map<string, ReadFile>();
  private total = 0;

  public constructor(private readonly now: Clock) {}

  /** Returns the cached content of a file, if the file is unchanged. */
  public find(path: string): ReadFile | undefined {
    const file = this.files.get(path);
    if (!file) {
      return undefined;
    }
    const state = stateOf(path);
    if (state && isSameState(state, file.stats)) {
      return file;
    }
    this.forget(path, file);
    return undefined;
  }

  /**
   * Caches the content of a file, unless it changed just now.
   *
   * @param path - Path of the file.
   * @param file - The whole file; its bytes must not be modified.
   */
  public keep(path: string, file: ReadFile): void {
    if (!isQuiet(file.stats, this.now())) {
      return;
    }
    const before = this.files.get(path);
    if (before) {
      this.forget(path, before);
    }
    this.files.set(path, file);
    this.total += file.bytes.length;
    for (const [ oldest, each ] of this.files) {
      if (this.total <= maxBytes) {
        break;
      }
      this.forget(oldest, each);
    }
  }

  private forget(path: string, { bytes }: ReadFile): void {
    this.files.delete(path);
    this.total -= bytes.length;
  }
}
