import type { Clock } from '../../platform/clock';
import type { FileState } from '../../platform/fileState';
import { isQuiet, isSameState, stateOf } from '../../platform/fileState';

/** A file as it was read. */
export interface ReadFile {
  stats: FileState;
  bytes: Buffer;
}

const mostBytes = 32 * 1024 * 1024;

/** Content of small files, kept while the file system reports at every look that they are the same. */
export class FileBytes {
  private readonly files = new Map<string, ReadFile>();
  private total = 0;

  public constructor(private readonly now: Clock) {}

  /** Returns the kept content of a file, if it is still that of the file. */
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
   * Keeps what a file holds, unless it changed just now.
   *
   * @param path - Of the file.
   * @param file - Read whole; its bytes must not be changed.
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
      if (this.total <= mostBytes) {
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
