import type { WebId } from '../platform/webId';
/** A data-sharing contract: who may ask which data, for what, until when. */
export interface Contract {
  id: string;
  /** `{base}v1/contracts/{id}` */
  uri: string;
  /** Absolute IRIs throughout. */
  forDataUser: WebId;
  forDataType: string[];
  forPurpose: string;
  accessMode: 'READ' | 'WRITE';
  /** ISO 8601 duration. */
  accessDuration: string;
  /** ISO 8601 date. */
  startDate?: string;
  endDate?: string;
  /** SHA-256, hex, over the members that may not change once the contract has been used. */
  digest: string;
  /** The document as it is answered, with `@id`. */
  document: Record<string, unknown>;
}

/** The contracts of this server. */
export interface ContractCatalogue {
  /** @throws ContractIdInvalid, ContractNotFound */
  get: (id: string) => Contract;
  /**
   * The contract, when it can be consumed at this moment.
   *
   * @throws ContractIdInvalid, ContractNotFound, ContractNotConsumable
   */
  getConsumable: (id: string, now: Date) => Contract;
  /** All contracts that can be consumed at this moment, by id. */
  listConsumable: (now: Date) => Contract[];
  /** The end of a grant given now: the earlier of `accessDuration` from now and the end of `endDate`. */
  grantExpiry: (contract: Contract, now: Date) => Date;
}
