'use strict';

const { json } = require('./json');

/**
 * The server's own account API, as its web pages use it.
 *
 * @typedef {object} Account
 * @property {string} authorization - Value of the `Authorization` header.
 * @property {string} index - URL of the API.
 */

/**
 * @typedef {{ email: string, password: string }} Login
 * @typedef {{ webId: string, podUrl: string }} Pod
 * @typedef {Login & { pods: { name: string }[] }} SeededAccount
 */

/**
 * Logs in to an account with its password.
 *
 * @param {string} base - Base URL of the server.
 * @param {Login} login
 *
 * @returns {Promise<Account>}
 */
async function logInToAccount(base, login) {
  const index = new URL('.account/', base).href;
  const { password } = await controls({ index });
  const { authorization } = await post(password.login, login);
  return { index, authorization: `CSS-Account-Token ${authorization}` };
}

/**
 * Creates an account with a password.
 *
 * @param {string} base
 * @param {Login} login
 *
 * @returns {Promise<Account>}
 */
async function createAccount(base, login) {
  const index = new URL('.account/', base).href;
  const { account: { create }} = await controls({ index });
  const { authorization } = await post(create, {});
  const account = { index, authorization: `CSS-Account-Token ${authorization}` };
  const { password } = await controls(account);
  await post(password.create, login, account);
  return account;
}

/**
 * Creates a pod with a WebID in it.
 *
 * @param {Account} account
 * @param {string} name
 *
 * @returns {Promise<Pod>}
 */
async function createPod(account, name) {
  const { account: { pod: url }} = await controls(account);
  const { pod, webId } = await post(url, { name }, account);
  return { podUrl: pod, webId };
}

/**
 * Makes client credentials with which a script acts as one of the account's WebIDs.
 *
 * @param {Account} account
 * @param {string} webId
 *
 * @returns {Promise<import('./tokens').ClientCredentials>}
 */
async function createClientCredentials(account, webId) {
  const { account: { clientCredentials: url }} = await controls(account);
  const { id, secret } = await post(url, { name: 'script', webId }, account);
  return { id, secret };
}

/**
 * @param {{ index: string, authorization?: string }} account
 *
 * @returns {Promise<Record<'account' | 'password', Record<string, string>>>}
 */
async function controls({ index, authorization }) {
  const headers = { accept: 'application/json', ...authorization ? { authorization } : {}};
  return (await json(await fetch(index, { headers }), 200)).controls;
}

/**
 * @param {string} url
 * @param {unknown} body
 * @param {Account} [account]
 */
async function post(url, body, account) {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...account ? { authorization: account.authorization } : {},
  };
  return json(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }), 200);
}

module.exports = { createAccount, createClientCredentials, createPod, logInToAccount };
