import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { MetricsServer } from '../../../../src/wiring/process/MetricsServer';

describe('MetricsServer', (): void => {
  it('names its setting when the port is in use.', async(): Promise<void> => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const metricsPort = String((other.address() as AddressInfo).port);
    const server = new MetricsServer({ metricsPort, metricsHost: '127.0.0.1', workers: 1 });
    try {
      await expect(server.handle()).rejects.toThrow(/^--metricsPort: nothing can listen there: .*EADDRINUSE/u);
    } finally {
      await server.finalize();
      other.close();
    }
  });
});
