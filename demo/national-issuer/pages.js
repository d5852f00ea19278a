'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Style sheet of all pages, at `/style.css`. */
const style = readFileSync(join(__dirname, 'style.css'), 'utf8');

/** Headers of every page: nothing from elsewhere, no scripts, no frames. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/**
 * Text from outside as HTML: escaped, without control and direction marks, at most 200 characters.
 *
 * @param {string} text
 */
function escapeHtml(text) {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 200)
    .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * The frame around every page.
 *
 * @param {string} title - Text of the heading.
 * @param {string} content - HTML.
 */
function page(title, content) {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} – example national identity issuer</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <header>Example national identity issuer <small>For trying out: everyone here is fictitious.</small></header>
    <main>
      <h1>${title}</h1>
${content}
    </main>
  </body>
</html>
`;
}

/**
 * A radio button of the log-in page, for a citizen.
 *
 * @param {import('./directory').Citizen} citizen
 * @param {boolean} only
 */
function choice({ id, name }, only) {
  return `          <label><input type="radio" name="citizen" value="${escapeHtml(id)}" required${only ? ' checked' : ''}>
            ${escapeHtml(name)}</label>`;
}

/**
 * The page on which a citizen logs in: no passwords, the citizens are fictitious.
 *
 * @param {object} login
 * @param {string} login.address - Host of the redirect URI: the only certain fact about the app.
 * @param {string} [login.name] - Name of the app, in its own words.
 * @param {import('./directory').Citizen[]} login.citizens - The choices.
 * @param {string} login.action - URL of the form.
 */
function loginPage({ address, name, citizens, action }) {
  const named = name ? `, which calls itself “<bdi>${escapeHtml(name)}</bdi>”,` : '';
  return page('Log in', `      <p>An app at <strong>${escapeHtml(address)}</strong>${named} asks who you are. It gets a token
        with your national number and your WebID, and acts for you at the data-sharing service until you log out
        of it. There are no passwords.</p>
      <form method="post" action="${escapeHtml(action)}">
        <fieldset>
          <legend>Who are you?</legend>
${citizens.map(citizen => choice(citizen, citizens.length === 1)).join('\n')}
        </fieldset>
        <p class="acts">
          <button type="submit" name="answer" value="login">Log in</button>
          <button type="submit" name="answer" value="cancel" formnovalidate>Cancel</button>
        </p>
      </form>`);
}

/**
 * The question before a citizen is logged out.
 *
 * @param {string} form - The provider's own form, with its secret: `op.logoutForm`.
 */
function logoutPage(form) {
  return page('Log out?', `      <p>An app asks to log you out here. Other apps then ask you to log in again.</p>
      ${form}
      <p class="acts">
        <button type="submit" form="op.logoutForm" name="logout" value="yes">Log out</button>
        <button type="submit" form="op.logoutForm">Stay logged in</button>
      </p>`);
}

/** The page after logging out, when the app gave no redirect URI. */
function loggedOutPage() {
  return page('Done', '      <p>Close the browser if others use this device.</p>');
}

/**
 * A page for errors.
 *
 * @param {string} message
 */
function errorPage(message) {
  return page('This did not work', `      <p>${escapeHtml(message)}</p>
      <p>Go back to the app and log in again.</p>`);
}

module.exports = { errorPage, loggedOutPage, loginPage, logoutPage, pageHeaders, style };
