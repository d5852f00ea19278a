import { ContainerPathStorage } from '@solid/community-server';
import type { KeyValueStorage } from '@solid/community-server';
import type { SealSource } from '../sealing/SealSource';
import { SealedStorage } from '../sealing/SealedStorage';
import { isRecord } from '../../platform/isRecord';
import type { FolderStorage } from './FolderStorage';

/** Where notes are kept. */
export interface HolderNotesArgs {
  /** The server's own values; the holders are recorded below the path `area`. */
  values: KeyValueStorage<string, unknown>;
  /** The same below that path, by folder. */
  folders: FolderStorage;
  /** Path of the notes. They can be decrypted nowhere else. */
  area: string;
  /** Secrets of the server. */
  seals: SealSource;
}

/** When a value was noted: the note comes first, so one without a value may be of a value that is about to come. */
interface Note {
  at: number;
}

/** Age at which a note without a value is of no use. */
const staleMs = 600_000;
const takenOver = 'taken over';

/**
 * Notes which values somebody has, by their keys: found in one folder, however many values others have. The folder has
 * a sealed name, as all of the server's values.
 */
export class HolderNotes {
  private readonly args: HolderNotesArgs;

  public constructor({ values, folders, area, seals }: HolderNotesArgs) {
    this.args = { values, folders, area, seals };
  }

  /** Notes a value, before it is stored. */
  public async note(holder: string, key: string): Promise<void> {
    const notes = await this.noted(holder);
    if (!await notes.has(key)) {
      await notes.set(key, { at: Date.now() } satisfies Note);
    }
  }

  /** Keys of what somebody has. */
  public async keysOf(holder: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const [ key ] of (await this.listed(holder)).entries()) {
      keys.push(key);
    }
    return keys;
  }

  /** Forgets a value that is gone. */
  public async forget(holder: string, key: string): Promise<void> {
    await (await this.listed(holder)).delete(key);
  }

  /** Removes what is left of the folder of somebody who has nothing any more. */
  public async close(holder: string): Promise<void> {
    await this.args.folders.removeFolder(await this.folderOf(holder));
  }

  /** Takes over what an earlier version has stored: once, before anything is noted. */
  public async takeOver(work: () => Promise<void>): Promise<void> {
    const mark = await this.noted('');
    if (!await mark.has(takenOver)) {
      await work();
      await mark.set(takenOver, { at: Date.now() });
    }
  }

  /** Removes notes of values that are gone. */
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

  /** Notes by the server's own way, in whose wrapping they are stored. */
  private async noted(holder: string): Promise<SealedStorage> {
    const folder = await this.folderOf(holder);
    return this.seal(folder, new ContainerPathStorage(this.args.values, `${this.args.area}${folder}/`));
  }

  /** The same notes, past those of others. */
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
