import { join } from 'node:path';
import { freePort } from '../../../demo/lib/freePort';
import { startProcess } from '../../../demo/lib/startProcess';
import { rawRequest } from '../../support/rawRequest';
import { removeFolder, temporaryFolder } from '../../support/world';

/** Responds with a long body, and at /idle with the number of connections without a request. */
const program = `
  const idle = new Set();
  require('node:http').createServer(({ socket, url }, response) => {
    idle.delete(socket);
    response.end(url === '/idle' ? String(idle.size) : 'a'.repeat(2_000_000));
  }).on('connection', socket => {
    idle.add(socket);
    socket.on('close', () => idle.delete(socket));
  }).listen(Number(process.argv[1]));
  process.once('SIGTERM', () => process.exit());
`;

describe('A process that was started', (): void => {
  let folder: string;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
  });

  afterAll(async(): Promise<void> => removeFolder(folder));

  // A stopping server waits a second for the first request on a connection.
  it('is left without an idle connection.', async(): Promise<void> => {
    const port = await freePort();
    const base = `http://localhost:${port}/`;
    const { stop } = await startProcess({
      args: [ '-e', program, String(port) ],
      logFile: join(folder, 'log'),
      readyUrl: base,
    });
    const { text } = await rawRequest(base, 'GET', '/idle').finally(stop);
    expect(text).toBe('0');
  });
});
