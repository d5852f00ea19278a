'use strict';

const { signCitizenToken } = require('./citizenToken');

const timeoutMilliseconds = 5000;

/**
 * Asks the data-sharing service for the WebID of a citizen. Nothing is cached: a WebID can be removed.
 *
 * @param {object} question
 * @param {string} question.service - Base URL of the data-sharing service.
 * @param {string} question.issuer
 * @param {import('./keys').PrivateJwks} question.jwks
 * @param {import('./directory').Citizen} question.citizen
 *
 * @returns {Promise<string | undefined>} Undefined when the citizen has none.
 *
 * @throws When the service does not respond, because a token must not lack the WebID of a citizen who has one.
 */
async function findWebId({ service, issuer, jwks, citizen }) {
  const { nationalNumber } = citizen;
  const token = await signCitizenToken({ jwks, issuer, nationalNumber, clientId: issuer, audience: 'solid' });
  const response = await fetch(new URL('v1/webids', service), {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  if (response.status === 404) {
    await response.arrayBuffer();
    return;
  }
  if (!response.ok) {
    throw new Error(`The data-sharing service answered ${response.status} to the question for a WebID`);
  }
  const { uri } = /** @type {{ uri: string }} */ (await response.json());
  return uri;
}

module.exports = { findWebId };
