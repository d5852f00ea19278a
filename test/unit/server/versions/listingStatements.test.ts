import { LDP } from '@solid/community-server';
import type { ListedMember } from '../../../../src/server/versions/ListingStorage';
import { statementsOf } from '../../../../src/server/versions/listingStatements';

const container = { path: 'http://localhost:3000/alice/' };

describe('The statements of a listing', (): void => {
  let read: number;

  beforeEach((): void => {
    read = 0;
  });

  async function* members(count: number): AsyncIterableIterator<ListedMember> {
    for (let index = 0; index < count; index += 1) {
      read += 1;
      const identifier = { path: `${container.path}${index}` };
      yield { identifier, modified: new Date(0), mediaType: 'text/plain', size: 1 };
    }
  }

  it('begin once the first member is known.', async(): Promise<void> => {
    const { value } = await statementsOf(container, members(2000)).next();
    expect(value).toMatchObject({ predicate: LDP.terms.contains, object: { value: `${container.path}0` }});
    expect(read).toBe(1);
  });

  it('name up to a thousand members before they describe them.', async(): Promise<void> => {
    const runs: [ string, number ][] = [];
    for await (const { predicate } of statementsOf(container, members(1500))) {
      const kind = predicate.equals(LDP.terms.contains) ? 'name' : 'describe';
      const last = runs.at(-1);
      if (last?.[0] === kind) {
        last[1] += 1;
      } else {
        runs.push([ kind, 1 ]);
      }
    }
    expect(runs).toEqual([[ 'name', 1000 ], [ 'describe', 5000 ], [ 'name', 500 ], [ 'describe', 2500 ]]);
  });
});
