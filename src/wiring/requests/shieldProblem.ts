import { wrongMethod } from '../../http/wrongMethod';
import { BodyTooLarge, ForeignOrigin, MediaTypeUnsupported, PasswordLoginOff, PathUnknown } from '../../problems';
import type { Problem } from '../../problems';
import type { ShieldRefusal } from '../../server/accounts/BrowserShield';
import { maxAccountBytes } from '../../server/accounts/findAccountRefusal';

/** Problems of requests to the server's own pages, by the reason to refuse them. */
const problems: Record<Extract<ShieldRefusal, string>, () => Problem> = {
  foreign: (): Problem =>
    new ForeignOrigin('Accounts are managed by the pages of this server, or with an account token.'),
  withheld: (): Problem => new PathUnknown(),
  passwordsOff: (): Problem =>
    new PasswordLoginOff('Log-in with a password is off here: log in with your national identity.'),
  tooLarge: (): Problem =>
    new BodyTooLarge(`Account operations accept at most ${maxAccountBytes} bytes, with a Content-Length.`),
  mediaType: (): Problem => new MediaTypeUnsupported('Account operations accept application/json only.'),
};

/**
 * Creates the problem of a request to the server's own pages.
 *
 * @param refusal - The reason to refuse the request.
 * @param method - Method of the request.
 */
export function shieldProblem(refusal: ShieldRefusal, method = 'GET'): Problem {
  return typeof refusal === 'string' ? problems[refusal]() : wrongMethod(method, refusal.methods.join(', '));
}
