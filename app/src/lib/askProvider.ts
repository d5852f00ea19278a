/**
 * Asks the identity provider of these pages for JSON.
 *
 * @param issuer - The identity provider.
 * @param path - Path of the question, below its URL.
 * @param body - Sent by POST; without one, the question is a GET.
 *
 * @returns Nothing when the provider has another origin, or refuses.
 *
 * @throws Error when the provider cannot be reached, or its answer is not JSON.
 */
export async function askProvider<T>(issuer: string, path: string, body?: object): Promise<T | undefined> {
  const url = new URL(path, issuer);
  if (url.origin !== location.origin) {
    return;
  }
  const accept = 'application/json';
  const response = await fetch(url, body ?
      { method: 'POST', headers: { accept, 'content-type': accept }, body: JSON.stringify(body) } :
      { headers: { accept }});
  return response.ok ? await response.json() as T : undefined;
}
