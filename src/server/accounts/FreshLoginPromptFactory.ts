import { createHash } from 'node:crypto';
import { AccountPromptFactory, importOidcProvider } from '@solid/community-server';
import { opened } from '../../platform/opened';
import { accountCookie } from './accountCookie';
import { authenticatedAt, loggedInAt } from './TimedCookieStore';

type Policy = Parameters<AccountPromptFactory['handle']>[0];

/** Name of the prompt by which the server asks for a log-in to an account. */
const accountPrompt = 'account';

/** Results of the prompts of an app's request, by the name of the prompt. */
type Answers = Record<string, object | undefined> & { account?: { by?: string }};

/** Members of an app's request that are used here. */
export interface AppRequest {
  params: Record<string, unknown>;
  prompts: ReadonlySet<string>;
  result?: Answers;
  session?: { accountId?: string; loginTs?: number };
  entities: { Interaction?: { prompt: { name: string; details: Record<string, unknown> }}};
}

/**
 * Requires a new log-in to the account when an app requests it by `prompt=login`, or by `max_age` with an older log-in.
 * The server itself asks for the WebID only. `auth_time` is the time of the authentication, or of the log-in if only
 * the provider knows the former. A log-in made for one app's request does not count as recent for other apps.
 *
 * @see [OpenID Connect Core 1.0, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
 */
export class FreshLoginPromptFactory extends AccountPromptFactory {
  public override async handle(policy: Policy): Promise<void> {
    await super.handle(policy);
    const { interactionPolicy } = await importOidcProvider();
    // Added by the class above.
    policy.get(accountPrompt)!.checks.add(new interactionPolicy.Check(
      'login_is_old',
      'End-User authentication is required',
      'login_required',
      (context): boolean =>
        needsLogin(opened<AppRequest>(context.oidc), context.cookies.get(accountCookie), Date.now()),
      (): { since: number } => ({ since: Date.now() }),
    ));
  }
}

/**
 * Checks whether a request needs another log-in to the account. A log-in made for this request counts as long as the
 * browser sends the cookie of that log-in.
 *
 * @param request - The request; this function stores the moment of the log-in in its session, and the cookie in its
 * answers.
 * @param cookie - Cookie of the account, already verified.
 * @param now - In ms since 1970.
 */
function needsLogin(request: AppRequest, cookie: string | undefined, now: number): boolean {
  const at = loggedInAt(cookie);
  const authenticated = authenticatedAt(cookie);
  const { entities, params, prompts, result, session } = request;
  if (at !== undefined && session?.accountId !== undefined) {
    session.loginTs = Math.floor((authenticated === 0 ? at : authenticated ?? at) / 1000);
  }
  if (!prompts.has('login') && params.max_age === undefined) {
    return false;
  }
  const by = createHash('sha256').update(cookie ?? '').digest('base64url');
  const isCounted = result?.account?.by === by;
  const isRecent = authenticated !== undefined && now - authenticated <= Number(params.max_age) * 1000 &&
    !prompts.has('login');
  // The result of a log-in is empty as long as no later prompt has been answered.
  const isAnswer = at !== undefined && at >= askedSince(entities.Interaction) && isEmpty(result);
  const counts = isCounted || isRecent || isAnswer;
  request.result = counts ? { ...result, account: { by }} : undefined;
  return !counts;
}

function isEmpty(result: Answers | undefined): boolean {
  return result !== undefined && Object.keys(result).length === 0;
}

/** Returns the moment from which a request waits for a log-in; infinity when it does not wait. */
function askedSince(interaction: AppRequest['entities']['Interaction']): number {
  const { details, name } = interaction?.prompt ?? {};
  return name === accountPrompt && typeof details?.since === 'number' ? details.since : Number.POSITIVE_INFINITY;
}
