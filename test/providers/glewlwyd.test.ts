import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientWithSecret, Glewlwyd } from '../support/Glewlwyd';
import { LoggingIn, logInToApp, writeProviders } from '../support/nationalLogin';
import { UserAgent } from '../support/UserAgent';
import type { World } from '../support/world';
import { directory, freePort, removeFolder, startWorld, temporaryFolder } from '../support/world';

const secretEnv = 'GLEWLWYD_SECRET';

/** The operator's settings, as documented for it. */
async function readDocumented(): Promise<object> {
  const page = await readFile(join(__dirname, '../../docs/usage/login.md'), 'utf8');
  const shown = [ ...page.matchAll(/^```json\n(.*?)^```$/gmsu) ].map(([ , block ]): string => block)
    .find((block): boolean => block.includes('"id": "glewlwyd"'));
  const [ provider ] = JSON.parse(shown!) as object[];
  return provider;
}

/** Log-in of citizens at a third-party provider. */
describe('Log-in at Glewlwyd', (): void => {
  let folder: string;
  let provider: Glewlwyd;
  let world: World;
  let base: string;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    const port = await freePort();
    base = `http://localhost:${port}/`;
    const ids = [ 'glewlwyd', 'userinfo', 'pushed', 'strong' ];
    process.env[secretEnv] = 'secret';
    provider = await Glewlwyd.start(folder, {
      redirectUris: ids.map((id): string => `${base}.account/login/national/${id}/`),
      jwksUri: `${base}.oidc/jwks`,
      secret: process.env[secretEnv],
    }, { emma: directory.findCitizen('emma')!.nationalNumber, nobody: undefined });
    const usual = { ...await readDocumented(), issuer: provider.issuer };
    const nationalLogin = await writeProviders(folder, [
      usual,
      { ...usual, id: 'userinfo', nationalNumber: { from: 'userinfo', claim: 'national_number' }},
      {
        ...usual,
        id: 'pushed',
        par: true,
        clientId: clientWithSecret,
        clientAuthentication: { method: 'client_secret_post', secretEnv },
      },
      { ...usual, id: 'strong', acrValues: [ 'high' ], acceptedAcr: [ 'high' ]},
    ]);
    world = await startWorld({ port, flags: { nationalLogin }});
  });

  afterAll(async(): Promise<void> => {
    delete process.env[secretEnv];
    await world?.stop();
    await provider?.stop();
    await removeFolder(folder);
  });

  function person(name: string, id = 'glewlwyd'): LoggingIn {
    return new LoggingIn(new UserAgent(base), provider.person(name), {}, id);
  }

  it('ends in the app with a WebID and a pod, the second time without asking.', async(): Promise<void> => {
    const { client, webIds } = await logInToApp(base, provider.person('emma'), {}, 'glewlwyd');
    expect(webIds).toHaveLength(1);
    expect((await client.request('GET', new URL('../', webIds[0]).href)).status).toBe(200);
    const again = person('emma');
    const { json, status } = await again.bring(await again.come());
    expect([ status, json.ticket, json.type ]).toEqual([ 200, undefined, undefined ]);
    await expect(logInToApp(base, provider.person('emma'), {}, 'glewlwyd')).resolves.toMatchObject({ webIds });
  });

  it.each([
    [ 'userinfo', 'with the number in userinfo' ],
    [ 'pushed', 'with a secret and requests pushed' ],
  ])('works, %s: %s.', async(id): Promise<void> => {
    const { json, status } = await person('emma', id).logIn();
    expect([ status, json.type ]).toEqual([ 200, undefined ]);
  });

  it.each([
    [ 'nobody', 'glewlwyd', 'claim-missing' ],
    [ 'nobody', 'userinfo', 'claim-missing' ],
    [ 'emma', 'strong', 'login-too-weak' ],
  ])('is refused to %s by %s: %s.', async(name, id, problem): Promise<void> => {
    const one = person(name, id);
    const { json, status } = await one.bring(await one.come());
    expect([ status, json.type ]).toEqual([ 403, `${base}v1/problems/${problem}` ]);
    expect(one.browser.cookieNames).toEqual([ 'css-login@/' ]);
  });
});
