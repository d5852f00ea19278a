import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { logInToAccount } from '../../demo/lib/accounts';
import { consumer } from '../../demo/lib/startDemo';
import type { Started } from '../../demo/lib/startProcess';
import { childEnvironment, startProcess } from '../../demo/lib/startProcess';
import { directory, freePort, removeFolder, temporaryFolder } from '../support/world';

interface DataTypes {
  dataTypes: { source?: { language: string; value: string }[] }[];
}

const root = join(__dirname, '../..');

// Each test starts servers one after the other.
jest.setTimeout(300_000);

describe('The demo', (): void => {
  it.each([
    [ 'at the national issuer', []],
    [ 'at the service with the national identity', [ '--login' ]],
  ])('runs to the end, and prints no secret: log-in %s.', async(_where, flags): Promise<void> => {
    const env = childEnvironment();
    const args = [ join(root, 'demo/story.js'), ...flags ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(stdout).toMatch(/Done: \d+ steps, \d+ requests/u);
    // Pushed, not polled.
    expect(stdout).toMatch(/AccessRevoked of http.*\n.*\d ms after it happened; the signature was verified\./u);
    expect(stdout).not.toMatch(/GET http\S*(?:data-copies|events)/u);
    expect(stdout).not.toMatch(/eyJ[\w-]+\.eyJ|whsec_/u);
    for (const { nationalNumber } of directory.citizens) {
      expect(stdout).not.toContain(nationalNumber);
    }
  });

  it('shows plan requests, from an overlay to the answer as one zip.', async(): Promise<void> => {
    const args = [ join(root, 'demo/story.js'), '--plan-requests' ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: childEnvironment() });
    expect(stdout).toMatch(/Done: 11 steps, \d+ requests/u);
    expect(stdout).toContain('"Rule": "link-unreferenced"');
    expect(stdout).toMatch(/→ 200 OK\n\s+\(\d+ bytes\)\n\s+index\.json\n\s+[\w-]{36}\.zip\n/u);
    expect(stdout).not.toMatch(/eyJ[\w-]+\.eyJ/u);
  });
});

describe('npm start', (): void => {
  let folder: string;
  let port: number;
  let nationalPort: number;
  let appPorts: number[];

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    port = await freePort();
    nationalPort = await freePort();
    appPorts = [ await freePort(), await freePort() ];
  });

  afterAll(async(): Promise<void> => {
    await removeFolder(folder);
  });

  async function serve(): Promise<Started & { base: string }> {
    const started = await startProcess({
      args: [
        join(root, 'demo/serve.js'),
        '--folder',
        join(folder, 'data'),
        '--port',
        String(port),
        '--nationalPort',
        String(nationalPort),
        '--citizenPort',
        String(appPorts[0]),
        '--dataUserPort',
        String(appPorts[1]),
      ],
      logFile: join(folder, 'serve.log'),
      // The last to start.
      readyUrl: `http://localhost:${appPorts[1]}/`,
    });
    return { ...started, base: `http://localhost:${port}/` };
  }

  it('has the data user\'s account, stops cleanly and starts again on its data.', async(): Promise<void> => {
    const first = await serve();
    await logInToAccount(first.base, consumer);
    const { dataTypes } = await (await fetch(`${first.base}v1/data-types`)).json() as DataTypes;
    expect(dataTypes.map(({ source }): string | undefined => source?.find(({ language }): boolean =>
      language === 'en')?.value)).toEqual([ 'Diploma Register', 'Education Register' ]);
    await first.stop();
    const second = await serve();
    await logInToAccount(second.base, consumer);
    for (const appPort of appPorts) {
      const clientId = `http://localhost:${appPort}/id.jsonld`;
      const response = await fetch(clientId);
      await expect(response.json()).resolves.toMatchObject({ client_id: clientId });
    }
    await second.stop();
    expect(second.log()).not.toContain('Error');
  });
});
