'use strict';

const { randomBytes, randomUUID } = require('node:crypto');
const { login, loginClient } = require('./login');
const { createMemoryAdapter } = require('./MemoryAdapter');
const { errorPage, loggedOutPage, logoutPage, pageHeaders } = require('./pages');

const solidAudience = 'solid';
const signingAlgorithm = 'ES256';

/**
 * @typedef {object} ProviderOptions
 * @property {string} issuer
 * @property {import('./keys').PrivateJwks} jwks
 * @property {import('./directory').Directory} directory
 * @property {(citizen: import('./directory').Citizen) => Promise<string | undefined>} findWebId
 * @property {string} [service] - Base URL of the data-sharing service, when citizens can log in to it.
 * @property {number} [accessTokenSeconds] - An hour by default.
 */

/**
 * Makes the OpenID provider, with the claims that Solid-OIDC and the data-sharing service require.
 *
 * @param {ProviderOptions} options
 *
 * @returns {Promise<import('oidc-provider').default>}
 *
 * @see [Solid-OIDC, section 8](https://solidproject.org/TR/oidc#resource)
 */
async function createProvider(options) {
  const { Provider, errors } = await import('oidc-provider');
  const provider = new Provider(options.issuer, {
    ...claims(options, errors),
    ...protocol(options),
    renderError: (ctx, { error, error_description: description }) => show(ctx, errorPage(description ?? error)),
    ...keysAndStores(options),
    // Browser apps of any origin may log in.
    clientBasedCORS: () => true,
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  });
  provider.on('server_error', (_ctx, error) => process.stderr.write(`${error.message}\n`));
  return provider;
}

/**
 * Claims of tokens: `webid` once the citizen has one, and `citizen_national_id` in access tokens only, since ID tokens
 * go to apps rather than to the data-sharing service. ID tokens for the service itself have it, too, and no claims of
 * Solid, like those of a provider that does not support Solid.
 *
 * @param {ProviderOptions} options
 * @param {typeof import('oidc-provider').errors} errors
 *
 * @returns {import('oidc-provider').Configuration}
 */
function claims({ directory, findWebId, issuer }, errors) {
  /**
   * @param {import('./directory').Citizen} citizen
   */
  async function webIdClaim(citizen) {
    try {
      const webid = await findWebId(citizen);
      return webid === undefined ? {} : { webid };
    } catch (error) {
      process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
      throw new errors.TemporarilyUnavailable('The WebID of the citizen can not be looked up now');
    }
  }

  return {
    claims: { openid: [ 'sub', 'azp' ], webid: [ 'webid' ], [login.scope]: [ 'citizen_national_id', 'name' ]},
    scopes: [ 'openid', 'webid', 'offline_access' ],
    async findAccount(ctx, sub) {
      const citizen = directory.findSubject(issuer, sub);
      return citizen && {
        accountId: sub,
        claims: async() => ctx.oidc.client?.clientId === login.clientId ?
            { sub, citizen_national_id: citizen.nationalNumber, name: citizen.name } :
            { sub, azp: ctx.oidc.client?.clientId, ...await webIdClaim(citizen) },
      };
    },
    async extraTokenClaims(_ctx, token) {
      if (token.clientId === login.clientId) {
        return;
      }
      const citizen = 'accountId' in token ?
          directory.findSubject(issuer, String(token.accountId)) :
          directory.findCitizenOfClient(String(token.clientId));
      return citizen && { citizen_national_id: citizen.nationalNumber, ...await webIdClaim(citizen) };
    },
  };
}

/**
 * Returns the supported flows. Access tokens are JWTs for the audience `solid`, whatever resource an app names. Apps in
 * browsers get a refresh token whether or not they asked for `offline_access`: with `prompt=none` they can't.
 *
 * @param {ProviderOptions} options
 *
 * @returns {import('oidc-provider').Configuration}
 */
function protocol({ accessTokenSeconds = 3600 }) {
  return {
    pkce: { methods: [ 'S256' ], required: () => true },
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    issueRefreshToken: async(_ctx, client, code) => client.grantTypeAllowed('refresh_token') &&
      (code.scopes.has('offline_access') || client.clientAuthMethod === 'none'),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: true },
      introspection: { enabled: true },
      registration: { enabled: true, idFactory: () => randomUUID() },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => show(ctx, logoutPage(form)),
        postLogoutSuccessSource: ctx => show(ctx, loggedOutPage()),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:solid',
        getResourceServerInfo: () => ({
          scope: '',
          audience: solidAudience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: signingAlgorithm }},
        }),
      },
      revocation: { enabled: true },
      userinfo: { enabled: false },
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      ClientCredentials: 600,
      Grant: 86_400,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 3600,
    },
  };
}

/**
 * Shows a page of this issuer, because those of the library load fonts from elsewhere.
 *
 * @param {import('oidc-provider').KoaContextWithOIDC} ctx
 * @param {string} html
 */
function show(ctx, html) {
  ctx.set(pageHeaders);
  ctx.body = html;
}

/**
 * Gives cookies distinct names, because browsers send them to all ports of a host, and the data-sharing server's have
 * the default names of the library.
 *
 * @param {ProviderOptions} options
 *
 * @returns {import('oidc-provider').Configuration}
 */
function keysAndStores({ jwks, directory, service }) {
  return {
    adapter: createMemoryAdapter(),
    jwks: /** @type {import('oidc-provider').JWKS} */ (jwks),
    cookies: {
      keys: [ randomBytes(32).toString('hex') ],
      names: {
        session: 'national_session',
        interaction: 'national_interaction',
        resume: 'national_interaction_resume',
      },
      // Browsers discard cookies with `SameSite=None` that were sent without TLS.
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    clients: [
      ...service === undefined ? [] : [ loginClient(service) ],
      ...directory.clients.map(({ clientId, clientSecret, name }) => ({
        client_id: clientId,
        client_secret: clientSecret,
        client_name: name,
        grant_types: [ 'client_credentials' ],
        redirect_uris: [],
        response_types: /** @type {[]} */ ([]),
      })),
    ],
  };
}

module.exports = { createProvider, solidAudience };
