import type { JSONWebKeySet } from 'jose';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { openRecords } from '../../src/storage/openRecords';
import { describeProvider, LoggingIn, logInToApp, numberClaim, writeProviders } from '../support/nationalLogin';
import { SolidApp } from '../support/SolidApp';
import { share } from '../support/sharing';
import { TestLoginProvider } from '../support/TestLoginProvider';
import { UserAgent } from '../support/UserAgent';
import type { Client, World } from '../support/world';
import { directory, removeFolder, startWorld, temporaryFolder } from '../support/world';

function claimsOf(id: string): Record<string, unknown> {
  return { [numberClaim]: directory.findCitizen(id)!.nationalNumber };
}

/** Citizens who log in to Solid apps with the identity they have, at a provider that knows nothing of Solid. */
describe('Log-in with a national identity', (): void => {
  let folder: string;
  let provider: TestLoginProvider;
  let world: World;
  let base: string;

  beforeAll(async(): Promise<void> => {
    [ folder, provider ] = await Promise.all([ temporaryFolder(), TestLoginProvider.start() ]);
    const nationalLogin = await writeProviders(folder, [
      describeProvider(provider.issuer),
      describeProvider(provider.issuer, {
        id: 'strong',
        acrValues: [ 'high' ],
        acceptedAcr: [ 'high' ],
        clientAuthentication: { method: 'none' },
        nationalNumber: { from: 'userinfo', claim: '/person/numbers/0', prefix: 'BE/' },
      }),
    ]);
    world = await startWorld({ flags: { nationalLogin }});
    ({ base } = world);
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await provider?.stop();
    await removeFolder(folder);
  });

  function person(id: string, headers: Record<string, string> = {}): LoggingIn {
    return new LoggingIn(new UserAgent(base, headers), provider, claimsOf(id));
  }

  async function webIdOf(client: Client, method = 'GET'): Promise<{ status: number; uri: string }> {
    const response = await client.request(method, `${base}v1/webids`);
    const { uri } = await response.json() as { uri: string };
    return { status: response.status, uri };
  }

  describe('of a citizen who has never been here', (): void => {
    let emma: { webIds: string[]; client: Client };

    beforeAll(async(): Promise<void> => {
      emma = await logInToApp(base, provider, claimsOf('emma'));
    });

    it('ends in the app with a WebID, a pod and a token that names nobody by number.', async(): Promise<void> => {
      const [ webId ] = emma.webIds;
      expect(emma.webIds).toHaveLength(1);
      const claims = decodeJwt(emma.client.token!);
      expect(claims).toMatchObject({ webid: webId, iss: base, aud: 'solid' });
      expect(JSON.stringify(claims)).not.toContain(directory.findCitizen('emma')!.nationalNumber);
      const pod = new URL('../', webId).href;
      expect((await emma.client.request('GET', pod)).status).toBe(200);
    });

    it('is asked for with the key that this server publishes.', async(): Promise<void> => {
      const { keys } = await (await fetch(`${base}.oidc/jwks`)).json() as JSONWebKeySet;
      const assertion = provider.tokenRequests[0].get('client_assertion')!;
      const { payload } = await jwtVerify(assertion, createLocalJWKSet({ keys }));
      expect(payload).toMatchObject({ iss: 'data-sharing', sub: 'data-sharing' });
    });

    it('is enough to share data, and for GET and PUT of the WebID.', async(): Promise<void> => {
      const uri = emma.webIds[0];
      await expect(webIdOf(emma.client)).resolves.toEqual({ status: 200, uri });
      await expect(webIdOf(emma.client, 'PUT')).resolves.toEqual({ status: 200, uri });
      const { podResource } = await share(emma.client, base, 'diploma-employment');
      expect(podResource.startsWith(new URL('../', uri).href)).toBe(true);
    });

    it('finds the same WebID the second time, without a question.', async(): Promise<void> => {
      const browser = person('emma');
      const { json } = await browser.bring(await browser.come());
      expect(json).not.toHaveProperty('ticket');
      const again = await logInToApp(base, provider, claimsOf('emma'));
      expect(again.webIds).toEqual(emma.webIds);
    });

    it('finds the WebID that the national issuer\'s token finds.', async(): Promise<void> => {
      await expect(webIdOf(await world.national.logIn('emma'), 'PUT')).resolves
        .toEqual({ status: 200, uri: emma.webIds[0] });
    });
  });

  it('finds the WebID that PUT has made before.', async(): Promise<void> => {
    const { uri, status } = await webIdOf(await world.national.logIn('lucas'), 'PUT');
    expect(status).toBe(201);
    const { webIds, client } = await logInToApp(base, provider, claimsOf('lucas'));
    expect(webIds).toEqual([ uri ]);
    await expect(webIdOf(client)).resolves.toEqual({ status: 200, uri });
  });

  it('makes one WebID with PUT at the same moment.', async(): Promise<void> => {
    const people = [ person('noor'), person('noor') ];
    const tickets = await Promise.all(people.map(async(one): Promise<unknown> =>
      (await one.bring(await one.come())).json.ticket));
    const issuer = await world.national.logIn('noor');
    const [ put, ...said ] = await Promise.all([
      webIdOf(issuer, 'PUT'),
      ...people.map(async(one, index): Promise<number> => (await one.say(tickets[index], 'yes')).status),
    ]);
    expect(said).toEqual([ 200, 200 ]);
    const { webIds } = await logInToApp(base, provider, claimsOf('noor'));
    expect(webIds).toEqual([ (put as { uri: string }).uri ]);
  });

  it('makes nothing for who says no, and tells the app.', async(): Promise<void> => {
    const app = await SolidApp.register(base);
    const one = person('jan');
    await one.browser.follow(app.request({ state: 'kept' }).url);
    const { json: { ticket }} = await one.bring(await one.come());
    const { json: { location }} = await one.say(ticket, 'no');
    const back = new URL(await one.browser.follow(location as string));
    expect(back.origin + back.pathname).toBe(app.redirectUri);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'kept' });
    expect((await webIdOf(await world.national.logIn('jan'))).status).toBe(404);
    await expect(one.say(ticket, 'yes')).resolves.toMatchObject({ status: 400 });
  });

  it('goes on with the app of the tab in which it was begun.', async(): Promise<void> => {
    const app = await SolidApp.register(base);
    const one = person('emma');
    await one.browser.follow(app.request({ state: 'first' }).url);
    const answer = await one.come();
    await one.browser.follow(app.request({ state: 'second' }).url);
    const { json: { location }} = await one.bring(answer);
    const { back } = await app.consent(one.browser, location as string);
    expect(back.searchParams.get('state')).toBe('first');
  });

  it('ends with the WebID that a token of this server erases.', async(): Promise<void> => {
    const { client, webIds: [ uri ] } = await logInToApp(base, provider, claimsOf('mila'));
    await expect(webIdOf(client, 'DELETE')).resolves.toEqual({ status: 200, uri });
    expect((await webIdOf(client)).status).toBe(401);
    const again = await logInToApp(base, provider, claimsOf('mila'));
    expect(again.webIds).not.toContain(uri);
  });

  it('names the providers in the language of the browser.', async(): Promise<void> => {
    const names = { nl: 'StaatID', 'fr-BE': 'ID d’État', de: 'StaatsID', en: 'StateID' };
    for (const [ language, name ] of Object.entries(names)) {
      const { json } = await new UserAgent(base, { 'accept-language': language }).ask('.account/login/national/');
      expect(json.providers).toEqual([{ id: 'stateid', name }, { id: 'strong', name }]);
    }
  });

  it('is put on record with the provider and the level of assurance.', async(): Promise<void> => {
    const { records, close } = await openRecords({
      records: world.server.stored.place,
      keys: `${world.server.folder}/keys`,
      clock: (): Date => new Date(),
      newId: (): string => 'none',
      logger: { info: jest.fn(), warn: jest.fn(), error: jest.fn() },
    } as never);
    const rows = await records.audit.list(0, 1000);
    await close();
    const events = rows.map(({ event }): typeof event => event);
    const logins = events.filter(({ type }): boolean => type === 'login.succeeded');
    expect(logins.length).toBeGreaterThan(3);
    expect(logins[0]).toMatchObject({ facts: { provider: 'stateid' }, citizenId: expect.any(String) });
  });
});
