import { FetchFailed, FetchRefused } from '../../../src/platform/fetchErrors';
import { createGuardedFetch } from '../../../src/platform/guardedFetch';
import { CachedProfiles, ProfileRouter, RemoteProfiles } from '../../../src/tokens/WebIdProfiles';
import type { WebIdProfiles } from '../../../src/tokens/WebIdProfiles';
import type { WebId } from '../../../src/platform/webId';
import { parseWebId } from '../../../src/platform/webId';
import { LoopbackServer } from '../platform/loopbackServer';

const oidcIssuer = 'http://www.w3.org/ns/solid/terms#oidcIssuer';

describe('RemoteProfiles', (): void => {
  let server: LoopbackServer;
  let webId: WebId;
  const profiles = new RemoteProfiles(createGuardedFetch({ allowLoopback: true }));

  beforeAll(async(): Promise<void> => {
    server = await LoopbackServer.start();
  });

  beforeEach((): void => {
    server.clear();
    webId = parseWebId(`${server.url}/card#me`);
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  it('reads the issuers that a Turtle profile lists for the WebID.', async(): Promise<void> => {
    server.serve('/card', 'text/turtle; charset=utf-8', `
      @prefix solid: <http://www.w3.org/ns/solid/terms#>.
      <#me> solid:oidcIssuer <https://one.example/>, <https://two.example/>, "https://text.example/".
      <#you> solid:oidcIssuer <https://three.example/>.
      <#me> solid:storage <https://four.example/>.`);
    await expect(profiles.issuers(webId)).resolves.toEqual([ 'https://one.example/', 'https://two.example/' ]);
    expect(server.requests[0].headers.accept).toMatch(/^text\/turtle/u);
  });

  it('reads them from JSON-LD with a context of its own.', async(): Promise<void> => {
    server.serve('/card', 'application/ld+json', JSON.stringify({
      '@context': { issuer: { '@id': oidcIssuer, '@type': '@id' }},
      '@id': '#me',
      issuer: 'https://one.example/',
    }));
    await expect(profiles.issuers(webId)).resolves.toEqual([ 'https://one.example/' ]);
  });

  it('does not fetch JSON-LD contexts.', async(): Promise<void> => {
    server.serve('/context', 'application/ld+json', '{"@context":{}}');
    server.serve('/card', 'application/ld+json', JSON.stringify({ '@context': `${server.url}/context`, '@id': '#me' }));
    await expect(profiles.issuers(webId)).rejects
      .toMatchObject({ name: 'FetchFailed', message: 'the profile cannot be parsed' });
    expect(server.paths).toEqual([ '/card' ]);
  });

  it.each([
    [ 'relative IRIs', `@base <http://x.example/${'y/'.repeat(200_000)}>. <a> <b> ${'<../a>,'.repeat(80_000)}<a>.` ],
    [ 'changing bases', `@base <http://x.example/${'y/'.repeat(200_000)}>. ${'@base <../y/>.'.repeat(40_000)}` ],
    [ 'shorter bases', `@base <http://x.example/${'y/'.repeat(1000)}>. <a> <b> ${'<../a>,'.repeat(140_000)}<a>.` ],
  ])('gives up on %s that take long.', async(_name, text): Promise<void> => {
    server.serve('/card', 'text/turtle', text);
    await expect(profiles.issuers(webId)).rejects
      .toMatchObject({ name: 'FetchFailed', message: 'the profile cannot be parsed' });
  });

  it('lets other work run meanwhile.', async(): Promise<void> => {
    server.serve('/card', 'text/turtle', `@base <http://x.example/${'y/'.repeat(20_000)}>. ${'@base <../y/>.'.repeat(20_000)}`);
    let turns = 0;
    const timer = setInterval((): void => {
      turns += 1;
    }, 1);
    await profiles.issuers(webId).catch((): undefined => undefined);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });

  it('reads a long profile.', async(): Promise<void> => {
    const friends = Array.from({ length: 15_000 }, (_, index): string => `<https://friend-${index}.example/card#me>`);
    server.serve('/card', 'text/turtle', `<#me> <http://xmlns.com/foaf/0.1/knows> ${friends.join(', ')};
      <http://xmlns.com/foaf/0.1/name> "${'é'.repeat(100_000)}"; <${oidcIssuer}> <https://one.example/>.`);
    await expect(profiles.issuers(webId)).resolves.toEqual([ 'https://one.example/' ]);
  });

  it('resolves relative IRIs against the final URL of a redirect.', async(): Promise<void> => {
    server.redirect('/card', '/elsewhere');
    server.serve('/elsewhere', 'text/turtle', `<#me> <${oidcIssuer}> <https://evil.example/>.
      <${webId}> <${oidcIssuer}> <https://one.example/>.`);
    await expect(profiles.issuers(webId)).resolves.toEqual([ 'https://one.example/' ]);
  });

  it.each<[string, string, string | Buffer, number]>([
    [ 'that is absent', 'text/turtle', '', 404 ],
    [ 'that is an error with statements', 'text/turtle', `<#me> <${oidcIssuer}> <https://one.example/>.`, 500 ],
    [ 'that is HTML', 'text/html', '<html></html>', 200 ],
    [ 'that is not Turtle', 'text/turtle', '<html>', 200 ],
    [ 'that is not JSON', 'application/ld+json', '<html>', 200 ],
    [ 'whose contexts make much work', 'application/ld+json', JSON.stringify({ '@context': Array.from({ length: 800 })
      .map((_, at): object => ({ [`t${at}`]: 'urn:t' })) }), 200 ],
    [ 'that is large JSON-LD', 'application/ld+json', JSON.stringify({ x: 'x'.repeat(200_000) }), 200 ],
  ])('refuses a profile %s.', async(...[ , contentType, body, status ]): Promise<void> => {
    server.serve('/card', contentType, body, status);
    await expect(profiles.issuers(webId)).rejects.toBeInstanceOf(FetchFailed);
  });

  it('uses the guarded fetch.', async(): Promise<void> => {
    const guarded = new RemoteProfiles(createGuardedFetch({ allowLoopback: false }));
    await expect(guarded.issuers(webId)).rejects.toBeInstanceOf(FetchRefused);
    expect(server.requests).toEqual([]);
  });
});

/** Profiles that count how often they are read. */
class CountedProfiles implements WebIdProfiles {
  public readonly read: string[] = [];

  public constructor(private readonly issuer: string) {}

  public async issuers(webId: string): Promise<string[]> {
    this.read.push(webId);
    return [ this.issuer ];
  }
}

describe('CachedProfiles', (): void => {
  it('fetches once in two minutes, even for many simultaneous callers.', async(): Promise<void> => {
    let at = new Date('2026-03-02T10:00:00.000Z');
    const source = new CountedProfiles('https://one.example/');
    const profiles = new CachedProfiles(source, (): Date => at);
    const [ one, other ] = [ parseWebId('https://a.example/'), parseWebId('https://b.example/') ];
    await Promise.all([ profiles.issuers(one), profiles.issuers(one), profiles.issuers(other) ]);
    await expect(profiles.issuers(one)).resolves.toEqual([ 'https://one.example/' ]);
    expect(source.read).toEqual([ one, other ]);
    at = new Date(at.getTime() + 120_000);
    await profiles.issuers(one);
    expect(source.read).toEqual([ one, other, one ]);
  });

  it('remembers few profiles with very many issuers.', async(): Promise<void> => {
    const many = Array.from({ length: 3000 }, (_, at): string => `https://${at}.example/`);
    const read: string[] = [];
    const source = { issuers: async(webId: WebId): Promise<string[]> => {
      read.push(webId);
      return many;
    } };
    const profiles = new CachedProfiles(source, (): Date => new Date(0));
    const webIds = Array.from({ length: 5 }, (_, at): WebId => parseWebId(`https://${at}.example/`));
    for (const webId of [ ...webIds, webIds[4], webIds[0] ]) {
      await expect(profiles.issuers(webId)).resolves.toEqual(many);
    }
    expect(read).toEqual([ ...webIds, webIds[0] ]);
  });
});

describe('ProfileRouter', (): void => {
  it('asks this server for its own WebIDs only.', async(): Promise<void> => {
    const router = new ProfileRouter(
      'https://pods.example/',
      new CountedProfiles('local'),
      new CountedProfiles('remote'),
    );
    await expect(router.issuers(parseWebId('https://pods.example/alice/profile/card#me')))
      .resolves.toEqual([ 'local' ]);
    await expect(router.issuers(parseWebId('https://pods.example.evil/alice/profile/card#me')))
      .resolves.toEqual([ 'remote' ]);
  });
});
