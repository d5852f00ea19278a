/** URL of the pod that a WebID of this server is in. */
export function podUrlOf(webId: string): string {
  const { origin, pathname } = new URL(webId);
  return `${origin}/${pathname.split('/')[1]}/`;
}
