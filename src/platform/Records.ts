/**
 * Stores, each call on its own, and a way to do several calls as one.
 *
 * @typeParam TStores - The stores, by name: each folder names those that it needs, and none knows all of them.
 */
export type Records<TStores> = TStores & Transactions<TStores>;

/** Several calls to stores, done as one. */
export interface Transactions<TStores> {
  /**
   * Runs work in one database transaction: all of it is durable when the promise resolves, none of it when it rejects.
   * The work must use only the stores it is given, and must not wait for anything but them. It may be run again when
   * the database asks for it, so it leaves nothing behind outside of the stores.
   */
  transaction: <T>(work: (stores: TStores) => Promise<T>) => Promise<T>;
}
