/* eslint-disable antfu/no-import-dist -- types that the build makes */
import type { Client } from 'openapi-fetch' with { 'resolution-mode': 'import' };
import type { paths } from '../dist/client/interface';

export type { components, operations, paths } from '../dist/client/interface';

/** Settings of {@link createClient}. */
export interface DataSharingClientOptions {
  /** Of the server: `https://pods.example/`. */
  baseUrl: string;
  /**
   * Sends requests, with the token of the caller and its DPoP proof: the `fetch` of a Solid-OIDC session. Without it,
   * only what is public can be called.
   */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Calls the operations of a server, typed by its OpenAPI document. */
export type DataSharingClient = Client<paths>;

/**
 * Makes a client of a server's interface: `client.GET('/v1/contracts/{contractId}', { params: … })`.
 *
 * Every call answers `{ data }` or `{ error }`, a problem document, beside `{ response }`; it rejects only when there
 * is no answer.
 *
 * @see [openapi-fetch](https://openapi-ts.dev/openapi-fetch/)
 */
export function createClient(options: DataSharingClientOptions): DataSharingClient;
