import { TooManyTests } from '../../problems';
import type { PackageStore } from '../PlanStores';

/** Room on the disk for packages that are tried: so many bytes of each organisation at a time. */
export class TestRoom {
  /** Bytes that arrive at this process, by organisation. */
  private readonly arriving = new Map<string, number>();

  public constructor(private readonly maxBytes: number) {}

  /**
   * Takes a test for as long as there is room, beside those that wait for their judgement and those that arrive at this
   * process.
   *
   * @param packages - Those of the records.
   * @param organisationId - Whose test it is.
   * @param bytes - The test.
   * @param take - Receives the bytes, and puts the test on record.
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
   * Checks what waits once more, in the transaction that adds to it.
   *
   * @throws TooManyTests
   */
  public require(bytes: number): void {
    if (bytes > this.maxBytes) {
      const detail = `Packages of an organisation that are tried may have ${this.maxBytes} bytes at a time.`;
      throw new TooManyTests(detail, { headers: { Connection: 'close' }});
    }
  }
}
