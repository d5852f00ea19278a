import { realpathSync } from 'node:fs';
import type { FileState } from '../../platform/fileState';
import { isSameState, stateOf } from '../../platform/fileState';

/** A list of a folder that is being read, and the files that this process may add meanwhile. */
export interface FolderReading {
  added: Set<string>;
  /** Set when another process changed the folder meanwhile. */
  isSpoiled: boolean;
}

/** The changes of one folder by this process. */
interface OwnFolder {
  /** Files of each change under way. */
  running: Set<readonly string[]>;
  readings: Set<FolderReading>;
  /** State after the last change. */
  state?: FileState;
}

/** Maximum folders whose last state is kept. */
const maxFolders = 1000;

/**
 * The changes that this process makes in folders, which explain that a folder has another state than before. Changes by
 * other processes during one, or so soon after it that the folder's time stays the same, are not told apart.
 */
export class OwnChanges {
  /** Oldest first. */
  private readonly folders = new Map<string, OwnFolder>();

  /** Checks whether this process is changing a folder. */
  public areRunning(folder: string): boolean {
    return (this.folders.get(folder)?.running.size ?? 0) > 0;
  }

  /** Checks whether changes of this process explain the state of a folder. */
  public explain(folder: string, state: FileState): boolean {
    const own = this.folders.get(folder);
    return own !== undefined && (own.running.size > 0 || (own.state !== undefined && isSameState(own.state, state)));
  }

  /**
   * Notes a change before it is made.
   *
   * @param folder - Path of the folder, as {@link realFolder} returns it.
   * @param names - Names of all files that the change may add.
   *
   * @returns A function to call after the change, which returns the state of the folder when no change is under way.
   */
  public begin(folder: string, names: readonly string[]): () => FileState | undefined {
    const own = this.folderOf(folder);
    const before = safeStateOf(folder);
    const isExplained = before !== undefined && this.explain(folder, before);
    for (const reading of own.readings) {
      reading.isSpoiled ||= !isExplained;
      for (const name of names) {
        reading.added.add(name);
      }
    }
    // Two changes may have the same names.
    const change = [ ...names ];
    own.running.add(change);
    return (): FileState | undefined => {
      own.running.delete(change);
      own.state = own.running.size === 0 ? safeStateOf(folder) : undefined;
      return own.state;
    };
  }

  /** Notes that a folder is going to be read; undefined when its state is not explained. */
  public startReading(folder: string, state: FileState): FolderReading | undefined {
    if (!this.explain(folder, state)) {
      return undefined;
    }
    const own = this.folderOf(folder);
    const reading = { added: new Set([ ...own.running ].flat()), isSpoiled: false };
    own.readings.add(reading);
    return reading;
  }

  /** Ends a reading. Returns true when this process alone has changed the folder meanwhile. */
  public endReading(folder: string, reading: FolderReading): boolean {
    this.folders.get(folder)?.readings.delete(reading);
    const state = safeStateOf(folder);
    return !reading.isSpoiled && state !== undefined && this.explain(folder, state);
  }

  private folderOf(folder: string): OwnFolder {
    const own = this.folders.get(folder) ?? { running: new Set(), readings: new Set() };
    this.folders.delete(folder);
    this.folders.set(folder, own);
    for (const [ oldest, { readings, running }] of this.folders) {
      if (this.folders.size <= maxFolders) {
        break;
      }
      if (oldest !== folder && readings.size + running.size === 0) {
        this.folders.delete(oldest);
      }
    }
    return own;
  }
}

/** Resolves links, so that changes through a link are found; a missing folder stays as it is. */
export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

function safeStateOf(folder: string): FileState | undefined {
  try {
    return stateOf(folder);
  } catch {
    return undefined;
  }
}
