import { listFolder } from '../../../app/src/lib/pod';
import type { Session } from '../../../app/src/lib/session';

const letters = 'https://pod.example/anna/letters/';
const ldp = 'http://www.w3.org/ns/ldp#';

/** A session to which the server describes a folder in its own spelling, however it is asked for. */
const session = {
  fetch: async(): Promise<Response> => new Response(JSON.stringify([
    { '@id': letters, [`${ldp}contains`]: [{ '@id': `${letters}b%20c.txt` }, { '@id': `${letters}old/` }]},
    { '@id': `${letters}b%20c.txt`, 'http://www.w3.org/ns/posix/stat#size': [{ '@value': '7' }]},
  ])),
} as Pick<Session, 'fetch'> as Session;

describe('The entries of a folder', (): void => {
  it.each([ letters, letters.replace('letters', '%6cetters') ])('are all there at %s.', async(url): Promise<void> => {
    const entries = await listFolder(session, url);
    expect(entries.map(({ isFolder, name, size }): unknown => [ name, isFolder, size ]))
      .toEqual([[ 'old', true, Number.NaN ], [ 'b c.txt', false, 7 ]]);
  });
});
