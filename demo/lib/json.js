'use strict';

/**
 * @param {Response} response
 * @param {number} status - The expected status.
 */
async function json(response, status) {
  const text = await response.text();
  if (response.status !== status) {
    throw new Error(`${new URL(response.url).pathname} answered ${response.status}: ${text}`);
  }
  return JSON.parse(text);
}

module.exports = { json };
