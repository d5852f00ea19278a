import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createCitizen, expectProblem } from '../support/callers';
import { buildExtensionPackage } from '../support/extensionPackage';
import { fictitiousNumber } from '../support/sharingBench';
import { json } from '../support/sharingWorld';
import { TestIssuer } from '../support/TestIssuer';
import type { TestServer } from '../support/world';
import { removeFolder, startServer, temporaryFolder } from '../support/world';

const bin = join(__dirname, '../../bin/css-data-sharing.js');
const diploma = join(__dirname, '../../demo/data/sources/diploma/2024-05-22/emma-master.json');

describe('A server with parts of another package', (): void => {
  let folder: string;
  let flags: Record<string, string>;
  let issuer: TestIssuer;
  let server: TestServer;
  const number = fictitiousNumber(1);

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    const mainModulePath = join(folder, 'example-extension');
    await buildExtensionPackage(mainModulePath);
    const { credentialSubject: template } = JSON.parse(await readFile(diploma, 'utf8'));
    const dataType = '/v1/data-types/diploma/2024-05-22';
    await writeFile(join(folder, 'records.csv'), `${number},diploma-1,1\n`);
    flags = {
      mainModulePath,
      config: join(mainModulePath, 'config/server.json'),
      sources: await settings('sources.json', [{ kind: 'csv', dataType, file: 'records.csv', template }]),
      buildings: await settings('buildings.json', { kind: 'listed', documents: { 'a/b': { id: 'a/b' }}}),
    };
    issuer = await TestIssuer.start();
    server = await startServer({ nationalIssuers: [ issuer.issuer ], loggingLevel: 'info', flags });
  });

  afterAll(async(): Promise<void> => {
    await server?.stop();
    await issuer?.stop();
    await removeFolder(folder);
  });

  async function settings(name: string, content: unknown): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, JSON.stringify(content));
    return file;
  }

  /** Prints of `css-data-sharing check`, where there are no records. */
  async function check(words: string[]): Promise<string> {
    const { JEST_WORKER_ID: _, ...env } = process.env;
    const child = execFile(process.execPath, [ bin, 'check', ...words ], { cwd: folder, env });
    return text(child.stdout!);
  }

  describe('for sources and building registers', (): void => {
    it('has the records of a source of its kind.', async(): Promise<void> => {
      expect(server.log()).toContain('diploma/2024-05-22 (csv)');
      const { client } = await createCitizen(server.base, issuer, number);
      const response = await client.request('GET', `${server.base}v1/contracts/diploma-employment/data`);
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
});
