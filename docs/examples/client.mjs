// Lists the usable contracts, and the values of the logged-in citizen that one of them covers.
//
//   npm install css-data-sharing @inrupt/solid-client-authn-node
//   SERVER=http://localhost:3000/ CLIENT=id:secret CONTRACT=diploma-employment node client.mjs
//
// CLIENT has client credentials of an account on the server. Any `fetch` that adds token and DPoP proof works.

import { Session } from '@inrupt/solid-client-authn-node';
import { createClient } from 'css-data-sharing/client';

const { SERVER, CLIENT, CONTRACT } = process.env;
const [ clientId, clientSecret ] = CLIENT.split(':');
const session = new Session({ keepAlive: false });
await session.login({ oidcIssuer: SERVER, clientId, clientSecret });

const client = createClient({ baseUrl: SERVER, fetch: session.fetch });

const { data: { contracts }} = await client.GET('/v1/contracts', { params: { query: { limit: 10 }}});
console.log(contracts.map(({ id }) => id).join(', '));

const { data, error } = await client.GET('/v1/contracts/{contractId}/data', {
  params: { path: { contractId: CONTRACT }},
});
console.log(error ? `${error.status} ${error.title}` : `${data.dataValues.length} values`);

await session.logout();
