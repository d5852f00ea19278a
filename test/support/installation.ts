import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { citizenNumber, now, sqlitePlace } from '../unit/storage/places';
import type { Place } from '../unit/storage/places';
import { parseWebId } from '../../src/platform/webId';
import { removeFolder, temporaryFolder } from './world';

/** Records in SQLite and pods, like those of a stopped server, but made without one. */
export interface Installation {
  /** Folder for the pods and for files of the test. */
  folder: string;
  place: Place;
  pods: string;
  /** Options of a command on it. */
  on: { records: string; keys: string; pods: string };
  /** Writes a file in the pods. */
  write: (path: string, text: string) => Promise<void>;
  /** Closes the records, which are a single file afterwards. */
  close: () => Promise<void>;
  remove: () => Promise<void>;
}

/** Default base URL of an installation. */
export const installedBase = 'https://pod.example/';

/** Makes an installation with these citizens, an account each, and a few files. */
export async function makeInstallation(citizens = [ 'ann', 'ben' ], base = installedBase): Promise<Installation> {
  const folder = await temporaryFolder();
  const place = await sqlitePlace();
  const pods = join(folder, 'pods');
  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(pods, path)), { recursive: true });
    await writeFile(join(pods, path), text);
  }
  const { close, records, serverSecrets } = await place.open();
  const seals = await serverSecrets.valueSeals();
  const noted = { key: 'setup/current-base-url', payload: base };
  await write('.internal/setup/current-base-url$.json', JSON.stringify(noted));
  for (const [ index, id ] of citizens.entries()) {
    const podUrl = `${base}${id}/`;
    const webId = parseWebId(`${podUrl}profile/card#me`);
    await records.citizens.insertOrGet({ id, webId, podUrl, nationalNumber: citizenNumber(index), createdAt: now });
    await records.citizens.setState(id, 'ACTIVE');
    await records.audit.append({ type: 'webid.created', at: now, personal: { webId }, citizenId: id });
    await write(`${id}/profile/card$.ttl`, `<${webId}> a <http://xmlns.com/foaf/0.1/Person>.`);
    await write(`${id}/.acl`, `# Rules of ${id}`);
    const name = seals.nameOf('/accounts/data/', id);
    const payload = { sealed: seals.seal('/accounts/data/', id, { id }) };
    await write(`.internal/accounts/data/${name}$.json`, JSON.stringify({ key: `accounts/data/${name}`, payload }));
  }
  return {
    folder,
    place,
    pods,
    on: { records: place.records, keys: place.keys, pods },
    write,
    close,
    remove: async(): Promise<void> => {
      await place.remove();
      await removeFolder(folder);
    },
  };
}
