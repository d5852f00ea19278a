'use strict';

/** Names for the log-in of citizens to the data-sharing service, which is a client of this issuer. */
const login = {
  clientId: 'data-sharing',
  /** Id of this issuer at the service. */
  provider: 'example',
  /** Scope that adds the national number to ID tokens, for that client alone. */
  scope: 'national-number',
};

/**
 * @param {string} service - Base URL of the service.
 *
 * @returns {import('oidc-provider').ClientMetadata}
 */
function loginClient(service) {
  return {
    client_id: login.clientId,
    client_name: 'Data-sharing service',
    redirect_uris: [ `${service}.account/login/national/${login.provider}/` ],
    post_logout_redirect_uris: [ `${service}.account/login/` ],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: `${service}.oidc/jwks`,
  };
}

module.exports = { login, loginClient };
