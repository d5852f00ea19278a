import type { IncomingMessage } from 'node:http';
import { Problem } from '../../problems';
import { challenge } from '../../tokens/challenge';

/** A request, by what is the same in all steps of its handling. */
type Request = Pick<IncomingMessage, 'headers'>;

const scheme = 'WWW-Authenticate';
const challenges = new WeakMap<Request, string>();

/** Notes that the token of a request on a pod is refused: the server continues without it, but a 401 says so. */
export function noteRefusedToken(request: Request, error: unknown): void {
  const header = error instanceof Problem ? error.headers[scheme] : undefined;
  if (header !== undefined) {
    challenges.set(request, header);
  }
}

/** Notes that the requesting party token of a request is refused. */
export function noteRefusedRpt(request: Request): void {
  challenges.set(request, challenge('Bearer', 'invalid_token')[scheme]);
}

/** Returns the ordinary challenge for a request, with the error of its token, if it had one. */
export function challengeOf(request: Request): string {
  return challenges.get(request) ?? challenge()[scheme];
}
