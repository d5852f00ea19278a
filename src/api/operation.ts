import type { CopyDeletion } from '../data-copies/DataCopyService';
import type { CopyReport } from '../data-copies/readReport';
import type { SubscriptionRequest } from '../events/SubscriptionService';
import type { VerificationRequest } from '../grants/GrantVerifier';
import type { Answer } from '../http/Answer';
import type {
  BodySpec,
  Call,
  CallerKind,
  Callers,
  FormSpec,
  Operation,
  Parameter,
  ParameterNames,
  SuccessDoc,
  ValuesOf,
} from '../http/Operation';
import type { BusinessKeyQuestion } from '../verification/BusinessKeyService';
import type { DeriveRequest, IssueRequest, PresentationRequest, StatusChange } from './access';
import type { SchemaName, ShareRequest } from './schemas';
import type { Services } from './Services';

/** Body types of the operations, by the names of their schemas. */
export interface Bodies {
  ShareRequest: ShareRequest;
  BusinessKeyRequest: BusinessKeyQuestion;
  DataCopyReport: CopyReport;
  DataCopyDeletion: CopyDeletion;
  SubscriptionRequest: SubscriptionRequest;
  ReplayRequest: { after?: string };
  IssueRequest: IssueRequest;
  StatusChange: StatusChange;
  VerificationRequest: VerificationRequest;
  DeriveRequest: DeriveRequest;
  PresentationRequest: PresentationRequest;
}

type BodyOf<TBody extends keyof Bodies, TOptional, TFields extends Record<string, Parameter>> =
  [TBody] extends [never] ?
      [TFields] extends [never] ? undefined : ValuesOf<TFields> :
      Bodies[TBody] | (TOptional extends true ? undefined : never);

/** One row of the table. The handler takes the caller, parameters and body that the row declares. */
interface Row<
  TPath extends string,
  TKind extends CallerKind,
  TQuery extends Record<string, Parameter>,
  TBody extends keyof Bodies,
  TOptional extends boolean,
  TFields extends Record<string, Parameter>,
> extends Omit<Operation<Services>, 'path' | 'caller' | 'query' | 'body' | 'form' | 'success' | 'answer'> {
  path: TPath;
  caller: TKind;
  query?: TQuery;
  body?: Omit<BodySpec, 'schema' | 'optional'> & { schema: TBody; optional?: TOptional };
  form?: Omit<FormSpec, 'fields'> & { fields: TFields };
  success: Record<number, Omit<SuccessDoc, 'content'> & { content: Record<string, SchemaName | 'bytes' | object> }>;
  answer: (
    call: Call<{
      caller: Callers[TKind];
      params: ParameterNames<TPath>;
      query: [TQuery] extends [never] ? object : ValuesOf<TQuery>;
      body: BodyOf<TBody, TOptional, TFields>;
    }>,
    services: Services,
  ) => Answer | Promise<Answer>;
}

/**
 * Checks the types of a row of the table. A row compiles only when its handler fits: a row without a caller, for
 * example, cannot have a handler that needs a WebID.
 */
export function operation<
  const TPath extends string,
  TKind extends CallerKind,
  const TQuery extends Record<string, Parameter> = never,
  TBody extends keyof Bodies = never,
  TOptional extends boolean = false,
  const TFields extends Record<string, Parameter> = never,
>(row: Row<TPath, TKind, TQuery, TBody, TOptional, TFields>): Operation<Services> {
  // The call reader checks each call against its row, so at run time a call has the types of its row.
  return row as unknown as Operation<Services>;
}
