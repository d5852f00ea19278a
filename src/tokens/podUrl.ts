/** URL of the pod that a document of this server is in. */
export function podUrlOf({ origin, pathname }: URL): string {
  return `${origin}/${pathname.split('/')[1]}/`;
}
