/** Returns the URL of the pod that contains a document of this server. */
export function podUrlOf({ origin, pathname }: URL): string {
  return `${origin}/${pathname.split('/')[1]}/`;
}
