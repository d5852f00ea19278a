import type { Answer } from '../http/Answer';
import type {
  BodySpec,
  Call,
  Operation,
  Parameter,
  ParameterNames,
  SuccessDoc,
  UploadSpec,
  ValuesOf,
} from '../http/Operation';
import type { Clock, NewId } from '../platform/clock';
import type { Logger } from '../platform/logger';
import { isUuid } from '../platform/uuid';
import { opened } from '../platform/opened';
import { ParameterInvalid } from '../problems';
import type { Caller } from '../tokens/Caller';
import type { TokenVerifier } from '../tokens/TokenVerifier';
import type { PlanBodies } from './bodies';
import type { ZoneRules } from './geometry/readZone';
import type { Organisation, Organisations, Role } from './Organisations';
import type { MapRequests } from './MapRequests';
import type { Overlays } from './Overlays';
import type { Packages } from './packages/Packages';
import type { ReportSigner } from './packages/signReport';
import type { PdaZones } from './PdaZones';
import type { Unas } from './Unas';
import type { UnaZones } from './UnaZones';

/** Services for the handlers of plan requests. */
export interface PlanServices {
  verifier: Pick<TokenVerifier, 'verify' | 'verifyAgain'>;
  organisations: Organisations;
  unas: Unas;
  unaZones: UnaZones;
  pdaZones: PdaZones;
  overlays: Overlays;
  mapRequests: MapRequests;
  packages: Packages;
  signer: ReportSigner;
  /** Service area, if there is one. */
  area: ZoneRules['area'];
  logger: Logger;
  newId: NewId;
  now: Clock;
}

/** A call by an organisation. */
export type PlanCall<
  TPath extends string = string,
  TBody = undefined,
  TQuery extends object = object,
> = Call<{ params: ParameterNames<TPath>; body: TBody; query: TQuery }> & { organisation: Organisation };

interface Row<
  TPath extends string,
  TQuery extends Record<string, Parameter>,
  TBody extends keyof PlanBodies,
  TUpload extends UploadSpec,
> extends Omit<
    Operation<PlanServices>,
  'addition' | 'admit' | 'answer' | 'body' | 'caller' | 'path' | 'query' | 'success' | 'upload'
  > {
  path: TPath;
  /** Accepted roles, one of which is enough; any role when empty. */
  roles: readonly Role[];
  query?: TQuery;
  body?: Omit<BodySpec, 'schema'> & { schema: TBody };
  upload?: TUpload;
  success: Record<number, SuccessDoc>;
  /** Reason for the operation, when the change log of the interface does not name it. */
  addition?: string;
  answer: (
    call: PlanCall<
      TPath,
      [TUpload] extends [never] ?
          [TBody] extends [never] ? undefined : PlanBodies[TBody] :
        AsyncIterable<Buffer>,
      [TQuery] extends [never] ? object : ValuesOf<TQuery>
    >,
    services: PlanServices,
  ) => Answer | Promise<Answer>;
}

const organisationId: Parameter = {
  schema: { type: 'string', format: 'uuid' },
  required: true,
  description: 'The organisation that the caller acts for.',
};

/**
 * Makes a row of the table of plan requests, with a path below that of the version. Callers are clients that act for an
 * organisation with one of the roles. Ids in paths are UUIDs, which handlers receive in lower case.
 */
export function planOperation<
  const TPath extends string,
  const TQuery extends Record<string, Parameter> = never,
  TBody extends keyof PlanBodies = never,
  TUpload extends UploadSpec = never,
>(row: Row<TPath, TQuery, TBody, TUpload>): Operation<PlanServices> {
  const { answer, roles, ...operation } = row;
  // The row has these types: the call reader checks each call against it.
  return {
    ...opened<Operation<PlanServices>>(operation),
    caller: 'client',
    headers: { organisationId, ...operation.headers },
    admit({ caller, headers, params }, { organisations }): void {
      organisations.admit(callerOf(caller), headers, roles);
      for (const [ name, value ] of Object.entries(params)) {
        if (!isUuid(value)) {
          throw new ParameterInvalid(`${name} must be a UUID.`);
        }
      }
    },
    answer(call, services): Answer | Promise<Answer> {
      const organisation = services.organisations.admit(callerOf(call.caller), call.headers, roles);
      const params = Object.fromEntries(Object.entries(call.params)
        .map(([ name, value ]): [string, string] => [ name, value.toLowerCase() ]));
      // Caller, parameters and body were checked against the row, so these are its types.
      return answer(opened<Parameters<typeof answer>[0]>({ ...call, params, organisation }), services);
    },
  };
}

/** Returns the caller, which operations for clients always have. */
function callerOf(caller: unknown): Caller {
  return caller as Caller;
}
