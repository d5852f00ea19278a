import { Initializer } from '@solid/community-server';
import type { CookieStore, ProviderFactory } from '@solid/community-server';
import { serialize } from 'cookie';
import { cleanName } from '../../platform/cleanName';
import { isOutage, outageSeconds } from '../../platform/outage';
import { outageError } from '../outages/unavailable';
import { accountCookie, browserCookie } from '../accounts/accountCookie';
import type { ServicePages } from '../pages/ServicePages';
import { wrapMethod } from '../replacePart';
import type { ClientMetadata, OutsideUrls } from './clientRules';
import type { IdTokenMaker } from './completeIdTokens';
import { completeIdTokens } from './completeIdTokens';
import { findFault, formTargets } from './clientRules';

/** The server's settings of its OIDC library that are changed here. */
interface ProviderConfig {
  cookies?: { long?: object; short?: object; names?: object };
  features?: Record<string, object>;
  extraClientMetadata?: object;
}

/** Responds with an error of the library, which has the members of `out` in its body. */
type RenderError = (context: Context, out: object, error: unknown) => Promise<void>;
interface ErrorConfig {
  renderError: RenderError;
}
type ConfigureErrors = (config: ErrorConfig) => void;
type InitConfig = (...args: unknown[]) => Promise<ProviderConfig>;
type CreateProvider = () => Promise<IdTokenMaker & { use: (middleware: Middleware) => void }>;
type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>;

/** Metadata of a client while the library checks it. */
type CheckedMetadata = ClientMetadata & { invalidate: (message: string) => never };

/** A client, or what was issued to it. */
interface IssuedTo {
  clientId?: string;
}

/** A request to the library. */
interface Context {
  /** False once the response is sent without the library. */
  respond?: boolean;
  status: number;
  method: string;
  body: unknown;
  type: string;
  get: (header: string) => string;
  response: { get: (header: string) => string };
  cookies: { get: (name: string) => string | undefined };
  set: (header: string, value: string) => void;
  remove: (header: string) => void;
  append: (header: string, value: string) => void;
  /** Routes with the path of the request, whatever its method. */
  matched?: { methods: string[] }[];
  oidc?: {
    /** The parsed body of a registration. */
    body?: object;
    route?: string;
    params?: { redirect_uri?: string; logout?: string };
    session?: { accountId?: string; destroyed?: boolean; state?: { secret?: string; postLogoutRedirectUri?: string }};
    client?: { clientId: string; clientName?: string };
  };
}

const policyHeader = 'Content-Security-Policy';
const keySetType = 'application/jwk-set+json';

/**
 * Makes the server's identity provider check the metadata of clients, registered or from a document, restricts the
 * pages that it makes itself, completes its ID tokens, ends the log-in to the account with the session, publishes its
 * keys as JSON, and returns 503 in outages.
 */
export class CarefulIdentityProvider extends Initializer {
  private readonly pages: ServicePages;
  private readonly urls: OutsideUrls;
  private readonly cookies: CookieStore;
  private renderError?: RenderError;

  /**
   * @param factory - The server's own factory of its identity provider.
   * @param pages - Renders the pages of logging out.
   * @param urls - Decides which URLs are on the public internet.
   * @param cookies - Log-ins to accounts.
   */
  public constructor(factory: ProviderFactory, pages: ServicePages, urls: OutsideUrls, cookies: CookieStore) {
    super();
    this.pages = pages;
    this.urls = urls;
    this.cookies = cookies;
    wrapMethod(factory, 'initConfig', (initConfig: InitConfig): InitConfig => async(...args): Promise<ProviderConfig> =>
      this.complete(await initConfig(...args)));
    wrapMethod(factory, 'configureErrors', (own: ConfigureErrors): ConfigureErrors => (config): void => {
      own(config);
      this.completeErrors(config);
    });
    wrapMethod(factory, 'createProvider', (own: CreateProvider): CreateProvider => async(): ReturnType<typeof own> => {
      const provider = await own();
      completeIdTokens(provider);
      provider.use(async(context, next): Promise<void> => this.answerOutages(context, next));
      provider.use(openForms);
      provider.use(publishKeysAsJson);
      provider.use(async(context, next): Promise<void> => this.logOut(context, next));
      return provider;
    });
  }

  public async handle(): Promise<void> {
    // Nothing to do: the constructor makes all changes, before the provider can be requested.
  }

  /**
   * Makes the library respond to outages as the rest of the server does, with 405 where a path has other methods, and
   * with the scheme of clients that could not be authenticated.
   *
   * @see [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)
   */
  private completeErrors(config: ErrorConfig): void {
    const { renderError } = config;
    this.renderError = async(context, out, error): Promise<void> => {
      // That of a body which the library had ready.
      context.remove('Content-Length');
      if (isOutage(error)) {
        context.set('Retry-After', String(outageSeconds));
        const outage = outageError(error);
        return renderError(context, { error: 'temporarily_unavailable', error_description: outage.message }, outage);
      }
      if (this.answerByItself(context)) {
        context.body = out;
        return;
      }
      return renderError(context, out, error);
    };
    config.renderError = this.renderError;
  }

  /** Sets headers that the server would replace by those of pods, if the response needs any. */
  private answerByItself(context: Context): boolean {
    const methods = new Set(context.matched?.flatMap((route): string[] => route.methods));
    if (context.status === 404 && methods.size > 0 && !methods.has(context.method)) {
      context.status = 405;
      context.set('Allow', [ ...methods.add('OPTIONS') ].join(', '));
      return true;
    }
    const isBasic = context.status === 401 && /^basic /iu.test(context.get('Authorization'));
    if (isBasic) {
      context.set('WWW-Authenticate', `Basic realm="${this.pages.baseUrl}"`);
    }
    return isBasic;
  }

  /** Responds to outages that the library does not handle: those of middleware. */
  private async answerOutages(context: Context, next: () => Promise<void>): Promise<void> {
    try {
      // eslint-disable-next-line callback-return -- responds to what it throws
      await next();
    } catch (error: unknown) {
      if (!isOutage(error) || !this.renderError) {
        throw error;
      }
      if (context.respond !== false) {
        await this.renderError(context, {}, error);
      }
    }
  }

  private complete(config: ProviderConfig): ProviderConfig {
    return {
      ...config,
      cookies: this.careful(config.cookies),
      features: {
        ...config.features,
        // Registrations cannot be changed, so nobody needs a token for it.
        registration: { ...config.features?.registration, issueRegistrationAccessToken: false },
        // Anybody can register a client: it learns of its own tokens only.
        introspection: {
          ...config.features?.introspection,
          allowedPolicy: (...[ , client, token ]: [unknown, IssuedTo, IssuedTo]): boolean =>
            client.clientId === token.clientId,
        },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: async(context: Context): Promise<void> => this.askToLogOut(context),
          postLogoutSuccessSource: async(context: Context): Promise<void> => this.showLoggedOut(context),
        },
      },
      // Check each client once: the library calls this for each name in the list.
      extraClientMetadata: {
        properties: [ 'client_name' ],
        validator: (...[ context, , , metadata ]: [Context | undefined, string, unknown, CheckedMetadata]): void =>
          checkClient(metadata, this.urls, context?.oidc?.body),
      },
    };
  }

  /** Prevents cookies of the provider from being sent with requests of other sites, or planted by a neighbour. */
  private careful(cookies: ProviderConfig['cookies']): ProviderConfig['cookies'] {
    const secure = this.pages.baseUrl.startsWith('https:');
    return {
      ...cookies,
      long: { ...cookies?.long, httpOnly: true, sameSite: 'lax', ...secure && { secure }},
      short: { ...cookies?.short, httpOnly: true, sameSite: 'lax', ...secure && { secure }},
      ...secure && { names: { session: '__Host-session' }},
    };
  }

  /**
   * Ends the log-in to the account, too, when somebody logs out of the identity provider. Asks for confirmation when
   * there is only that log-in, as any site could send the browser here.
   *
   * @see [OpenID Connect RP-Initiated Logout 1.0, section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
   */
  private async logOut(context: Context, next: () => Promise<void>): Promise<void> {
    // eslint-disable-next-line callback-return -- reads what the library did
    await next();
    const { params, route, session } = context.oidc ?? {};
    const cookie = context.cookies.get(accountCookie);
    if (cookie === undefined || !await this.cookies.get(cookie)) {
      return;
    }
    if (route === 'end_session' && session?.state?.secret !== undefined && session.accountId === undefined) {
      await this.askToLogOut(context);
    } else if (route === 'end_session_confirm' && params?.logout !== undefined && session?.destroyed === true &&
      !this.isSwitch(session.state?.postLogoutRedirectUri)) {
      await this.cookies.delete(cookie);
      const secure = this.pages.baseUrl.startsWith('https:');
      context.append('Set-Cookie', serialize(browserCookie(secure), '', {
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure,
        expires: new Date(0),
      }));
    }
  }

  /** The library also ends a session by itself, when somebody continues with another WebID of the account. */
  private isSwitch(returnTo = ''): boolean {
    return returnTo.startsWith(new URL('.oidc/auth/', this.pages.baseUrl).href);
  }

  private async askToLogOut(context: Context): Promise<void> {
    context.body = await this.pages.render('oidc/logout', {
      action: new URL('.oidc/session/end/confirm', this.pages.baseUrl).href,
      secret: context.oidc?.session?.state?.secret,
      app: cleanName(context.oidc?.client?.clientName),
    });
  }

  private async showLoggedOut(context: Context): Promise<void> {
    context.type = 'html';
    context.body = await this.pages.render('oidc/logged-out', { app: cleanName(context.oidc?.client?.clientName) });
  }
}

function checkClient(client: CheckedMetadata, urls: OutsideUrls, sent?: object): void {
  const fault = findFault(client, urls, sent);
  if (fault !== undefined) {
    client.invalidate(fault);
  }
  const name = cleanName(client.client_name);
  if (name === undefined) {
    delete client.client_name;
  } else {
    client.client_name = name;
  }
}

/**
 * Allows the forms of pages that the library makes: of log-out, and of responses by `form_post`. They lead to this
 * server or to a verified redirect URI of the client, and browsers check redirects of forms too. These pages contain
 * nothing made by strangers.
 */
async function openForms(context: Context, next: () => Promise<void>): Promise<void> {
  // eslint-disable-next-line callback-return -- reads the response
  await next();
  const policy = context.response.get(policyHeader);
  if (typeof context.body === 'string' && context.type.includes('html') && policy !== '') {
    const { params, session } = context.oidc ?? {};
    const targets = formTargets([ params?.redirect_uri, session?.state?.postLogoutRedirectUri ]);
    context.set(policyHeader, policy.replace(/form-action [^;]*/u, `form-action ${targets.join(' ')}`));
  }
}

/**
 * Sends key sets as `application/json`, because some libraries accept nothing else; callers that ask for the type of
 * key sets get that.
 */
async function publishKeysAsJson(context: Context, next: () => Promise<void>): Promise<void> {
  // eslint-disable-next-line callback-return -- changes the response
  await next();
  if (context.oidc?.route === 'jwks') {
    context.append('Vary', 'Accept');
    context.type = context.get('Accept').includes(keySetType) ? keySetType : 'application/json';
  }
}
