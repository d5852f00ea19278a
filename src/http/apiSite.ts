import type { ApiSite, Operation } from './Operation';

/**
 * Returns the facts about an API that its index and documentation present.
 *
 * @param baseUrl - Base URL of the server, with a trailing slash.
 * @param operations - Table of operations.
 * @param openApi - Makes the OpenAPI document of the operations; called once, when it is first needed.
 */
export function apiSite(
  baseUrl: string,
  operations: readonly Pick<Operation, 'indexed' | 'method' | 'path'>[],
  openApi: () => object,
): ApiSite {
  const gets = operations.filter(({ method }): boolean => method === 'GET');
  let made: string | undefined;
  return {
    baseUrl,
    openApi: (): string => made ??= JSON.stringify(openApi()),
    paths: gets.map(({ path }): string => path),
    indexed: gets.filter(({ indexed }): boolean => indexed === true).map(({ path }): string => path),
  };
}
