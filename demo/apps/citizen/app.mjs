// An app for citizens: logs in at the national issuer, gets a WebID and a vault, shares a diploma.
//
// Three hosts: this app's own, the issuer's, and the service's. `settings.json` names the other two.

import { getPodUrlAll } from '@inrupt/solid-client';
import { fetch, getDefaultSession, handleIncomingRedirect, login, logout } from '@inrupt/solid-client-authn-browser';

const { service, issuer } = await (await window.fetch('settings.json')).json();
const contract = `${service}v1/contracts/diploma-employment`;
const home = new URL('/', location.href).href;

/** The app's client id document, with its redirect URIs. Without it, the app registers itself. */
const clientId = `${home}id.jsonld`;

function find(id) {
  return document.querySelector(`#${id}`);
}

function show(id, visible = true) {
  find(id).hidden = !visible;
}

/** Calls the service as the citizen. Errors are RFC 9457 problem documents, with a `detail` for people. */
async function call(url, init) {
  const response = await fetch(url, init);
  const body = await response.json();
  if (!response.ok) {
    throw new Error(body.detail ?? body.title);
  }
  return { status: response.status, body };
}

/** First log-in: the issuer's pages, then back here with a code. */
async function logIn(client) {
  await login({ oidcIssuer: issuer, redirectUrl: home, ...client });
}

/**
 * Returns the citizen's WebID, which is made if there is none. A token contains the WebID only if there was one when it
 * was issued, so the first time another token is needed: a reload silently restores the session with a new one.
 */
async function getWebId() {
  const { status, body } = await call(`${service}v1/webids`, { method: 'PUT' });
  if (status === 201 || getDefaultSession().info.webId !== body.uri) {
    location.reload();
    return new Promise(() => { /* The page is going. */ });
  }
  return body.uri;
}

/** A text in the citizen's language where there is one. */
function inWords(texts) {
  return (texts.find(({ language }) => navigator.language.startsWith(language)) ?? texts[0])?.value;
}

/** Adds a checkbox for each value. None is checked beforehand. */
function listValues(values) {
  find('values').replaceChildren(...values.map(({ id, summary, error }) => {
    const label = document.createElement('label');
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', name: 'id', value: id });
    box.disabled = Boolean(error);
    label.append(box, error ?? `${inWords(summary.title)}, ${inWords(summary.subtitle)}`);
    return label;
  }));
}

async function share(ids) {
  const { body } = await call(`${contract}/data`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ dataValues: ids }),
  });
  for (const { podResource } of body) {
    const item = document.createElement('li');
    item.textContent = `Shared: ${podResource}`;
    find('shared').append(item);
  }
}

async function showCitizen() {
  const webId = await getWebId();
  find('webId').textContent = webId;
  [ find('vault').textContent ] = await getPodUrlAll(webId);
  const { body } = await call(`${contract}/data`);
  listValues(body.dataValues);
  show('in');
  find('state').textContent = 'You are logged in.';
}

/** Shows errors to the citizen. */
async function attempt(work) {
  show('error', false);
  try {
    await work();
  } catch (error) {
    find('error').textContent = error.message;
    show('error');
  }
}

find('login').addEventListener('click', () => attempt(() => logIn({ clientId })));
find('loginNew').addEventListener('click', () => attempt(() => logIn({ clientName: 'Share a diploma' })));
find('share').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(() => share(new FormData(event.target).getAll('id')));
});
find('logout').addEventListener('click', () => attempt(async() => {
  await logout({ logoutType: 'app' });
  location.reload();
}));
// The issuer asks whether to log out there too, and redirects only to URIs in the app's client id document.
find('logoutAll').addEventListener('click', () => attempt(() => logout({ logoutType: 'idp', postLogoutUrl: home })));

await attempt(async() => {
  // Completes a log-in when the issuer redirected here, or restores the previous session.
  const info = await handleIncomingRedirect({ restorePreviousSession: true });
  if (info?.isLoggedIn) {
    await showCitizen();
  } else {
    show('out');
    find('state').textContent = 'You are not logged in.';
  }
});
