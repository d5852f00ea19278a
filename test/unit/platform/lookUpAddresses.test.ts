import { Resolver } from 'node:dns/promises';
import { lookUpAddresses } from '../../../src/platform/lookUpAddresses';

describe('The addresses of a name', (): void => {
  afterEach((): void => {
    jest.restoreAllMocks();
  });

  it('are those in the file of hosts.', async(): Promise<void> => {
    const ask = jest.spyOn(Resolver.prototype, 'resolve4');
    for (const name of [ 'localhost', 'LocalHost.' ]) {
      const addresses = (await lookUpAddresses(name)).map(({ address }): string => address);
      expect(addresses.length).toBeGreaterThan(0);
      expect([ '127.0.0.1', '::1' ]).toEqual(expect.arrayContaining(addresses));
    }
    expect(ask).not.toHaveBeenCalled();
  });

  it('are those of both families that its name servers know.', async(): Promise<void> => {
    const unknown = new Error('queryA ENODATA');
    const ipv4 = jest.spyOn(Resolver.prototype, 'resolve4').mockResolvedValue([ '192.0.2.1', '192.0.2.2' ] as never);
    const ipv6 = jest.spyOn(Resolver.prototype, 'resolve6').mockResolvedValue([ '2001:db8::1' ] as never);
    await expect(lookUpAddresses('user.example')).resolves.toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
    ipv4.mockRejectedValue(unknown);
    await expect(lookUpAddresses('user.example')).resolves.toEqual([{ address: '2001:db8::1', family: 6 }]);
    ipv6.mockRejectedValue(unknown);
    await expect(lookUpAddresses('user.example')).resolves.toEqual([]);
  });
});
