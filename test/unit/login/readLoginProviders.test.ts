import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { readLoginProviders } from '../../../src/login/readLoginProviders';
import { describeProvider, writeProviders } from '../../support/nationalLogin';
import { removeFolder, temporaryFolder } from '../../support/world';

function by(clientAuthentication: object): object {
  return { clientAuthentication };
}

function patterned(pattern: string): object {
  return { nationalNumber: { from: 'id_token', claim: 'x', pattern }};
}

const usual = describeProvider('https://id.example');

describe('The file of national identity providers', (): void => {
  let folder: string;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const key = { ...await exportJWK(privateKey), alg: 'ES256', kid: 'a' };
    for (const [ name, document, mode ] of [
      [ 'key.jwk', key, 0o600 ],
      [ 'keys.jwk', { keys: [ key, key ]}, 0o600 ],
      [ 'open.jwk', key, 0o644 ],
      [ 'public.jwk', { ...key, d: undefined }, 0o600 ],
    ] as const) {
      await writeFile(join(folder, name), JSON.stringify(document));
      await chmod(join(folder, name), mode);
    }
  });

  afterAll(async(): Promise<void> => removeFolder(folder));

  async function read(providers: object[], allowHttp = false): ReturnType<typeof readLoginProviders> {
    const file = await writeProviders(folder, providers);
    return readLoginProviders({ file, environment: { SECRET: 'a secret' }, allowHttp });
  }

  it('is read with its keys and secrets.', async(): Promise<void> => {
    const [ one, two, three ] = await read([
      { ...usual, clientAuthentication: { method: 'client_secret_basic', secretEnv: 'SECRET' }},
      {
        ...usual,
        id: 'two',
        clientAuthentication: { method: 'private_key_jwt', keyFile: 'key.jwk' },
        decryptionKeyFile: 'keys.jwk',
      },
      { ...usual, id: 'three', clientAuthentication: { method: 'none' }, nameClaim: '/person/name' },
    ]);
    expect(one).toMatchObject({ clientAuthentication: { secret: 'a secret' }, par: false, parameters: {}});
    expect(two).toMatchObject({ clientAuthentication: { key: { kid: 'a' }}});
    expect(two.decryptionKeys).toHaveLength(2);
    expect(three).toMatchObject({ clientAuthentication: { method: 'none' }, nameClaim: '/person/name' });
  });

  it.each([
    [ 'an http issuer', { issuer: 'http://id.example' }, '/0/issuer must be an https URL' ],
    [ 'an issuer with a query', { issuer: 'https://id.example?x' }, '/0/issuer must be an https URL' ],
    [ 'an id that is not a path segment', { id: '../x' }, '/0/id must match' ],
    [ 'a name that is missing in a language', { name: { nl: 'a', fr: 'b', de: 'c' }}, '/0/name/en is missing' ],
    [ 'an empty claim of the name', { nameClaim: '' }, '/0/nameClaim' ],
    [ 'scopes without openid', { scopes: [ 'profile' ]}, '/0/scopes must contain' ],
    [ 'an unknown member', { acr: 'high' }, '/0/acr is not a member' ],
    [ 'a number from nowhere', { nationalNumber: { from: 'header', claim: 'x' }}, '/0/nationalNumber/from must be' ],
    [ 'a broken pattern', patterned('['), '/0/nationalNumber/pattern is not a regular expression' ],
    [ 'a pattern that closes a group', patterned('a)|(?:b'), '/0/nationalNumber/pattern is not a regular expression' ],
    [ 'a parameter that is made here', { parameters: { state: 'x' }}, '/0/parameters' ],
    [ 'a secret that is not there', by({ method: 'client_secret_post', secretEnv: 'NONE' }), 'no variable NONE' ],
    [ 'a secret in the file', by({ method: 'client_secret_post', secret: 'hunter2' }), '/0/clientAuthentication' ],
    [ 'an unknown audience', by({ method: 'private_key_jwt', audience: 'par' }), '/0/clientAuthentication/audience' ],
    [ 'a key that is not there', by({ method: 'private_key_jwt', keyFile: 'none.jwk' }), 'none.jwk cannot be read' ],
    [ 'a key that others can read', { decryptionKeyFile: 'open.jwk' }, 'mode 0600' ],
    [ 'a public key', { decryptionKeyFile: 'public.jwk' }, 'is neither a private JWK' ],
    [ 'signed requests without a key', { ...by({ method: 'none' }), requestObject: true }, '/0/requestObject needs' ],
  ])('is refused with %s, naming file and member.', async(_what, member, message): Promise<void> => {
    const failed = await read([{ ...usual, ...member }]).catch((error: unknown): string => (error as Error).message);
    expect(failed).toContain(message);
    expect(failed).toContain(folder);
    expect(failed).not.toContain('hunter2');
  });

  it('is refused with two of one id, without any, or of another type.', async(): Promise<void> => {
    await expect(read([ usual, usual ])).rejects.toThrow('/1/id is also used by another provider');
    await expect(read([])).rejects.toThrow('must NOT have fewer than 1 items');
    const file = join(folder, 'broken.json');
    await writeFile(file, '[\n{ "id": }]');
    const options = { file, environment: {}, allowHttp: false };
    await expect(readLoginProviders(options)).rejects.toThrow(`${file}:2:9: not JSON`);
    await expect(readLoginProviders({ ...options, file: join(folder, 'none') })).rejects.toThrow('--nationalLogin');
  });

  it('accepts http where that is allowed.', async(): Promise<void> => {
    await expect(read([{ ...usual, issuer: 'http://localhost:1/' }], true)).resolves.toHaveLength(1);
  });
});
