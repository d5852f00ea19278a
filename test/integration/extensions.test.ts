import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOfStream } from 'node:stream/consumers';
import type { ChainRow } from '../../src/audit/chain';
import { chainStart, checkRow } from '../../src/audit/chain';
import type { TestCitizen } from '../support/callers';
import { clientOf, createCitizen, expectProblem } from '../support/callers';
import { buildExtensionPackage } from '../support/extensionPackage';
import { json, until } from '../support/sharingWorld';
import { TestIssuer } from '../support/TestIssuer';
import type { TestServer } from '../support/world';
import { freePort, removeFolder, startServer, temporaryFolder } from '../support/world';

const bin = join(__dirname, '../../bin/css-data-sharing.js');
const diploma = join(__dirname, '../../demo/data/sources/diploma/2024-05-22/emma-master.json');

describe('A server with parts of another package', (): void => {
  let folder: string;
  let flags: Record<string, string>;
  let issuer: TestIssuer;
  let server: TestServer;
  let citizen: TestCitizen;
  const number = 'ZZ-123456';

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    const mainModulePath = join(folder, 'example-extension');
    await buildExtensionPackage(mainModulePath);
    const port = await freePort();
    const text = (await readFile(diploma, 'utf8')).replaceAll('"/v1/', `"http://localhost:${port}/v1/`);
    const { credentialSubject: template } = JSON.parse(text);
    const dataType = '/v1/data-types/diploma/2024-05-22';
    await writeFile(join(folder, 'records.csv'), `${number},diploma-1,1\n`);
    flags = {
      mainModulePath,
      config: join(mainModulePath, 'config/server.json'),
      sources: await settings('sources.json', [{ kind: 'csv', dataType, file: 'records.csv', template }]),
      buildings: await settings('buildings.json', { kind: 'listed', documents: { 'a/b': { id: 'a/b' }}}),
    };
    process.env.EXAMPLE_SIGNER = join(mainModulePath, 'signer.js');
    process.env.EXAMPLE_AUDIT_FILE = join(folder, 'audit.ndjson');
    issuer = await TestIssuer.start();
    server = await startServer({ port, nationalIssuers: [ issuer.issuer ], loggingLevel: 'info', flags });
    citizen = await createCitizen(server.base, issuer, number);
  });

  afterAll(async(): Promise<void> => {
    await server?.stop();
    await issuer?.stop();
    delete process.env.EXAMPLE_SIGNER;
    delete process.env.EXAMPLE_AUDIT_FILE;
    await removeFolder(folder);
  });

  async function settings(name: string, content: unknown): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, JSON.stringify(content));
    return file;
  }

  /** Returns the output of `css-data-sharing check`, without records. */
  async function check(words: string[]): Promise<string> {
    const { JEST_WORKER_ID: _, ...env } = process.env;
    const child = execFile(process.execPath, [ bin, 'check', ...words ], { cwd: folder, env });
    return textOfStream(child.stdout!);
  }

  async function textOf(path: string): Promise<string> {
    return (await fetch(server.base + path)).text();
  }

  describe('for sources and building registers', (): void => {
    it('serves the records of a source of its kind.', async(): Promise<void> => {
      expect(server.log()).toContain('diploma/2024-05-22 (csv)');
      const response = await citizen.client.request('GET', `${server.base}v1/contracts/diploma-employment/data`);
      await expect(json(response)).resolves
        .toMatchObject({ dataValues: [{ type: expect.stringContaining('diploma') }]});
    });

    it('serves a building register of its kind.', async(): Promise<void> => {
      await expect(json(await fetch(`${server.base}v1/gebouwen/a/b`))).resolves.toEqual({ id: 'a/b' });
      await expectProblem(await fetch(`${server.base}v1/gebouwen/a`), 404, 'building-not-found');
    });

    it('has settings that css-data-sharing check can check.', async(): Promise<void> => {
      const { config, mainModulePath, sources } = flags;
      const extended = [ '-c', config, '-m', mainModulePath ];
      const right = await check([ ...extended, '--sources', sources ]);
      expect(right).toContain('diploma/2024-05-22 (csv)');
      expect(right).toContain('Records of diploma/2024-05-22: 1.');
      await expect(check([ '--sources', sources ])).resolves.toContain('/0/kind must be files or http');
    });
  });

  describe('for national numbers', (): void => {
    it('knows citizens by them, in any spelling, and by no others.', async(): Promise<void> => {
      const same = await clientOf(issuer, { citizen_national_id: 'zz-123 456' });
      await expect(json(await same.request('GET', `${server.base}v1/webids`))).resolves.toEqual({ uri: citizen.webId });
      const belgian = await clientOf(issuer, { citizen_national_id: '85073099140' });
      await expectProblem(await belgian.request('GET', `${server.base}v1/webids`), 403, 'identity-invalid');
    });

    it('takes them as business keys, of a type that its OpenAPI document names.', async(): Promise<void> => {
      const { components } = await json<OpenApi>(await fetch(`${server.base}v1/openapi.json`));
      expect(JSON.stringify(components.schemas.BusinessKeyRequest)).toContain('["NATIONAL_NUMBER_ZZ"]');
      const url = `${server.base}v1/verifications/business-key`;
      for (const [ type, value, problem ] of [
        [ 'NATIONAL_NUMBER_ZZ', number, 'credential-malformed' ],
        [ 'NATIONAL_NUMBER_BE', number, 'body-invalid' ],
      ]) {
        const body = { businessKey: { type, value }, accessGrantVc: '{}' };
        await expectProblem(await citizen.client.request('POST', url, { body }), 400, problem);
      }
    });

    it('keeps them out of the log.', async(): Promise<void> => {
      await fetch(`${server.base}${number}`);
      await fetch(`${server.base}zz%2D123%20456`);
      await until(async(): Promise<boolean> => server.log().includes('/[number]'));
      // Within hexadecimal ids, such digits are there by chance.
      expect(server.log()).not.toMatch(/(?<![\da-f])123.{0,3}456(?![\da-f])/u);
    });
  });

  describe('for signing keys', (): void => {
    it('publishes the keys, and holds no private one.', async(): Promise<void> => {
      await expect(textOf('v1/issuer')).resolves.toContain('#hsm-credentials');
      await expect(textOf('.access/keys')).resolves.toContain('#hsm-grants');
      expect((await readdir(join(server.folder, 'keys'))).sort()).toEqual([ 'blind-index.key', 'encryption.key' ]);
    });

    it('signs credentials, grants and status lists with them.', async(): Promise<void> => {
      const url = `${server.base}v1/contracts/diploma-employment/data`;
      const { dataValues: [{ id }] } = await json<Listed>(await citizen.client.request('GET', url));
      const response = await citizen.client.request('POST', url, { body: { dataValues: [ id ]}});
      const [{ podResource }] = await json<{ podResource: string }[]>(response);
      const credential = await json<Signed>(await citizen.client.request('GET', podResource));
      expect(credential.proof.verificationMethod).toBe(`${server.base}v1/issuer#hsm-credentials`);
      const list = credential.credentialStatus.statusListCredential;
      expect((await json<Signed>(await fetch(list))).proof.verificationMethod).toContain('#hsm-credentials');
      const resource = encodeURIComponent(podResource);
      await expect(citizen.client.request('GET', `${server.base}v1/resources?resource=${resource}&verified=true`, {
        headers: { 'X-Access-Grant': `${server.base}.access/vc/none` },
      })).resolves.toHaveProperty('status', 403);
    });
  });

  describe('for the audit record', (): void => {
    it('gives every row to the sink, chained, without naming anybody.', async(): Promise<void> => {
      const file = process.env.EXAMPLE_AUDIT_FILE!;
      await until(async(): Promise<boolean> =>
        (await readFile(file, 'utf8').catch((): string => '')).includes('data.shared'));
      const text = await readFile(file, 'utf8');
      const rows = text.trim().split('\n').map((line): ChainRow => JSON.parse(line) as ChainRow);
      expect(rows.flatMap((row, at): unknown[] => checkRow(at === 0 ? chainStart : rows[at - 1], row))).toEqual([]);
      expect(rows.map(({ type }): string => type)).toContain('webid.created');
      expect(text).not.toContain(citizen.webId);
      // Within hexadecimal hashes, such digits are there by chance.
      expect(text).not.toMatch(/(?<![\da-f])123456(?![\da-f])/u);
    });
  });

  describe('for operations', (): void => {
    it('serves those of the package, checked and described like its own.', async(): Promise<void> => {
      const url = `${server.base}v1/greeting`;
      await expect(json(await fetch(url))).resolves.toEqual({ text: 'Hello!' });
      await expectProblem(await fetch(url, { method: 'POST', body: '{}' }), 401, 'token-missing');
      await expectProblem(await citizen.client.request('POST', url, { body: { surname: 'x' }}), 400, 'body-invalid');
      await expect(json(await citizen.client.request('POST', url, { body: { name: 'Emma' }})))
        .resolves.toEqual({ text: 'Hello, Emma!' });
      const { components, paths } = await json<OpenApi>(await fetch(`${server.base}v1/openapi.json`));
      expect(Object.keys(paths['/v1/greeting'])).toEqual([ 'get', 'post' ]);
      expect(components.schemas).toHaveProperty('Greeting');
      await expect(json(await fetch(`${server.base}v1`))).resolves.toMatchObject({ more: [ url ]});
    });

    it('leaves out those that a configuration file leaves out.', async(): Promise<void> => {
      const url = `${server.base}v1/data-copies`;
      await expectProblem(await citizen.client.request('GET', url), 404, 'path-unknown');
      const { paths } = await json<OpenApi>(await fetch(`${server.base}v1/openapi.json`));
      expect(paths).not.toHaveProperty('/v1/data-copies');
    });
  });
});

interface OpenApi {
  paths: Record<string, object>;
  components: { schemas: Record<string, unknown> };
}

interface Listed {
  dataValues: { id: string }[];
}

interface Signed {
  proof: { verificationMethod: string };
  credentialStatus: { statusListCredential: string };
}
