import type { Citizen, CitizenState, CitizenStore } from '../identity/CitizenStore';
import { lastOf } from '../platform/lists';

/** All states of citizens. */
export const citizenStates: readonly CitizenState[] = [ 'CREATING', 'ACTIVE', 'DELETING' ];

/** Number of citizens in memory at a time. */
const pageSize = 500;

/** Lists all citizens in order of id, optionally only those in one state. */
export async function* listCitizens(
  citizens: Pick<CitizenStore, 'listPage'>,
  state?: CitizenState,
): AsyncGenerator<Citizen> {
  let last = '';
  for (;;) {
    const page = await citizens.listPage(last, pageSize, state);
    if (page.length === 0) {
      return;
    }
    yield* page;
    last = lastOf(page).id;
  }
}
