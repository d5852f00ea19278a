import type { HttpApiSettings } from '../http/HttpApi';
import { HttpApi } from '../http/HttpApi';
import type { Operation } from '../http/Operation';
import type { JsonSchema } from '../platform/jsonSchema';
import { openApi } from './openApi';
import type { OperationGroup } from './OperationGroup';
import { operations as allOperations, standingOperations } from './routes';
import { belgianKey, schemasFor } from './schemas';
import type { Services } from './Services';

/** Settings of the interface. */
export interface ApiSettings extends HttpApiSettings {
  services: Services;
  /** Version that the OpenAPI document names. */
  buildId: string;
  /** The operations beside those of every server; all of this package by default. */
  groups?: readonly OperationGroup[];
  /** The type of business keys; `NATIONAL_NUMBER_BE` by default. */
  businessKeyType?: string;
  /** Value that `aud` of tokens must contain: for the OpenAPI document. */
  audience?: string;
}

/**
 * Makes the HTTP interface of this service: every operation of the table, described by an OpenAPI document.
 *
 * @throws Error when groups of operations contradict each other.
 */
export function createApi(settings: ApiSettings): HttpApi<Services> {
  const { businessKeyType = belgianKey, groups } = settings;
  const operations = groups ? operationsOf(groups) : allOperations;
  const schemas = schemasOf(groups ?? [], schemasFor(businessKeyType));
  return new HttpApi({
    ...settings,
    operations,
    schemas,
    openApi: (): object => openApi(operations, { ...settings, schemas }),
  });
}

/** Those of this package take its services, which those of others know nothing of. */
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
  // Each is given all services, and takes those that it declares.
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
