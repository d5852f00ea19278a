import type { WebId } from '../platform/webId';
/** A data-sharing contract: who may request which data, for which purpose, until when. */
export interface Contract {
  id: string;
  /** `{base}v1/contracts/{id}` */
  uri: string;
  /** IRIs in all members are absolute. */
  forDataUser: WebId;
  forDataType: string[];
  forPurpose: string;
  accessMode: 'READ' | 'WRITE';
  /** ISO 8601 duration. */
  accessDuration: string;
  /** ISO 8601 date. */
  startDate?: string;
  endDate?: string;
  /** SHA-256, hex, over the members that must not change after first use. */
  digest: string;
  /** The document as served, with `@id`. */
  document: Record<string, unknown>;
}

/** The contracts of this server. */
export interface ContractCatalogue {
  /** @throws ContractIdInvalid, ContractNotFound */
  get: (id: string) => Contract;
  /**
   * Returns a contract that can be consumed at this moment.
   *
   * @throws ContractIdInvalid, ContractNotFound, ContractNotConsumable
   */
  getConsumable: (id: string, now: Date) => Contract;
  /** Lists all contracts that can be consumed at this moment, by id. */
  listConsumable: (now: Date) => Contract[];
  /** Returns the end of a grant given now: the earlier of `accessDuration` from now and the end of `endDate`. */
  grantExpiry: (contract: Contract, now: Date) => Date;
}
