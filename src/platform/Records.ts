/**
 * Stores, each call of which is independent, and transactions over several calls.
 *
 * @typeParam TStores - The stores, by name: each folder names those that it needs, and none knows all of them.
 */
export type Records<TStores> = TStores & Transactions<TStores>;

/** Transactions over several calls to stores. */
export interface Transactions<TStores> {
  /**
   * Runs work in one database transaction: all of it is durable when the promise resolves, none of it when it rejects.
   * The work must only use the given stores, and must not wait for anything else. It may be repeated when the database
   * requires it, so it must have no other effects.
   */
  transaction: <T>(work: (stores: TStores) => Promise<T>) => Promise<T>;
}
