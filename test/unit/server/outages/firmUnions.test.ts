/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment -- readers are handlers like any other */
import {
  BadRequestHttpError,
  CredentialsExtractor,
  IdentifierMap,
  IdentifierSetMultiMap,
  InternalServerError,
  PermissionReader,
  WaterfallHandler,
} from '@solid/community-server';
import type { Credentials, HttpRequest, PermissionMap } from '@solid/community-server';
import { FirmCredentialsExtractor } from '../../../../src/server/outages/FirmCredentialsExtractor';
import { FirmPermissionReader } from '../../../../src/server/outages/FirmPermissionReader';

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

async function read(...readers: PermissionReader[]): Promise<PermissionMap> {
  return new FirmPermissionReader(readers).handleSafe({ credentials: {}, requestedModes: new IdentifierSetMultiMap() });
}

/** Returns the caller, or fails. */
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
  return new WaterfallHandler([ new FirmCredentialsExtractor(extractors) ]).handleSafe({} as HttpRequest);
}

/** Failures of the database, the disk and the locks, as they reach the union. */
const outages: [string, Error][] = [
  [ 'a locked table', Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' }) ],
  [ 'no connection to be had', new Error('timeout exceeded when trying to connect') ],
  [ 'a disk that does not read', Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }) ],
  [ 'files that may not be read', Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }) ],
  [ 'SQLite that is busy', Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' }) ],
  [ 'a queue for a lock that is full', new Error('Too many requests wait for the same resource.') ],
  // While rules were parsed: the server turns it into 400, without the cause.
  [ 'a lock that was let go of for writers', new BadRequestHttpError('Others waited too long for the resource.') ],
];

describe('The union of permissions and credentials', (): void => {
  it('identifies the caller, ignoring wrong tokens.', async(): Promise<void> => {
    await expect(extract(new Extractor(new BadRequestHttpError('no token')), new Extractor())).resolves
      .toEqual({ agent: { webId: 'https://alice.example/#me' }});
    await expect(extract(new Extractor(new BadRequestHttpError('no token')))).resolves.toEqual({});
  });

  it('combines what readers allow, ignoring errors.', async(): Promise<void> => {
    const permissions = await read(new Reader(), new Reader(new InternalServerError('not Turtle')));
    expect(permissions.get(resource)).toEqual({ read: true });
  });

  it.each(outages)('rethrows %s.', async(_, cause): Promise<void> => {
    await expect(read(new Reader(new InternalServerError('Error reading ACL', { cause })), new Reader()))
      .rejects.toThrow('Error reading ACL');
    await expect(extract(new Extractor(new BadRequestHttpError('no token', { cause })), new Extractor()))
      .rejects.toThrow('no token');
  });
});
