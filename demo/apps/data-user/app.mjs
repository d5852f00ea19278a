// An app for a data user: logs in at the service itself, lists the access grants given to it, and reads what they cover.

import { getAccessApiEndpoint, getFile, getResources, query } from '@inrupt/solid-client-access-grants';
import { fetch, handleIncomingRedirect, login, logout } from '@inrupt/solid-client-authn-browser';

const { service } = await (await window.fetch('settings.json')).json();
const home = new URL('/', location.href).href;
const clientId = `${home}id.jsonld`;

function find(id) {
  return document.querySelector(`#${id}`);
}

function show(id, visible = true) {
  find(id).hidden = !visible;
}

async function logIn(client) {
  await login({ oidcIssuer: service, redirectUrl: home, ...client });
}

/** Returns the first page of grants in force for this data user; `next` is the URL of the next page. */
async function listGrants(webId) {
  const accessEndpoint = await getAccessApiEndpoint(service);
  const { items } = await query(
    { type: 'SolidAccessGrant', status: 'Active', toAgent: new URL(webId) },
    { fetch, queryEndpoint: new URL('query', accessEndpoint) },
  );
  return items;
}

/** Reads a resource with a grant: the library exchanges it for a token for that resource alone. */
async function read(resource, grant) {
  const file = await getFile(resource, grant, { fetch });
  find('data').textContent = JSON.stringify(JSON.parse(await file.text()), null, 2);
  show('data');
}

async function showDataUser(webId) {
  find('webId').textContent = webId;
  const grants = await listGrants(webId);
  find('grants').replaceChildren(...grants.flatMap(grant => getResources(grant).map((resource) => {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.textContent = 'Read';
    button.addEventListener('click', () => attempt(() => read(resource, grant)));
    item.append(resource, ' ', button);
    return item;
  })));
  show('in');
  find('state').textContent = 'You are logged in.';
}

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
find('loginNew').addEventListener('click', () => attempt(() => logIn({ clientName: 'Read what was shared' })));
find('logout').addEventListener('click', () => attempt(async() => {
  await logout({ logoutType: 'app' });
  location.reload();
}));
find('logoutAll').addEventListener('click', () => attempt(() => logout({ logoutType: 'idp', postLogoutUrl: home })));

await attempt(async() => {
  const info = await handleIncomingRedirect({ restorePreviousSession: true });
  if (info?.isLoggedIn) {
    await showDataUser(info.webId);
  } else {
    show('out');
    find('state').textContent = 'You are not logged in.';
  }
});
