/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment -- readers are handlers like any other */
import {
  CachedHandler,
  IdentifierMap,
  IdentifierSetMultiMap,
  InternalServerError,
  PermissionReader,
  UnionPermissionReader,
} from '@solid/community-server';
import type { AsyncHandler, PermissionMap } from '@solid/community-server';
import { FirmPermissions } from '../../../../src/wiring/access/FirmPermissions';

const resource = { path: 'http://localhost/alice/' };

/** Allows reading, or fails. */
class Reader extends PermissionReader {
  public constructor(private readonly failure?: Error) {
    super();
  }

  public async handle(): Promise<PermissionMap> {
    if (this.failure) {
      throw this.failure;
    }
    return new IdentifierMap([[ resource, { read: true }]]);
  }
}

/** As the server keeps its own reader. */
function nested(reader: PermissionReader): PermissionReader {
  const cached: unknown = new CachedHandler(reader as unknown as AsyncHandler<Record<string, unknown>>);
  return cached as PermissionReader;
}

async function read(...readers: PermissionReader[]): Promise<PermissionMap> {
  const inner = new UnionPermissionReader(readers);
  const outer = new UnionPermissionReader([ nested(inner), new Reader() ]);
  await new FirmPermissions(outer).handle();
  return outer.handleSafe({ credentials: {}, requestedModes: new IdentifierSetMultiMap() });
}

describe('FirmPermissions', (): void => {
  it('unites what readers allow, mistakes aside.', async(): Promise<void> => {
    const permissions = await read(new Reader(), new Reader(new InternalServerError('not Turtle')));
    expect(permissions.get(resource)).toEqual({ read: true });
  });

  it('lets an outage through from whatever depth.', async(): Promise<void> => {
    const cause = new Error('Too many requests wait for the same resource.');
    await expect(read(new Reader(new InternalServerError('Error reading ACL', { cause })), new Reader()))
      .rejects.toThrow('Error reading ACL');
  });
});
