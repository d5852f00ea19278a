import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataType } from '../../../src/data-types/DataType';
import { belgianNumbers as numbers } from '../../../src/identity/belgianNumbers';
import { FilesSource } from '../../../src/sources/files/FilesSource';
import { FilesSourceKind } from '../../../src/sources/files/FilesSourceKind';
import { HttpSource } from '../../../src/sources/http/HttpSource';
import { HttpSourceKind } from '../../../src/sources/http/HttpSourceKind';
import type { Source, SourceRecord } from '../../../src/sources/Source';
import type { SourceKind } from '../../../src/sources/SourceKind';
import type { OpenSources } from '../../../src/sources/openSources';
import { Mistakes } from '../../../src/platform/Mistakes';
import { openSources } from '../../../src/sources/openSources';
import { sound } from '../../support/mistakes';

const baseUrl = 'https://pods.example/';

function dataType(slug: string): DataType {
  return { iri: `${baseUrl}v1/data-types/${slug}`, slug, labels: [], turtle: '', targetClass: 'https://example.org/C' };
}

const types = [ dataType('diploma/2024-05-22'), dataType('student-certificate/2024-06-01') ];
const [ diploma, certificate ] = types.map(({ iri }): string => iri);
const number = '85073099140';
const record = { citizen: number, id: 'diploma-1', version: '1', credentialSubject: { name: 'Bachelor' }};

const files = { kind: 'files', dataType: '/v1/data-types/diploma/2024-05-22', folder: 'records' };
const http = {
  kind: 'http',
  dataType: certificate,
  endpoint: 'https://source.example/api/',
  oauth: { issuer: 'https://id.example/', clientId: 'sharing', clientSecretEnv: 'SOURCE_SECRET' },
};

const dataTypes = {
  list: (): DataType[] => types,
  find: (iri: string): DataType | undefined => types.find((type): boolean => type.iri === iri),
};

const logger = { warn: (): void => undefined };

/** A kind of another package. */
const memory: SourceKind = {
  kind: 'memory',
  schema: { properties: { ids: { type: 'array', items: { type: 'string' }}}, required: [ 'ids' ]},
  open: ({ ids }: { ids: string[] }, { dataType: iri, mistake, trustedIssuers }): Source => {
    if (ids.length === 0) {
      throw mistake('ids', 'must not be empty');
    }
    return {
      dataType: iri,
      trustedIssuers,
      list: async(): Promise<SourceRecord[]> => ids.map((id): SourceRecord =>
        ({ id, version: '1', credentialSubject: {}})),
      verify: async(): Promise<boolean> => true,
    };
  },
};
const kinds = [ new FilesSourceKind(), new HttpSourceKind() ];

function now(): Date {
  return new Date('2026-01-01T12:00:00Z');
}

async function open(setting: string, secret = 'secret'): Promise<OpenSources> {
  const options = { kinds, numbers, dataTypes, baseUrl, env: { SOURCE_SECRET: secret }, now, logger };
  return sound(async(mistakes): Promise<OpenSources> => openSources(setting, options, mistakes));
}

async function openWith(file: string, more: SourceKind[] = [ memory ]): Promise<OpenSources> {
  const options = { kinds: [ ...kinds, ...more ], numbers, dataTypes, baseUrl, env: {}, now, logger };
  return sound(async(mistakes): Promise<OpenSources> => openSources(file, options, mistakes));
}

describe('The sources that the settings name', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'sources-'));
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  async function put(path: string, json: unknown): Promise<string> {
    const file = join(folder, path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, typeof json === 'string' ? json : JSON.stringify(json));
    return file;
  }

  it('are folders named by the slugs of data types.', async(): Promise<void> => {
    await put('diploma/2024-05-22/a.json', record);
    await put('diploma/2024-05-22/source.json', { trustedIssuers: [ 'did:key:z6Mk' ]});
    await put('.git/config.json', '');
    await put('README.md', '');
    const sources = await open(folder);
    const source = sources.find(diploma);
    expect(sources.all.map((one): string | undefined => one.folder)).toEqual([ join(folder, 'diploma/2024-05-22') ]);
    expect(source?.trustedIssuers).toEqual([ 'did:key:z6Mk' ]);
    await expect(source!.list(number)).resolves.toMatchObject([{ id: 'diploma-1' }]);
    expect(sources.find(certificate)).toBeUndefined();
    expect(sources.find('https://pods.example/other')).toBeUndefined();
  });

  it('are none if there is no folder.', async(): Promise<void> => {
    const sources = await open(join(folder, 'none'));
    expect(sources.find(diploma)).toBeUndefined();
  });

  it.each([ 'diplomas/2024-05-22', 'diploma/2024', 'diploma/2024-05-22x', 'other' ])(
    'are not in folder %s, which is not named after a data type.',
    async(path): Promise<void> => {
      await put(`${path}/a.json`, record);
      await expect(open(folder)).rejects.toThrow(join(folder, path.startsWith('diploma/') ? path : path.split('/')[0]));
    },
  );

  it.each([ 'a.json', 'diploma/a.json', 'diploma/a.jsonld', 'diploma/A.JSON' ])(
    'have no record in %s, outside of the folder of a data type.',
    async(path): Promise<void> => {
      const file = await put(path, record);
      await expect(open(folder)).rejects.toThrow(`${file} lies outside`);
    },
  );

  it('are listed in a JSON file, of both kinds.', async(): Promise<void> => {
    await put('records/a.json', record);
    const file = await put('sources.json', [ files, { ...http, trustedIssuers: [ 'https://issuer.example/' ]}]);
    const sources = await open(file);
    expect(sources.find(diploma)).toBeInstanceOf(FilesSource);
    await expect(sources.find(diploma)!.list(number)).resolves.toMatchObject([{ id: 'diploma-1' }]);
    expect(sources.find(certificate)).toBeInstanceOf(HttpSource);
    expect(sources.find(certificate)!.trustedIssuers).toEqual([ 'https://issuer.example/' ]);
    expect(sources.all.map((one): string | undefined => one.folder)).toEqual([ join(folder, 'records'), undefined ]);
  });

  it('have a name if the file gives one, in each language.', async(): Promise<void> => {
    const name = { nl: 'Onderwijsregister', fr: 'Registre', de: 'Bildungsregister', en: 'Education Register' };
    await put('records/a.json', record);
    const sources = await open(await put('sources.json', [{ ...files, name }, http ]));
    expect(sources.nameOf(diploma)).toEqual([
      { value: 'Onderwijsregister', language: 'nl' },
      { value: 'Registre', language: 'fr' },
      { value: 'Bildungsregister', language: 'de' },
      { value: 'Education Register', language: 'en' },
    ]);
    expect(sources.nameOf(certificate)).toBeUndefined();
    expect(sources.nameOf('https://pods.example/other')).toBeUndefined();
  });

  it.each([
    [ 'lacks a language', { nl: 'a', fr: 'a', de: 'a' }, '/0/name/en is missing' ],
    [ 'has a language too many', { nl: 'a', fr: 'a', de: 'a', en: 'a', it: 'a' }, '/0/name/it is not a member' ],
    [ 'is empty', { nl: 'a', fr: 'a', de: 'a', en: ' ' }, '/0/name/en' ],
  ])('cannot have a name that %s.', async(_, name, message): Promise<void> => {
    const file = await put('sources.json', [{ ...files, name }]);
    await expect(open(file)).rejects.toThrow(`${file}: ${message}`);
  });

  it('need the secret of each client in the environment.', async(): Promise<void> => {
    const file = await put('sources.json', [ http ]);
    const message = `${file}: /0/oauth/clientSecretEnv names an environment variable that is not set: SOURCE_SECRET`;
    await expect(open(file, '')).rejects.toThrow(message);
    const mistakes = new Mistakes();
    await openSources(file, { kinds, numbers, dataTypes, baseUrl, env: {}, now, logger }, mistakes);
    expect(mistakes.errors).toEqual([ message ]);
  });

  it.each<[string, unknown, string]>([
    [ 'another kind with a letter too many', [{ ...http, kind: 'https' }], '/0/kind must be files or http' ],
    [ 'an object', {}, 'the document must be array' ],
    [ 'another kind', [{ ...files, kind: 'ftp' }], '/0/kind must be files or http' ],
    [ 'no kind', [ files, { ...http, kind: undefined }], '/1/kind is missing' ],
    [ 'no data type', [{ ...files, dataType: undefined }], '/0/dataType is missing' ],
    [ 'no folder', [{ ...files, folder: undefined }], '/0/folder is missing' ],
    [ 'a folder that is not there', [{ ...files, folder: 'none' }], '/0/folder is not a folder' ],
    [ 'an endpoint for files', [{ ...files, endpoint: 'https://source.example/' }], '/0/endpoint is not a member' ],
    [ 'no endpoint', [{ ...http, endpoint: undefined }], '/0/endpoint is missing' ],
    [ 'no client', [{ ...http, oauth: undefined }], '/0/oauth is missing' ],
    [ 'a secret', [{ ...http, oauth: { ...http.oauth, clientSecret: 's' }}], '/0/oauth/clientSecret is not a member' ],
    [ 'no client id', [{ ...http, oauth: { ...http.oauth, clientId: undefined }}], '/0/oauth/clientId is missing' ],
    [ 'an FTP endpoint', [{ ...http, endpoint: 'ftp://source.example/' }], '/0/endpoint must be an http or https URL' ],
    [ 'a password', [{ ...http, endpoint: 'https://a:b@source.example/' }], '/0/endpoint must be' ],
    [ 'a query', [{ ...http, endpoint: 'https://source.example/?key=1' }], '/0/endpoint must be' ],
    [ 'a malformed issuer', [{ ...http, oauth: { ...http.oauth, issuer: 'id.example' }}], '/0/oauth/issuer must be' ],
    [ 'an issuer that is not text', [{ ...files, trustedIssuers: [ 1 ]}], '/0/trustedIssuers/0 must be string' ],
    [ 'an unknown data type', [{ ...http, dataType: '/v1/data-types/other' }], '/0/dataType is not a' ],
    [ 'a data type twice', [ http, { ...http, dataType: certificate.slice(baseUrl.length) }], '/1/dataType' ],
  ])('cannot be %s: file and member are named.', async(_what, json, message): Promise<void> => {
    await mkdir(join(folder, 'records'));
    const file = await put('sources.json', json);
    await expect(open(file)).rejects.toThrow(`${file}: ${message}`);
  });

  describe('with a kind of another package', (): void => {
    const listed = { kind: 'memory', dataType: certificate, ids: [ 'a', 'b' ]};

    it('are opened by it, and report that.', async(): Promise<void> => {
      const sources = await openWith(await put('sources.json', [{ ...listed, trustedIssuers: [ 'did:key:z6Mk' ]}]));
      expect(sources.kindOf(certificate)).toBe('memory');
      expect(sources.find(certificate)!.trustedIssuers).toEqual([ 'did:key:z6Mk' ]);
      await expect(sources.find(certificate)!.list(number)).resolves.toHaveLength(2);
    });

    it.each<[string, unknown, string]>([
      [ 'an unknown kind', [{ ...listed, kind: 'csv' }], '/0/kind must be files, http or memory' ],
      [ 'a member that the kind does not have', [{ ...listed, folder: 'a' }], '/0/folder is not a member' ],
      [ 'a member of the wrong type', [{ ...listed, ids: 'a' }], '/0/ids must be array' ],
      [ 'a value that the kind refuses', [{ ...listed, ids: []}], '/0/ids must not be empty' ],
      [ 'no data type', [{ ...listed, dataType: undefined }], '/0/dataType is missing' ],
    ])('cannot be %s: file and member are named.', async(_what, json, message): Promise<void> => {
      await expect(openWith(await put('sources.json', json))).rejects.toThrow(`sources.json: ${message}`);
    });

    it('are refused if two kinds have one name.', async(): Promise<void> => {
      await expect(openWith(await put('sources.json', [ listed ]), [ memory, memory ]))
        .rejects.toThrow('--sources: the configuration has two kinds called memory');
    });
  });

  it('are refused with line and column if the file is not JSON.', async(): Promise<void> => {
    const file = await put('sources.json', '[\n  {]\n]');
    await expect(open(file)).rejects.toThrow(`${file}:2:4: not JSON: `);
  });

  it('are all checked: each wrong one is named.', async(): Promise<void> => {
    const entries = [{ ...files, folder: 'none' }, { ...http, dataType: '/v1/data-types/other' }];
    const file = await put('sources.json', entries);
    await expect(open(file)).rejects.toThrow('/0/folder is not a folder');
    await expect(open(file)).rejects.toThrow('/1/dataType is not a data type');
  });

  it('are refused if the JSON file is missing.', async(): Promise<void> => {
    const file = join(folder, 'sources.json');
    await expect(open(file)).rejects.toThrow(`--sources: ${file} cannot be read (ENOENT)`);
  });

  it('are refused with the reason if it is unknown whether there is a folder.', async(): Promise<void> => {
    await writeFile(join(folder, 'file'), '');
    const path = join(folder, 'file/sources');
    await expect(open(path)).rejects.toThrow(`--sources: ${path} cannot be read (ENOTDIR)`);
  });
});
