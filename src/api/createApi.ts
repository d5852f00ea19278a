import { apiSite } from '../http/apiSite';
import type { CallReaderOptions } from '../http/CallReader';
import { CallReader } from '../http/CallReader';
import { HttpApi } from '../http/HttpApi';
import type { Operation } from '../http/Operation';
import { Routes } from '../http/Routes';
import type { JsonSchema } from '../platform/jsonSchema';
import { openApi } from './openApi';
import type { OperationGroup } from './OperationGroup';
import { operations as allOperations, standingOperations } from './routes';
import { belgianKey, schemasFor } from './schemas';
import type { Services } from './Services';

/** Settings of the interface. */
export interface ApiSettings extends Pick<CallReaderOptions, 'bodyLimits' | 'legacyTokensSunset' | 'limits'> {
  /** Base URL of this server, with a trailing slash. */
  baseUrl: string;
  services: Services;
  /** Version in the OpenAPI document. */
  buildId: string;
  /** Optional groups of operations, added to those that every server has; by default all groups of this package. */
  groups?: readonly OperationGroup[];
  /** The type of business keys; `NATIONAL_NUMBER_BE` by default. */
  businessKeyType?: string;
  /** Value that the `aud` claim of tokens must contain, for the OpenAPI document. */
  audience?: string;
}

/**
 * Creates the HTTP interface of this service: every operation of the table, and the OpenAPI document that describes
 * them.
 *
 * @throws Error when groups of operations conflict.
 */
export function createApi(settings: ApiSettings): HttpApi<Services> {
  const { baseUrl, bodyLimits, businessKeyType = belgianKey, groups, legacyTokensSunset, limits, services } = settings;
  const operations = groups ? operationsOf(groups) : allOperations;
  const schemas = schemasOf(groups ?? [], schemasFor(businessKeyType));
  const site = apiSite(baseUrl, operations, (): object => openApi(operations, { ...settings, schemas }));
  return new HttpApi({
    baseUrl,
    routes: new Routes({ operations, schemas }),
    reader: new CallReader({ verifier: services.verifier, limits, bodyLimits, site, legacyTokensSunset }),
    services,
  });
}

/** Combines the operations of all groups. Only groups of this package know its services. */
function operationsOf(groups: readonly OperationGroup[]): readonly Operation<Services>[] {
  const operations = [ ...groups.flatMap((group): readonly Operation[] => group.operations()), ...standingOperations ];
  const ids = operations.map(({ operationId }): string => operationId);
  const twice = ids.find((id, at): boolean => ids.indexOf(id) < at);
  if (twice !== undefined) {
    throw new Error(`Two operations are called ${twice}`);
  }
  const outside = operations.find(({ path }): boolean =>
    !/^\/(?:v1|\.access|\.app|\.uma|\.well-known)(?:\/|$)/u.test(path));
  if (outside) {
    throw new Error(`The operation ${outside.operationId} must be under /v1/, not at ${outside.path}`);
  }
  // Each handler receives all services, and uses those that it declares.
  return operations as readonly Operation[] as readonly Operation<Services>[];
}

function schemasOf(
  groups: readonly OperationGroup[],
  own: Readonly<Record<string, JsonSchema>>,
): Record<string, JsonSchema> {
  const schemas = { ...own };
  const added = groups.flatMap((group): [string, JsonSchema][] => Object.entries(group.schemas ?? {}));
  for (const [ name, schema ] of added) {
    if (Object.hasOwn(schemas, name)) {
      throw new Error(`Two schemas of operations are called ${name}`);
    }
    schemas[name] = schema;
  }
  return schemas;
}
