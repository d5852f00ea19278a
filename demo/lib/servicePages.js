'use strict';

const { json } = require('./json');

/**
 * @typedef {(url: string, init?: RequestInit) => Promise<Response>} Visit
 */

/**
 * Acts for a citizen on the service's pages who logs in to an app with the national identity: chooses the provider,
 * accepts a WebID and vault, and authorizes the app.
 *
 * @param {string} url - Of the page.
 * @param {Visit} visit - By the citizen's browser.
 * @param {string[]} asked - Receives the questions to the citizen.
 *
 * @returns {Promise<string>} The next URL for the browser.
 */
async function passServicePage(url, visit, asked) {
  const { origin, pathname, search } = new URL(url);

  /**
   * @param {string} target
   * @param {unknown} [body]
   */
  async function ask(target, body) {
    const response = await visit(target, {
      headers: { accept: 'application/json', ...body !== undefined && { 'content-type': 'application/json' }},
      ...body !== undefined && { method: 'POST', body: JSON.stringify(body) },
    });
    return json(response, 200);
  }

  const { controls: { national, oidc }} = await ask(`${origin}/.account/`);
  if (pathname === '/.account/') {
    return (await ask(oidc.prompt)).location;
  }
  if (pathname === '/.account/oidc/consent/') {
    asked.push('whether the app may act for her');
    const { webIds } = await ask(oidc.webId);
    const picked = await ask(oidc.webId, { webId: webIds[0] });
    await visit(picked.location);
    return (await ask(oidc.consent, { remember: true })).location;
  }
  if (pathname.startsWith('/.account/login/national/')) {
    const { location, ticket } = await ask(origin + pathname, { answer: search.slice(1) });
    if (ticket === undefined) {
      return location;
    }
    asked.push('whether she wants a WebID and a vault');
    return (await ask(national.welcome, { ticket, answer: 'yes' })).location;
  }
  asked.push('how to log in');
  const { providers } = await ask(national.login);
  return (await ask(national.login, { provider: providers[0].id })).location;
}

module.exports = { passServicePage };
