import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import {
  BasicRepresentation,
  guardStream,
  pipeSafely,
  SuffixAuxiliaryIdentifierStrategy,
} from '@solid/community-server';
import type {
  ExpiringReadWriteLocker,
  Representation,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { RenewedReadsStore } from '../../../../src/server/locks/RenewedReadsStore';

const resource = { path: 'https://pod.example/listing/' };
const parts = 20;

/** Yields one chunk in each turn of the event loop, as from a database. */
async function* slowly(): AsyncIterableIterator<Buffer> {
  for (let index = 0; index < parts; index += 1) {
    await new Promise(setImmediate);
    yield Buffer.alloc(1000);
  }
}

describe('The lock of a read', (): void => {
  let renewed: number;
  let isHeld: boolean;
  let store: RenewedReadsStore;

  beforeEach((): void => {
    renewed = 0;
    isHeld = false;
    const locks: ExpiringReadWriteLocker = {
      async withReadLock<T>(_identifier: ResourceIdentifier, work: (renew: () => void) => T | Promise<T>): Promise<T> {
        isHeld = true;
        const result = await work((): void => {
          renewed += 1;
        });
        isHeld = false;
        return result;
      },
      withWriteLock: async(): Promise<never> => {
        throw new Error('Nothing is written');
      },
    };
    const source: Partial<ResourceStore> = {
      getRepresentation: async(): Promise<Representation> => new BasicRepresentation(
        guardStream(Readable.from(slowly(), { objectMode: false })),
        resource,
        'text/turtle',
      ),
    };
    store = new RenewedReadsStore(source as ResourceStore, locks, new SuffixAuxiliaryIdentifierStrategy('.meta'));
  });

  it('is renewed once there is something to send.', async(): Promise<void> => {
    const { data } = await store.getRepresentation(resource, {});
    expect(renewed).toBe(1);
    data.destroy();
  });

  it('is renewed with each chunk sent, until the end.', async(): Promise<void> => {
    const { data } = await store.getRepresentation(resource, {});
    const seen: number[] = [];
    const sink = new Writable({
      write(_chunk, _encoding, done): void {
        seen.push(renewed);
        done();
      },
    });
    pipeSafely(data, sink);
    await once(sink, 'finish');
    expect(seen).toHaveLength(parts);
    expect(new Set(seen).size).toBe(parts);
    await new Promise(setImmediate);
    expect(isHeld).toBe(false);
  });

  it('is not renewed for a reader that has stopped reading.', async(): Promise<void> => {
    const { data } = await store.getRepresentation(resource, {});
    pipeSafely(data, new Writable({
      highWaterMark: 1,
      write(): void {
        // It never ends.
      },
    }));
    for (let turn = 0; turn < 2 * parts; turn += 1) {
      await new Promise(setImmediate);
    }
    const before = renewed;
    for (let turn = 0; turn < parts; turn += 1) {
      await new Promise(setImmediate);
    }
    expect(renewed).toBe(before);
    expect(isHeld).toBe(true);
    data.destroy();
  });
});
