import { WaitingPlaces } from '../../../../src/server/notifications/WaitingPlaces';

describe('Places of requests that wait', (): void => {
  let places: WaitingPlaces;

  beforeEach((): void => {
    places = new WaitingPlaces(8);
  });

  function take(times: number, webId?: string, address?: string): (() => void)[] {
    return Array.from({ length: times }, (): () => void => places.take({ webId, address }));
  }

  it('leave room for others, whatever one WebID or address requests.', (): void => {
    take(2, 'https://ann.example/#me', 'one');
    expect((): unknown => take(1, 'https://ann.example/#me', 'two')).toThrow('too many requests');
    expect((): unknown => take(1, 'https://bob.example/#me', 'one')).toThrow('too many requests');
    take(1, 'https://bob.example/#me', 'two');
    take(1, undefined, 'three');
  });

  it('are half for anonymous callers, and half of that from one address.', (): void => {
    take(2, undefined, 'one');
    expect((): unknown => take(1, undefined, 'one')).toThrow('too many requests');
    take(2, undefined, 'two');
    expect((): unknown => take(1, undefined, 'three')).toThrow('too many requests');
    take(1, 'https://bob.example/#me', 'three');
  });

  it('are taken again when they are free.', (): void => {
    const [ release ] = take(2, 'https://ann.example/#me');
    release();
    take(1, 'https://ann.example/#me');
    expect((): unknown => take(1, 'https://ann.example/#me')).toThrow('too many requests');
  });
});
