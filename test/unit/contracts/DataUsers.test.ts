import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataUsers } from '../../../src/contracts/DataUsers';
import { Mistakes } from '../../../src/platform/Mistakes';

const base = 'https://pods.example/';
const prefixes = `@prefix core: </v1/ns/core#> . @prefix oidc: <http://www.w3.org/ns/solid/oidc#> .
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .`;
const names = 'skos:prefLabel "Bank"@nl, "Banque"@fr, "Bank"@de, "Bank"@en';
const webId = 'core:webId <https://bank.example/card#me>';

describe('Descriptions of data users', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'css-data-sharing-'));
  });

  afterEach(async(): Promise<void> => {
    await rm(folder, { recursive: true });
  });

  async function load(...descriptions: string[]): Promise<{ dataUsers: DataUsers; errors: string[] }> {
    for (const [ index, text ] of descriptions.entries()) {
      await writeFile(join(folder, `bank${index}.ttl`), `${prefixes} </v1/data-users/bank${index}> ${text} .`);
    }
    const mistakes = new Mistakes();
    return { dataUsers: await DataUsers.load(folder, base, mistakes), errors: mistakes.errors };
  }

  it('are found by WebID, with their logo.', async(): Promise<void> => {
    await writeFile(join(folder, 'bank0.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const { dataUsers, errors } = await load(`${webId} ; ${names} ;
      oidc:contacts "help@bank.example" ; oidc:policy_uri <https://bank.example/privacy> ;
      oidc:redirect_uris <https://bank.example/back>, <http://localhost:3003/back>`);
    expect(errors).toEqual([]);
    expect(dataUsers.find('https://bank.example/card#me')).toMatchObject({
      uri: `${base}v1/data-users/bank0`,
      contacts: [ 'help@bank.example' ],
      privacyStatement: 'https://bank.example/privacy',
      redirectUris: [ 'https://bank.example/back', 'http://localhost:3003/back' ],
      agreement: [],
      logo: { contentType: 'image/svg+xml' },
    });
    expect(dataUsers.find('https://bank.example/card')).toBeUndefined();
    expect(dataUsers.list()).toHaveLength(1);
  });

  it('are optional.', async(): Promise<void> => {
    const mistakes = new Mistakes();
    const dataUsers = await DataUsers.load(join(folder, 'none'), base, mistakes);
    expect([ dataUsers.list(), mistakes.errors ]).toEqual([[], []]);
  });

  const described = `${webId} ; ${names} ; oidc:redirect_uris`;

  it.each([
    [ 'without a WebID', names, 'core:webId' ],
    [ 'with two WebIDs', `${webId}, <https://bank.example/other#me> ; ${names}`, 'core:webId' ],
    [ 'without a name in a language', `${webId} ; skos:prefLabel "Bank"@nl, "Banque"@fr, "Bank"@de`, '\'en\'' ],
    [ 'with an agreement in one language', `${webId} ; ${names} ; core:agreement "To tell."@en`, 'core:agreement' ],
    [ 'with a way back in clear', `${described} <http://bank.example/back>`, 'redirect_uris' ],
    [ 'with a way back that has a fragment', `${described} <https://bank.example/#x>`, 'redirect_uris' ],
    [ 'with a way back that has a password', `${described} <https://u:p@bank.example/>`, 'redirect_uris' ],
    [ 'with a way back of another scheme', `${described} <javascript:alert(1)>`, 'http(s)' ],
    [ 'with a privacy statement of no page', `${webId} ; ${names} ; oidc:policy_uri <data:text/html,x>`, 'http(s)' ],
  ])('are refused %s.', async(_, text, part): Promise<void> => {
    const { dataUsers, errors } = await load(text);
    expect(dataUsers.list()).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/bank0\.ttl/u);
    expect(errors[0]).toContain(part);
  });

  it('are refused when two have one WebID, and when a logo is too large.', async(): Promise<void> => {
    const twice = await load(`${webId} ; ${names}`, `${webId} ; ${names}`);
    expect(twice.errors).toEqual([ expect.stringContaining('is also that of https://pods.example/v1/data-users/bank0') ]);
    await writeFile(join(folder, 'bank0.png'), Buffer.alloc(20_001));
    expect((await load()).errors).toContainEqual(expect.stringContaining('at most 20000 bytes'));
  });
});
