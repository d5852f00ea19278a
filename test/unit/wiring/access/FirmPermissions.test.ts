/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment -- readers are handlers like any other */
import {
  BadRequestHttpError,
  CachedHandler,
  CredentialsExtractor,
  IdentifierMap,
  IdentifierSetMultiMap,
  InternalServerError,
  PermissionReader,
  UnionCredentialsExtractor,
  UnionPermissionReader,
  WaterfallHandler,
} from '@solid/community-server';
import type { AsyncHandler, Credentials, HttpRequest, PermissionMap } from '@solid/community-server';
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
  await new FirmPermissions(outer, []).handle();
  return outer.handleSafe({ credentials: {}, requestedModes: new IdentifierSetMultiMap() });
}

/** Says who asks, or fails. */
class Extractor extends CredentialsExtractor {
  public constructor(private readonly failure?: Error) {
    super();
  }

  public async handle(): Promise<Credentials> {
    if (this.failure) {
      throw this.failure;
    }
    return { agent: { webId: 'https://alice.example/#me' }};
  }
}

async function extract(...extractors: CredentialsExtractor[]): Promise<Credentials> {
  const union = new UnionCredentialsExtractor(extractors);
  await new FirmPermissions(new Reader(), [ new WaterfallHandler([ union ]) ]).handle();
  return union.handleSafe({} as HttpRequest);
}

describe('FirmPermissions', (): void => {
  it('says who asks, wrong tokens aside, and lets an outage through.', async(): Promise<void> => {
    await expect(extract(new Extractor(new BadRequestHttpError('no token')), new Extractor())).resolves
      .toEqual({ agent: { webId: 'https://alice.example/#me' }});
    await expect(extract(new Extractor(new BadRequestHttpError('no token')))).resolves.toEqual({});
    const cause = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
    await expect(extract(new Extractor(new BadRequestHttpError('no token', { cause })), new Extractor())).rejects
      .toThrow('no token');
  });

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
