import type { Citizen } from './CitizenStore';

/**
 * URL of the container that a citizen's shared data goes to.
 *
 * In a pod that was there before, its name is one that nobody knew: nothing can stand there already, nor rules that
 * somebody has put there in advance.
 */
export function sharesContainer({ brought, id, podUrl }: Pick<Citizen, 'brought' | 'id' | 'podUrl'>): string {
  return brought === 'POD' ? `${podUrl}credentials-${id}/` : `${podUrl}credentials/`;
}
