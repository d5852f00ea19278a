import { ContainerPathStorage, MaxKeyLengthStorage, MemoryMapStorage } from '@solid/community-server';
import type { KeyValueStorage } from '@solid/community-server';
import type { SealSource } from '../../../../src/server/sealing/SealSource';
import { SealedStorage } from '../../../../src/server/sealing/SealedStorage';
import { ValueSeals } from '../../../../src/storage/keys/ValueSeals';

type Values = KeyValueStorage<string, unknown>;

function seals(byte: number): SealSource {
  const valueSeals = new ValueSeals(Buffer.alloc(32, byte));
  return { secrets: async(): Promise<never> => ({ valueSeals: async(): Promise<ValueSeals> => valueSeals }) as never };
}

function nameOf(key: string): string {
  return new ValueSeals(Buffer.alloc(32, 1)).nameOf('/cookies/', key);
}

async function listAll(values: Values): Promise<[string, unknown][]> {
  const all: [string, unknown][] = [];
  for await (const entry of values.entries()) {
    all.push(entry);
  }
  return all.sort(([ left ], [ right ]): number => left.localeCompare(right));
}

describe('A SealedStorage', (): void => {
  let stored: Values;
  let values: SealedStorage;

  beforeEach((): void => {
    stored = new MemoryMapStorage();
    values = new SealedStorage(stored, '/cookies/', seals(1));
  });

  it('stores values by their keys.', async(): Promise<void> => {
    await values.set('a', { expires: 1 });
    await values.set('b/c', [ 'list' ]);
    await expect(values.get('a')).resolves.toEqual({ expires: 1 });
    await expect(values.get('missing')).resolves.toBeUndefined();
    await expect(values.has('b/c')).resolves.toBe(true);
    await expect(listAll(values)).resolves.toEqual([[ 'a', { expires: 1 }], [ 'b/c', [ 'list' ]]]);
    await expect(values.delete('a')).resolves.toBe(true);
    await expect(values.has('a')).resolves.toBe(false);
  });

  it('stores neither keys nor values in readable form.', async(): Promise<void> => {
    await values.set('session cookie', { payload: 'account id' });
    expect(JSON.stringify(await listAll(stored))).not.toMatch(/session|account/u);
  });

  it('finds nothing with another secret, or in another area.', async(): Promise<void> => {
    await values.set('a', 1);
    const elsewhere = new SealedStorage(stored, '/x/', seals(1));
    for (const other of [ new SealedStorage(stored, '/cookies/', seals(2)), elsewhere ]) {
      await expect(other.get('a')).resolves.toBeUndefined();
      await expect(listAll(other)).resolves.toEqual([]);
    }
  });

  it('opens no value under another\'s name.', async(): Promise<void> => {
    await values.set('mine', 'my account');
    await values.set('victim', 'their account');
    await stored.set(nameOf('mine'), await stored.get(nameOf('victim')));
    await expect(values.get('mine')).rejects.toThrow('unable to authenticate');
    await expect(listAll(values)).resolves.toEqual([[ 'victim', 'their account' ]]);
  });

  it('accepts no value in clear.', async(): Promise<void> => {
    await stored.set(nameOf('forged'), 'victim');
    await expect(values.get('forged')).resolves.toBeUndefined();
  });

  it('encrypts existing values, resuming after an interruption, in the server\'s wrapper.', async():
  Promise<void> => {
    const all = new MaxKeyLengthStorage(stored as KeyValueStorage<string, { key: string; payload: unknown }>);
    const part = new ContainerPathStorage(all, '/accounts/cookies/');
    const other = new ContainerPathStorage(all, '/setup/');
    const long = 'x'.repeat(300);
    await part.set('old', 1);
    await part.set(long, 2);
    await other.set('current-base-url', 'http://localhost/');
    const sealed = new SealedStorage(part, '/cookies/', seals(1));
    await expect(sealed.takeOver()).resolves.toBe(2);
    await part.set('left', 3);
    await expect(sealed.takeOver()).resolves.toBe(1);
    await expect(sealed.takeOver()).resolves.toBe(0);
    await expect(listAll(sealed)).resolves.toEqual([[ 'left', 3 ], [ 'old', 1 ], [ long, 2 ]]);
    await expect(sealed.get(long)).resolves.toBe(2);
    await expect(listAll(other)).resolves.toEqual([[ 'current-base-url', 'http://localhost/' ]]);
    expect(JSON.stringify(await listAll(stored))).not.toMatch(/"(?:accounts\/cookies\/)?(?:old|left|x+)"/u);
  });

  it('takes nothing over beside values that are sealed with the secret of other records.', async(): Promise<void> => {
    await values.set('old', 1);
    await stored.set('clear', 2);
    const other = new SealedStorage(stored, '/cookies/', seals(2));
    await expect(other.takeOver()).rejects.toThrow('--records: ');
    await expect(stored.get('clear')).resolves.toBe(2);
    await expect(values.get('old')).resolves.toBe(1);
  });
});
