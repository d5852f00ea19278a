// An exchange between an app and a resource owner: request, grant, list, use, revocation.
//
//   npm install @inrupt/solid-client-access-grants @inrupt/solid-client-authn-node
//   SERVER=http://localhost:3000/ RESOURCE=http://localhost:3000/anna/notes.txt OWNER=http://localhost:3000/anna/profile/card#me \
//   OWNER_CLIENT=id:secret APP_CLIENT=id:secret node access-grants.mjs
//
// The two clients are client credentials from the accounts of owner and app on the server. In an app for people, the
// owner logs in with @inrupt/solid-client-authn-browser instead.

import {
  approveAccessRequest,
  getAccessApiEndpoint,
  getFile,
  getId,
  issueAccessRequest,
  query,
  revokeAccessGrant,
} from '@inrupt/solid-client-access-grants';
import { Session } from '@inrupt/solid-client-authn-node';

const { SERVER, RESOURCE, OWNER, OWNER_CLIENT, APP_CLIENT } = process.env;

async function logIn(client) {
  const session = new Session({ keepAlive: false });
  const [ clientId, clientSecret ] = client.split(':');
  await session.login({ oidcIssuer: SERVER, clientId, clientSecret });
  return session;
}

const app = await logIn(APP_CLIENT);
const owner = await logIn(OWNER_CLIENT);

// 1. The app is refused, and requests access at the endpoint that the refusal names.
console.log(`Without a grant: ${(await app.fetch(RESOURCE)).status}`);
const accessEndpoint = await getAccessApiEndpoint(RESOURCE);
const request = await issueAccessRequest({
  access: { read: true },
  resources: [ RESOURCE ],
  resourceOwner: OWNER,
  purpose: [ 'https://app.example/purposes/summary' ],
  expirationDate: new Date(Date.now() + (24 * 60 * 60 * 1000)),
}, { fetch: app.fetch, accessEndpoint });

// 2. The owner finds the request among the pending ones, and approves it. With ACP, the client would also write the
// access control resource, which this server does not need.
const pending = await query(
  { type: 'SolidAccessRequest', status: 'Pending', fromAgent: new URL(app.info.webId) },
  { fetch: owner.fetch, queryEndpoint: new URL('query', accessEndpoint) },
);
console.log(`Waiting for the owner: ${pending.items.some(({ id }) => id === getId(request))}`);
const grant = await approveAccessRequest(request, {}, { fetch: owner.fetch, accessEndpoint, updateAcr: false });

// 3. The app reads the resource, with the grant and, as any Solid app could, with its ordinary token.
const file = await getFile(RESOURCE, grant, { fetch: app.fetch });
console.log(`With the grant: ${await file.text()}`);
console.log(`With the token alone: ${await (await app.fetch(RESOURCE)).text()}`);

// 4. The owner revokes the grant, which has no effect from the next request on.
await revokeAccessGrant(grant, { fetch: owner.fetch });
console.log(`After revocation: ${(await app.fetch(RESOURCE)).status}`);

await Promise.all([ app.logout(), owner.logout() ]);
