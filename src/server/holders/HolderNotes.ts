import { ContainerPathStorage } from '@solid/community-server';
import type { KeyValueStorage } from '@solid/community-server';
import type { SealSource } from '../sealing/SealSource';
import { SealedStorage } from '../sealing/SealedStorage';
import { isRecord } from '../../platform/isRecord';
import { RefusedSetting } from '../../platform/RefusedSetting';
import type { FolderStorage } from './FolderStorage';

/** Place of the notes. */
export interface HolderNotesArgs {
  /** The server's own values; the holders are recorded below the path `area`. */
  values: KeyValueStorage<string, unknown>;
  /** The same values below that path, by folder. */
  folders: FolderStorage;
  /** Path of the notes, which cannot be decrypted under another path. */
  area: string;
  /** Secrets of the server. */
  seals: SealSource;
}

/** Time of a note. A note is written before its value, so the value may be missing at first. */
interface Note {
  at: number;
}

/** Age at which a note without a value can be removed. */
const staleMs = 600_000;
const takenOver = 'taken over';

/**
 * Notes of the values of each holder, by key. The notes of one holder are in one folder, so finding them takes as long
 * however many values others have. The name of the folder is sealed, like all of the server's values.
 */
export class HolderNotes {
  private readonly args: HolderNotesArgs;

  public constructor({ values, folders, area, seals }: HolderNotesArgs) {
    this.args = { values, folders, area, seals };
  }

  /** Adds a note of a value. Call before storing the value. */
  public async note(holder: string, key: string): Promise<void> {
    const notes = await this.noted(holder);
    if (!await notes.has(key)) {
      await notes.set(key, { at: Date.now() } satisfies Note);
    }
  }

  /** Checks whether there is a note of a value: whoever removes a holder's values also removes their notes. */
  public async has(holder: string, key: string): Promise<boolean> {
    return (await this.noted(holder)).has(key);
  }

  /** Lists the keys of a holder's values. */
  public async keysOf(holder: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const [ key ] of (await this.listed(holder)).entries()) {
      keys.push(key);
    }
    return keys;
  }

  /** Removes the note of a removed value. */
  public async forget(holder: string, key: string): Promise<void> {
    await (await this.listed(holder)).delete(key);
  }

  /** Removes the folder of a holder without any values. */
  public async close(holder: string): Promise<void> {
    await this.args.folders.removeFolder(await this.folderOf(holder));
  }

  /**
   * Runs the migration from an earlier version once, before any note is added.
   *
   * @throws RefusedSetting when notes are not found where they are listed: log-ins of a holder could not be ended.
   */
  public async takeOver(work: () => Promise<void>): Promise<void> {
    const marks = await this.listed('');
    if (await marks.has(takenOver)) {
      return;
    }
    await work();
    await (await this.noted('')).set(takenOver, { at: Date.now() });
    if (!await marks.has(takenOver)) {
      throw new RefusedSetting('--config: accounts and log-ins must be stored as files, by ' +
        'css:config/storage/key-value/resource-store.json.');
    }
  }

  /** Removes notes of missing values. */
  public async sweep(isThere: (key: string) => Promise<boolean>, now: number): Promise<void> {
    const own = await this.folderOf('');
    for await (const folder of this.args.folders.folders()) {
      const notes = this.seal(folder, this.args.folders.below(folder));
      for await (const [ key, note ] of folder === own ? [] : notes.entries()) {
        if (isRecord(note) && Number(note.at) < now - staleMs && !await isThere(key)) {
          await notes.delete(key);
        }
      }
    }
  }

  /** Returns the notes for writing, in the wrapping that the server's own storage uses. */
  private async noted(holder: string): Promise<SealedStorage> {
    const folder = await this.folderOf(holder);
    return this.seal(folder, new ContainerPathStorage(this.args.values, `${this.args.area}${folder}/`));
  }

  /** Returns the notes for listing, without those of other holders. */
  private async listed(holder: string): Promise<SealedStorage> {
    const folder = await this.folderOf(holder);
    return this.seal(folder, this.args.folders.below(folder));
  }

  private seal(folder: string, notes: KeyValueStorage<string, unknown>): SealedStorage {
    return new SealedStorage(notes, `${this.args.area}${folder}/`, this.args.seals);
  }

  private async folderOf(holder: string): Promise<string> {
    return (await (await this.args.seals.secrets()).valueSeals()).nameOf(this.args.area, holder);
  }
}
