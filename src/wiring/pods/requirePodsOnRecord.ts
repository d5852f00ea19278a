import type { ResourceStore } from '@solid/community-server';
import type { CitizenStore } from '../../identity/CitizenStore';
import { podIdOf } from '../../pods/resourceUri';

/** Number of citizens whose pods are looked for: one pod may be damaged, or being erased. */
const podsLookedFor = 5;

/** Options of {@link requirePodsOnRecord}. */
export interface PodsOnRecord {
  citizens: Pick<CitizenStore, 'findById' | 'listPage'>;
  resources: Pick<ResourceStore, 'hasResource'>;
  baseUrl: string;
}

/**
 * Checks that there are pods of citizens on record, before anything takes what is missing for removed by its owner: the
 * folder may be another one, not restored yet, or on a disk that is not mounted.
 *
 * @throws Error that names the flag when there are citizens and no pod.
 */
export async function requirePodsOnRecord({ citizens, resources, baseUrl }: PodsOnRecord): Promise<void> {
  // With another base URL, their pods are not looked for.
  const page = (await citizens.listPage('', podsLookedFor, 'ACTIVE'))
    .filter(({ podUrl }): boolean => podUrl.startsWith(baseUrl));
  for (const { podUrl } of page) {
    if (await resources.hasResource({ path: podUrl })) {
      return;
    }
  }
  for (const { id, podUrl } of page) {
    // Another node may have erased the citizen meanwhile.
    if ((await citizens.findById(id))?.state === 'ACTIVE') {
      const name = podIdOf(podUrl);
      throw new Error(`--rootFilePath (-f): no pod of the citizens on record is there, such as ${name}. ` +
        'Give the folder with their pods, mount its disk, or restore them. If all are lost for good, make a folder ' +
        `${name} in it.`);
    }
  }
}
