'use strict';

/**
 * @param {string} text
 */
function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * One choice of the page: a citizen, picked by a radio button.
 *
 * @param {import('./directory').Citizen} citizen
 * @param {boolean} first
 */
function choice({ id, name }, first) {
  return `      <p><label><input type="radio" name="citizen" value="${escapeHtml(id)}" required${first ? ' checked' : ''}>
        ${escapeHtml(name)}</label></p>`;
}

/**
 * The page on which a citizen logs in: no passwords, the citizens are fictitious.
 *
 * @param {object} page
 * @param {string} page.app - Name or id of the app that asks.
 * @param {import('./directory').Citizen[]} page.citizens - Who can be picked.
 * @param {string} page.action - Where the form goes.
 */
function loginPage({ app, citizens, action }) {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Log in - example national identity issuer</title>
  </head>
  <body>
    <h1>Example national identity issuer</h1>
    <p>For trying out: everyone below is fictitious, and there are no passwords.</p>
    <p>The app <strong>${escapeHtml(app)}</strong> asks who you are. It gets your national number and your WebID.</p>
    <form method="post" action="${escapeHtml(action)}">
      <fieldset>
      <legend>Who are you?</legend>
${citizens.map((citizen, index) => choice(citizen, index === 0)).join('\n')}
      </fieldset>
      <p>
        <button type="submit" name="answer" value="login">Log in</button>
        <button type="submit" name="answer" value="cancel" formnovalidate>Cancel</button>
      </p>
    </form>
  </body>
</html>
`;
}

module.exports = { loginPage };
