import { randomUUID } from 'node:crypto';
import { HttpError } from '@solid/community-server';
import type { JsonInteractionHandlerInput } from '@solid/community-server';
import type { CallContext } from '../../audit/CallContext';
import { describeForLog } from '../../http/problemDocument';
import { CitizenLogins } from '../../login/CitizenLogins';
import { Problem } from '../../problems';
import { loginSecret } from '../../server/accounts/LoginCookieWriter';
import { currentCorrelationId } from '../../server/connections/correlation';
import { cssLogger } from '../../server/process/CssLogger';

/** Wraps a problem where the server accepts only its own errors. */
export class ProblemHttpError extends HttpError {
  public constructor(public readonly problem: Problem) {
    super(problem.status, problem.name, problem.message);
  }
}

/** Returns the secret to which log-ins of the browser are bound, if it sends one. */
export function browserOf({ metadata }: JsonInteractionHandlerInput): string | undefined {
  const secret = metadata.get(loginSecret)?.value;
  return secret !== undefined && CitizenLogins.isBrowser(secret) ? secret : undefined;
}

/** Facts of the request for the audit record. */
export function loginContext(): CallContext {
  return { correlationId: currentCorrelationId() ?? randomUUID() };
}

/** Runs work, throws its problems in the server's form, and logs their causes. */
export async function withProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error: unknown) {
    if (!(error instanceof Problem)) {
      throw error;
    }
    if (error.cause !== undefined) {
      cssLogger('NationalLogin').warn(`${loginContext().correlationId} ${describeForLog(error)}`);
    }
    throw new ProblemHttpError(error);
  }
}
