'use strict';

const context = 'https://www.w3.org/ns/solid/oidc-context.jsonld';
const timeoutMilliseconds = 5000;
const maxBytes = 65_536;
/** Members that are used. Logos are not, because browsers would fetch them from elsewhere. */
const members = [ 'client_id', 'client_name', 'client_uri', 'redirect_uris', 'post_logout_redirect_uris', 'scope' ];

/**
 * Reads an app's client id document. Nothing is cached, because a document may change.
 *
 * @param {string} clientId
 *
 * @returns {Promise<import('oidc-provider').AdapterPayload | undefined>} Undefined when there is no such document at
 * that URL, which is `https`, or `http` on this machine. The reason is logged.
 *
 * @see [Solid-OIDC, section 5.1](https://solidproject.org/TR/oidc#clientids-document)
 */
async function readClientDocument(clientId) {
  if (!/^(?:https:\/\/|http:\/\/localhost[:/])/u.test(clientId)) {
    return;
  }
  try {
    return describeApp(clientId, await fetchDocument(clientId));
  } catch (error) {
    process.stderr.write(`No client id document at ${clientId}: ${/** @type {Error} */ (error).message}\n`);
  }
}

/**
 * @param {string} clientId
 * @param {Record<string, unknown>} document
 */
function describeApp(clientId, document) {
  if (document.client_id !== clientId || ![ document['@context'] ].flat().includes(context)) {
    throw new Error('its client_id or its context is another');
  }
  return {
    ...Object.fromEntries(members.filter(name => name in document).map(name => [ name, document[name] ])),
    grant_types: [ 'authorization_code', 'refresh_token' ],
    token_endpoint_auth_method: /** @type {const} */ ('none'),
  };
}

/**
 * @param {string} url
 *
 * @returns {Promise<Record<string, unknown>>}
 */
async function fetchDocument(url) {
  const response = await fetch(url, {
    headers: { accept: 'application/ld+json, application/json;q=0.9' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  if (!response.ok) {
    throw new Error(`status ${response.status}`);
  }
  return JSON.parse(await readText(response));
}

/**
 * @param {Response} response
 */
async function readText(response) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (response.body))) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new Error('it is too large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

module.exports = { readClientDocument };
