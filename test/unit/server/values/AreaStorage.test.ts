import { ContainerPathStorage } from '@solid/community-server';
import { AreaStorage } from '../../../../src/server/values/AreaStorage';
import type { Store, Values } from '../holders/valueStores';
import { counted, stores } from '../holders/valueStores';
import { array, assert, asyncProperty, constantFrom, jsonValue, record } from '../../../support/properties';

const areas = [ '/accounts/data/', '/accounts/index/', '/accounts/index/webId/' ];
const keys = [
  'accounts/data/one',
  'accounts/data/two.json',
  `accounts/data/${'x'.repeat(200)}`,
  'accounts/index/webId/http%3A%2F%2Flocalhost%3A3000%2Fcaf%C3%A9%23me',
  'accounts/index/a b',
  'idp/adapter/one',
];

/** All entries, by key. */
async function entriesOf(values: Values): Promise<Record<string, unknown>> {
  const entries: Record<string, unknown> = {};
  for await (const [ key, value ] of values.entries()) {
    entries[key] = value;
  }
  return entries;
}

describe.each(stores)('AreaStorage on %s', (_, open): void => {
  let store: Store;

  beforeEach(async(): Promise<void> => {
    store = await open();
  });

  afterEach(async(): Promise<void> => {
    await store.remove();
  });

  it('reads, writes and lists what the storage of the server does.', async(): Promise<void> => {
    const step = record({
      at: constantFrom(...keys),
      does: constantFrom('delete', 'set', 'set'),
      value: jsonValue({ maxDepth: 2 }),
    });
    await assert(asyncProperty(array(step, { maxLength: 10 }), async(steps): Promise<void> => {
      for (const path of areas) {
        const area = new AreaStorage(store.values, store.at('/'), path);
        const stock = new ContainerPathStorage(store.values, path);
        for (const { at, does, value } of steps.filter((each): boolean => `/${each.at}`.startsWith(path))) {
          const key = at.slice(path.length - 1);
          await (does === 'set' ? area.set(key, value) : area.delete(key));
          await expect(stock.get(key)).resolves.toEqual(await area.get(key));
        }
        await expect(entriesOf(area)).resolves.toEqual(await entriesOf(stock));
      }
    }), { numRuns: 10 });
  });

  it('lists no values outside of it.', async(): Promise<void> => {
    for (const key of keys) {
      await store.values.set(key, key);
    }
    let read = 0;
    function count(): void {
      read += 1;
    }
    const area = new AreaStorage(counted(store.values, count), counted(store.at('/'), count), '/idp/adapter/');
    await expect(entriesOf(area)).resolves.toEqual({ one: 'idp/adapter/one' });
    expect(read).toBe(1);
  });
});
