import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { requireFreePort } from '../../../src/cli/requireFreePort';

describe('Before the server is loaded,', (): void => {
  let taken: Server;
  let port: string;

  beforeAll(async(): Promise<void> => {
    taken = createServer().listen(0);
    await once(taken, 'listening');
    port = String((taken.address() as AddressInfo).port);
  });

  afterAll((): void => {
    taken.close();
  });

  it.each([
    [ 'a flag', (used: string): string[] => [ '--port', used ], {}],
    [ 'its short form', (used: string): string[] => [ '-p', used ], {}],
    [ 'one word', (used: string): string[] => [ `--port=${used}` ], {}],
  ])('a port in use is named, given by %s.', async(_name, words, environment): Promise<void> => {
    await expect(requireFreePort(words(port), environment)).rejects.toThrow(`Port ${port} is in use`);
  });

  it('a port in use is named, given by the environment.', async(): Promise<void> => {
    await expect(requireFreePort([], { CSS_PORT: port })).rejects.toThrow(`Port ${port} is in use`);
  });

  it.each([ 'abc', '', '0', '70000', '3000.5' ])('a port that is none is refused: %j.', async(none): Promise<void> => {
    const refusal = '--port must be a whole number from 1 to 65535';
    await expect(requireFreePort([ `--port=${none}` ], {})).rejects.toThrow(refusal);
    await expect(requireFreePort([], { CSS_PORT: none })).rejects.toThrow(refusal);
  });

  it('a flag overrides the environment, and a socket both.', async(): Promise<void> => {
    taken.close();
    await once(taken, 'close');
    await expect(requireFreePort([ '-p', port ], { CSS_PORT: '1' })).resolves.toBeUndefined();
    taken = createServer().listen(Number(port));
    await once(taken, 'listening');
    await expect(requireFreePort([ '-p', port, '--socket', 'css.sock' ], {})).resolves.toBeUndefined();
  });
});
