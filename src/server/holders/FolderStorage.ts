import type { KeyValueStorage } from '@solid/community-server';

/** Values whose keys are paths. Reading one folder reads no other. */
export interface FolderStorage {
  /** Returns the values of a folder, by the rest of their keys. */
  below: (folder: string) => KeyValueStorage<string, unknown>;
  /** Lists the names of all folders. */
  folders: () => AsyncIterable<string>;
  /** Removes an empty folder. */
  removeFolder: (folder: string) => Promise<void>;
}
