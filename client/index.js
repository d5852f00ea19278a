// @ts-nocheck -- its types are those of index.d.ts
'use strict';

const { default: createOpenApiClient } = require('openapi-fetch');

exports.createClient = function createClient({ baseUrl, fetch = globalThis.fetch }) {
  return createOpenApiClient({ baseUrl, fetch: async request => fetch(request.url, await readRequest(request)) });
};

/** Parts of a request: libraries that make DPoP proofs read method and headers there, and not of a `Request`. */
async function readRequest(request) {
  const { headers, method, redirect, signal } = request;
  const body = request.body ? await request.arrayBuffer() : undefined;
  return { method, headers: Object.fromEntries(headers), redirect, signal, body };
}
