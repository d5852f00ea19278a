import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientOf, createCitizen, expectProblem } from '../support/callers';
import { fictitiousNumber } from '../support/fictitiousNumber';
import { json, until } from '../support/sharingWorld';
import { TestIssuer } from '../support/TestIssuer';
import type { TestServer } from '../support/world';
import { freePort, removeFolder, startServer, temporaryFolder } from '../support/world';

const root = join(__dirname, '../..');
const demoContracts = join(root, 'demo/data/contracts');
const fixtures = join(__dirname, '../fixtures');

/** Prints whether a process that imports the server has loaded an engine for SPARQL, before and after using it. */
const sparqlEngine = `
  const { requireOfServer } = require('./dist/server/requireOfServer');
  const isLoaded = () => Object.keys(require.cache).some(path => path.includes('query-sparql/engine-default.js'));
  require('./dist/server/start/deferPackages').deferPackages();
  const { SparqlUpdatePatcher, fetchDataset } = requireOfServer('@solid/community-server');
  const loaded = [ isLoaded() ];
  loaded.push(new SparqlUpdatePatcher().engine.constructor.name, isLoaded());
  fetchDataset('data:,').catch(({ message }) => process.stdout.write(JSON.stringify([ ...loaded, message ])));
`;

describe('A server', (): void => {
  let folder: string;
  let national: TestIssuer;
  let trusted: TestIssuer;
  let port: number;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    national = await TestIssuer.start();
    trusted = await TestIssuer.start();
    port = await freePort();
    await cp(demoContracts, join(folder, 'contracts'), { recursive: true });
    await mkdir(join(folder, 'types'));
  });

  afterAll(async(): Promise<void> => {
    await Promise.all([ national.stop(), trusted.stop() ]);
    await removeFolder(folder);
  });

  /** The same server each time, its data in the same place. */
  async function start(flags: Record<string, string | undefined> = {}): Promise<TestServer> {
    return startServer({
      folder: join(folder, 'server'),
      port,
      nationalIssuers: [ national.issuer ],
      loggingLevel: 'info',
      flags: {
        contracts: join(folder, 'contracts'),
        dataTypes: join(folder, 'types'),
        buildings: undefined,
        legacyTokens: 'false',
        trustedIssuers: trusted.issuer,
        audience: 'https://sharing.example/',
        ...flags,
      },
    });
  }

  /** SQLite leaves its log behind only if nobody closes the database. */
  async function expectClosed(): Promise<void> {
    const written = await readdir(join(folder, 'server'));
    expect(written).toContain('records.sqlite');
    expect(written.filter((name): boolean => /-(?:wal|shm|journal)$/u.test(name))).toEqual([]);
  }

  it.each([
    [ '--help > /dev/full', 'The output could not be written: ENOSPC: no space left on device, write\n' ],
    [ 'completion bash > /dev/full', 'The output could not be written: ENOSPC: no space left on device, write\n' ],
    [ '--help | true', '' ],
  ])('ends with at most a line when nobody gets the output of %s.', async(words, message): Promise<void> => {
    const command = `"${process.execPath}" bin/css-data-sharing.js ${words}`;
    const { stderr } = await promisify(execFile)('sh', [ '-c', `${command} || true` ], { cwd: root });
    expect(stderr).toBe(message);
  });

  it('loads packages that few configurations use at their first use.', async(): Promise<void> => {
    const { stdout } = await promisify(execFile)(process.execPath, [ '-e', sparqlEngine ], { cwd: root });
    expect(JSON.parse(stdout)).toEqual([
      false,
      'QueryEngine',
      true,
      'Could not retrieve or parse the WebID document at data:,.',
    ]);
  });

  describe('that runs', (): void => {
    let server: TestServer;
    let webids: string;

    beforeAll(async(): Promise<void> => {
      server = await start();
      webids = `${server.base}v1/webids`;
    });

    afterAll(async(): Promise<void> => {
      await server?.stop();
    });

    it('accepts tokens for its own audience only.', async(): Promise<void> => {
      const claims = { citizen_national_id: fictitiousNumber(1) };
      const right = await clientOf(national, { ...claims, aud: [ 'https://sharing.example/', 'solid' ]});
      await expectProblem(await right.request('GET', webids), 404, 'webid-not-found');
      const wrong = await clientOf(national, { ...claims, aud: 'solid' });
      await expectProblem(await wrong.request('GET', webids), 401, 'token-invalid');
    });

    it('accepts no deprecated tokens if they are switched off.', async(): Promise<void> => {
      const claims = { citizen_national_id: fictitiousNumber(1), aud: undefined };
      const client = await clientOf(national, claims);
      await expectProblem(await client.request('GET', webids), 401, 'token-invalid');
      await expectProblem(await client.request('PUT', webids), 401, 'token-invalid');
    });

    it('accepts tokens of the issuers on its list only.', async(): Promise<void> => {
      const stranger = await TestIssuer.start();
      const aud = 'https://sharing.example/';
      const url = `${server.base}v1/data-copies`;
      const known = await clientOf(trusted, { aud, webid: trusted.profile('known') }, 'DPoP');
      expect((await known.request('GET', url)).status).toBe(200);
      const unknown = await clientOf(stranger, { aud, webid: stranger.profile('unknown') }, 'DPoP');
      await expectProblem(await unknown.request('GET', url), 401, 'token-invalid');
      const claims = { aud, webid: trusted.profile('known'), citizen_national_id: fictitiousNumber(1) };
      const pretender = await clientOf(trusted, claims, 'DPoP');
      await expectProblem(await pretender.request('PUT', webids), 403, 'issuer-not-national');
      await stranger.stop();
    });

    it('says that a building register is not set up.', async(): Promise<void> => {
      await expectProblem(await fetch(`${server.base}v1/gebouwen/90000001`), 404, 'not-enabled');
    });

    it('reloads contracts and data types on SIGHUP, and keeps old ones for broken ones.', async(): Promise<void> => {
      const contracts = join(folder, 'contracts');
      const text = await readFile(join(contracts, 'diploma-employment.jsonld'), 'utf8');
      await writeFile(join(contracts, 'new.jsonld'), text.replace('P90D', 'P3D'));
      await writeFile(join(contracts, 'diploma-employment.jsonld'), text.replace('P90D', 'ninety days'));
      await writeFile(join(contracts, 'student-discount.jsonld'), '{');
      const types = join(folder, 'types');
      await cp(join(fixtures, 'data-types/library-card.ttl'), join(types, 'library-card.ttl'));
      const url = `${server.base}v1/contracts/`;
      await expectProblem(await fetch(`${url}new`), 404, 'contract-not-found');
      server.signal('SIGHUP');
      await until(async(): Promise<boolean> => (await fetch(`${url}new`)).status === 200);
      await expect(json(await fetch(`${url}new`))).resolves.toMatchObject({ accessDuration: 'P3D' });
      await expect(json(await fetch(`${url}diploma-employment`))).resolves.toMatchObject({ accessDuration: 'P90D' });
      expect((await fetch(`${url}student-discount`)).status).toBe(200);
      expect(server.log()).toMatch(/diploma-employment\.jsonld: \/accessDuration/u);
      expect(server.log()).toMatch(/student-discount\.jsonld:1:2: not JSON/u);
      expect((await fetch(`${server.base}v1/data-types/library-card/2025-02-01`)).status).toBe(200);
      await until(async(): Promise<boolean> => server.log().includes('Data types: new library-card/2025-02-01.'));
      expect(server.log()).toContain('Contracts: new new.');
      await cp(demoContracts, contracts, { recursive: true });
    });

    it('has its records to itself: a second one, on another port, does not start.', async(): Promise<void> => {
      const second = startServer({
        folder: join(folder, 'server'),
        port: await freePort(),
        nationalIssuers: [ national.issuer ],
        flags: { contracts: join(folder, 'contracts'), buildings: undefined },
      });
      await expect(second).rejects.toThrow(`--records: another server uses ${join(folder, 'server/records.sqlite')}`);
      expect((await fetch(`${server.base}.health/ready`)).status).toBe(200);
    });

    /** Ends the server and looks at what is left. */
    async function expectCleanStop(signal: NodeJS.Signals): Promise<void> {
      server.signal(signal);
      await expect(server.exited).resolves.toBe(0);
      expect(server.log()).toMatch(/Stopping\..*No new connections.*the records are closed.*Stopped\./su);
      await expectClosed();
    }

    it('stops cleanly on SIGINT and starts again.', async(): Promise<void> => {
      const aud = 'https://sharing.example/';
      const { webId, client } = await createCitizen(server.base, national, fictitiousNumber(2), { aud });
      await expectCleanStop('SIGINT');
      server = await start();
      await expect(json(await client.request('GET', webids))).resolves.toEqual({ uri: webId });
    });

    it('stops cleanly on SIGTERM.', async(): Promise<void> => {
      await expectCleanStop('SIGTERM');
    });
  });

  /** Returns the message, as an operator sees it. */
  async function failure(flags: Record<string, string | undefined>): Promise<string> {
    const outcome = await start(flags).then(
      async(server): Promise<string> => {
        await server.stop();
        return 'It started.';
      },
      (error: unknown): string => (error as Error).message,
    );
    expect(outcome).toMatch(/^The process ended with 1 before it was ready/u);
    await expectClosed();
    return outcome;
  }

  // Each start takes seconds: mistakes that are found together are tested together.
  describe('does not start', (): void => {
    it('with a broken contract and a source within the pods: it names both.', async(): Promise<void> => {
      const contracts = join(folder, 'broken-contracts');
      await cp(demoContracts, contracts, { recursive: true });
      const file = join(contracts, 'student-discount.jsonld');
      await writeFile(file, (await readFile(file, 'utf8')).replace('"READ"', '"ALL"'));
      const records = join(folder, 'server/pods/records');
      const sources = join(folder, 'sources.json');
      await mkdir(records, { recursive: true });
      const entry = { kind: 'files', dataType: '/v1/data-types/diploma/2024-05-22', folder: records };
      await writeFile(sources, JSON.stringify([ entry ]));
      const message = await failure({ contracts, sources });
      expect(message).toContain(`${file}: /accessMode must be READ or WRITE`);
      expect(message).toContain(`--sources (${records})`);
    });

    it('with a missing key: it names the file, and starts once the key is back.', async(): Promise<void> => {
      const key = join(folder, 'server/keys/encryption.key');
      await rename(key, join(folder, 'encryption.key'));
      await expect(failure({})).resolves.toContain(`--keys: ${key} is missing`);
      await rename(join(folder, 'encryption.key'), key);
    });

    it('with a path in its base URL, which it does not record.', async(): Promise<void> => {
      const message = await failure({ baseUrl: `http://localhost:${port}/data/` });
      expect(message.match(/--baseUrl must be an origin without a path/gu)).toHaveLength(1);
      const noted = join(folder, 'server/pods/.internal/setup/current-base-url$.json');
      await expect(readFile(noted, 'utf8')).resolves.toContain(`"http://localhost:${port}/"`);
    });

    it('with a broken data type, contracts within the pods, a pod named v1: it names all.', async(): Promise<void> => {
      const dataTypes = join(folder, 'data-types');
      await mkdir(dataTypes, { recursive: true });
      const file = join(dataTypes, 'library-card.ttl');
      const turtle = await readFile(join(fixtures, 'data-types/library-card.ttl'), 'utf8');
      await writeFile(file, turtle.replace(/sh:targetClass [^;]*;/u, ''));
      const contracts = join(folder, 'server/pods/contracts');
      const pod = join(folder, 'server/pods/v1');
      await mkdir(pod, { recursive: true });
      const message = await failure({ dataTypes, contracts });
      expect(message).toContain(file);
      expect(message).toContain('sh:targetClass');
      expect(message).toContain(`--contracts (${contracts})`);
      expect(message).toContain(`http://localhost:${port}/v1/`);
      await rmdir(pod);
    });
  });
});
