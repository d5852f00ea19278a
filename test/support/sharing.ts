import type { Client, Scheme, World } from './world';

/** Result of sharing one value. */
export interface Shared {
  podResource: string;
  accessGrant: string;
}

/** A citizen who has a WebID and pod, with a token that names it. */
export interface CitizenWithPod {
  client: Client;
  webId: string;
  podUrl: string;
  podId: string;
}

/** Gives a citizen of the example issuer a WebID and pod, and logs them in. */
export async function citizenWithPod(
  { base, national }: World,
  id: string,
  scheme: Scheme = 'Bearer',
): Promise<CitizenWithPod> {
  const created = await (await national.logIn(id, scheme)).request('PUT', `${base}v1/webids`);
  const { uri } = await created.json() as { uri: string };
  const podUrl = uri.replace(/profile\/card#me$/u, '');
  return { client: await national.logIn(id, scheme), webId: uri, podUrl, podId: podUrl.split('/').at(-2)! };
}

/** Shares the first of a citizen's values that a contract covers and that can be shared, or another one of them. */
export async function share(client: Client, base: string, contractId: string, index = 0): Promise<Shared> {
  const url = `${base}v1/contracts/${contractId}/data`;
  const listed = await (await client.request('GET', url)).json() as { dataValues: { id: string; error?: object }[] };
  const ids = listed.dataValues.filter(({ error }): boolean => !error).map(({ id }): string => id);
  const response = await client.request('POST', url, { body: { dataValues: [ ids[index] ]}});
  const [ shared ] = await response.json() as Shared[];
  return shared;
}

/** URL for revoking a grant on shared data. */
export function revocationUrl(base: string, { podResource, accessGrant }: Shared): string {
  const [ , podId ] = new URL(podResource).pathname.split('/');
  return `${base}v1/pods/${podId}/resources/${lastPart(podResource)}/access-grants/${lastPart(accessGrant)}`;
}

/** Last segment of a URL's path. */
export function lastPart(url: string): string {
  return url.split('/').at(-1)!;
}
