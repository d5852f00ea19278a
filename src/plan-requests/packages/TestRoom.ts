import { TooManyTests } from '../../problems';
import type { PackageStore } from '../PlanStores';

/** Disk space for test packages: limits the bytes of each organisation at a time. */
export class TestRoom {
  /** Bytes now arriving at this process, by organisation. */
  private readonly arriving = new Map<string, number>();

  public constructor(private readonly maxBytes: number) {}

  /**
   * Receives a test if there is room for it, besides the tests that wait for validation or are arriving here.
   *
   * @param packages - Store of packages.
   * @param organisationId - Owner of the test.
   * @param bytes - The test.
   * @param take - Receives the bytes, and records the test.
   *
   * @throws TooManyTests
   */
  public async take<T>(
    packages: Pick<PackageStore, 'sizeOfWaitingTests'>,
    organisationId: string,
    bytes: AsyncIterable<Buffer>,
    take: (bytes: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T> {
    const { arriving } = this;
    const waiting = await packages.sizeOfWaitingTests(organisationId);
    let own = 0;
    function add(length: number): void {
      own += length;
      arriving.set(organisationId, (arriving.get(organisationId) ?? 0) + length);
    }
    const requireRoom = (): void => this.require(waiting + (arriving.get(organisationId) ?? 0));
    async function* counted(): AsyncIterable<Buffer> {
      for await (const chunk of bytes) {
        add(chunk.length);
        requireRoom();
        yield chunk;
      }
    }
    requireRoom();
    try {
      return await take(counted());
    } finally {
      add(-own);
    }
  }

  /**
   * Checks the waiting tests again, in the transaction that adds one.
   *
   * @throws TooManyTests
   */
  public require(bytes: number): void {
    if (bytes > this.maxBytes) {
      const detail = `Packages that an organisation tests may have at most ${this.maxBytes} bytes together.`;
      throw new TooManyTests(detail, { headers: { Connection: 'close' }});
    }
  }
}
