'use strict';

const { text } = require('node:stream/consumers');
const { loginPage } = require('./loginPage');

/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 */

/**
 * Serves `/interaction/{uid}`, to which the provider sends the browser: shows the login page, takes its answer.
 *
 * @param {import('oidc-provider').default} provider
 * @param {import('./directory').Directory} directory
 * @param {Request} request
 * @param {Response} response
 */
async function handleInteraction(provider, directory, request, response) {
  const interaction = await provider.interactionDetails(request, response);
  if (request.method === 'POST') {
    const answer = new URLSearchParams(await text(request));
    const result = await interactionResult(provider, directory, interaction, answer);
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const clientId = String(interaction.params.client_id);
  const client = await provider.Client.find(clientId);
  sendPage(response, loginPage({
    app: client?.clientName ?? clientId,
    citizens: whoCanLogIn(directory, interaction),
    action: `/interaction/${interaction.uid}`,
  }));
}

/**
 * Everybody, unless the browser is logged in already and only asked for consent.
 *
 * @param {import('./directory').Directory} directory
 * @param {InstanceType<import('oidc-provider').default['Interaction']>} interaction
 */
function whoCanLogIn(directory, interaction) {
  const loggedIn = interaction.session && directory.findCitizen(interaction.session.accountId);
  return interaction.prompt.name === 'consent' && loggedIn ? [ loggedIn ] : directory.citizens;
}

/**
 * Turns the answer of the page into login and consent at once.
 *
 * @param {import('oidc-provider').default} provider
 * @param {import('./directory').Directory} directory
 * @param {InstanceType<import('oidc-provider').default['Interaction']>} interaction
 * @param {URLSearchParams} answer
 *
 * @returns {Promise<import('oidc-provider').InteractionResults>}
 */
async function interactionResult(provider, directory, interaction, answer) {
  const accountId = answer.get('citizen') ?? '';
  const allowed = whoCanLogIn(directory, interaction).some(citizen => citizen.id === accountId);
  if (answer.get('answer') === 'cancel' || !allowed) {
    return { error: 'access_denied', error_description: 'The citizen did not log in' };
  }
  const grant = new provider.Grant({ accountId, clientId: String(interaction.params.client_id) });
  grant.addOIDCScope(String(interaction.params.scope ?? 'openid'));
  return { login: { accountId }, consent: { grantId: await grant.save() }};
}

/**
 * @param {Response} response
 * @param {string} page
 */
function sendPage(response, page) {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
  });
  response.end(page);
}

module.exports = { handleInteraction };
