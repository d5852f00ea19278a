import type { Citizen } from './CitizenStore';

/**
 * URL of the container for a citizen's shared data.
 *
 * In a pod that the citizen brought, the name cannot be known in advance, so nobody can have created it, or rules for
 * it, beforehand.
 */
export function sharesContainer({ brought, id, podUrl }: Pick<Citizen, 'brought' | 'id' | 'podUrl'>): string {
  return brought === 'POD' ? `${podUrl}credentials-${id}/` : `${podUrl}credentials/`;
}
