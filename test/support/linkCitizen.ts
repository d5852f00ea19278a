import type { TestCitizen } from './callers';
import { clientOf } from './callers';
import { json } from './sharingWorld';
import type { SharingWorld } from './sharingWorld';
import type { AccountHolder } from './world';

/**
 * Links a WebID to a citizen, who gets a diploma.
 *
 * @param world - Server and national issuer.
 * @param own - Holder of an account and pod there; by default the WebID is on another server.
 */
export async function linkCitizen(world: SharingWorld, own?: AccountHolder): Promise<TestCitizen> {
  const { base, issuer } = world;
  const nationalNumber = world.newNumber();
  const webId = own?.webId ?? issuer.profile(`elsewhere-${nationalNumber.slice(0, 6)}-${world.numbers.length}`);
  const listed = await own?.client.request('PATCH', webId.replace('#me', ''), {
    headers: { 'content-type': 'application/sparql-update' },
    body: `INSERT DATA { <${webId}> <http://www.w3.org/ns/solid/terms#oidcIssuer> <${issuer.issuer}> }`,
  });
  const client = await clientOf(issuer, { webid: webId, citizen_national_id: nationalNumber }, 'DPoP');
  const answer = await client.request('PUT', `${base}v1/webids`);
  const [ , podUrl ] = /<([^>]+)>/u.exec(answer.headers.get('link') ?? '') ?? [];
  if (listed?.ok === false || podUrl === undefined) {
    throw new Error(`Could not link ${webId}: ${answer.status}`);
  }
  await json(answer);
  const linked = { nationalNumber, webId, podUrl, podId: podUrl.slice(base.length, -1), client };
  await world.writeDiploma(linked, 1);
  return linked;
}
