import { TooManyTests } from '../../problems';
import type { PlanLimits } from '../limits';
import type { PackageStore, WaitingTests } from '../PlanStores';

/** Room for test packages: limits the number of each organisation at a time, and their bytes. */
export class TestRoom {
  /** Bytes now arriving at this process, by organisation. */
  private readonly arriving = new Map<string, number>();

  public constructor(private readonly limits: Pick<PlanLimits, 'testBytes' | 'tests'>) {}

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
    packages: Pick<PackageStore, 'countWaitingTests'>,
    organisationId: string,
    bytes: AsyncIterable<Buffer>,
    take: (bytes: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T> {
    const { arriving } = this;
    const { bytes: waiting, count } = await packages.countWaitingTests(organisationId);
    let own = 0;
    function add(length: number): void {
      own += length;
      arriving.set(organisationId, (arriving.get(organisationId) ?? 0) + length);
    }
    const requireRoom = (): void =>
      this.require({ bytes: waiting + (arriving.get(organisationId) ?? 0), count: count + 1 });
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
  public require({ bytes, count }: WaitingTests): void {
    const { testBytes, tests } = this.limits;
    if (bytes > testBytes || count > tests) {
      const detail = `An organisation may test ${tests} packages at a time, of at most ${testBytes} bytes together.`;
      throw new TooManyTests(detail, { headers: { Connection: 'close' }});
    }
  }
}
