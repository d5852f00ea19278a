/**
 * Other spellings of WebIDs of this server. Most begin with the URL of a pod, but identify a document in another pod.
 *
 * @param podUrl - With a trailing slash.
 * @param neighbour - Another WebID of this server.
 */
export function otherSpellings(podUrl: string, neighbour: string): string[] {
  const { host, origin, pathname } = new URL(podUrl);
  const others = neighbour.slice(origin.length + 1);
  const ways = [
    ...[ '..', '%2e%2e', '.%2E', '.\t.', 'x/../..', `..${pathname}..`, './..' ].map((up): string => `${up}/${others}`),
    `..\\${others}`,
    `../${others.replace(/^./u, (letter): string => `%${letter.codePointAt(0)!.toString(16)}`)}`,
    `/../../${others}`,
    'profile/./card#me',
    'profile/%63ard#me',
    'profile//../card#me',
    'profile/c"rd#me',
  ];
  return [ ...ways.map((way): string => podUrl + way), `http://${host.toUpperCase()}${pathname}profile/card` ];
}
