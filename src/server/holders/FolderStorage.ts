import type { KeyValueStorage } from '@solid/community-server';

/** Values whose keys are paths. Finding those of one folder reads no others. */
export interface FolderStorage {
  /** The values of a folder, by what their keys have after it. */
  below: (folder: string) => KeyValueStorage<string, unknown>;
  /** The names of all folders. */
  folders: () => AsyncIterable<string>;
  /** Removes what is left of a folder that has no value any more. */
  removeFolder: (folder: string) => Promise<void>;
}
