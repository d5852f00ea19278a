'use strict';

const { text } = require('node:stream/consumers');
const { loginPage, pageHeaders } = require('./pages');

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
  response.writeHead(200, pageHeaders).end(loginPage({
    address: new URL(String(interaction.params.redirect_uri)).host,
    name: client?.clientName,
    citizens: whoCanLogIn(provider, directory, interaction),
    action: `/interaction/${interaction.uid}`,
  }));
}

/**
 * Lists all citizens, or only the one who is logged in already and is asked for consent.
 *
 * @param {import('oidc-provider').default} provider
 * @param {import('./directory').Directory} directory
 * @param {InstanceType<import('oidc-provider').default['Interaction']>} interaction
 */
function whoCanLogIn({ issuer }, directory, interaction) {
  const loggedIn = interaction.session && directory.findSubject(issuer, interaction.session.accountId);
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
  const citizen = whoCanLogIn(provider, directory, interaction).find(({ id }) => id === answer.get('citizen'));
  if (answer.get('answer') === 'cancel' || !citizen) {
    return { error: 'access_denied', error_description: 'The citizen did not log in' };
  }
  const accountId = directory.subjectOf(provider.issuer, citizen);
  const grant = new provider.Grant({ accountId, clientId: String(interaction.params.client_id) });
  grant.addOIDCScope(String(interaction.params.scope ?? 'openid'));
  return { login: { accountId }, consent: { grantId: await grant.save() }};
}

module.exports = { handleInteraction };
