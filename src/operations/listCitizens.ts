import type { Citizen, CitizenState, CitizenStore } from '../identity/CitizenStore';

/** Every state a citizen can be in. */
export const citizenStates: readonly CitizenState[] = [ 'CREATING', 'ACTIVE', 'DELETING' ];

/** Citizens that are held at a time. */
const pageSize = 500;

/** All citizens, in the order of their ids, however many; those in a state when one is given. */
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
    last = page.at(-1)!.id;
  }
}
