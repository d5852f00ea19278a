import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  AtomicFileDataAccessor,
  BaseResourceStore,
  ComposedAuxiliaryStrategy,
  DataAccessorBasedStore,
  ExtensionBasedMapper,
  FileDataAccessor,
  FilterMetadataDataAccessor,
  guardStream,
  RepresentationMetadata,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
} from '@solid/community-server';
import type { DataAccessor } from '@solid/community-server';
import { AtomicWritesDataAccessor } from '../../../../src/server/files/AtomicWritesDataAccessor';
import { removeFolder, temporaryFolder } from '../../../support/world';

const base = 'http://localhost:3000/';
const identifier = { path: `${base}alice/note.txt` };

describe('AtomicWritesDataAccessor', (): void => {
  let root: string;
  let mapper: ExtensionBasedMapper;

  beforeEach(async(): Promise<void> => {
    root = await temporaryFolder();
    await mkdir(join(root, 'alice'));
    mapper = new ExtensionBasedMapper(base, root);
  });

  afterEach(async(): Promise<void> => {
    await removeFolder(root);
  });

  function over(source: DataAccessor): AtomicWritesDataAccessor {
    return new AtomicWritesDataAccessor(source, mapper, root, '/.internal/tempFiles/');
  }

  async function files(): Promise<string[]> {
    return readdir(join(root, '.internal/tempFiles'));
  }

  it('leaves a file unchanged until the new one is complete.', async(): Promise<void> => {
    const accessor = over(new FileDataAccessor(mapper));
    await writeFile(join(root, 'alice/note.txt'), 'before');
    const upload = guardStream(new PassThrough());
    const written = accessor.writeDocument(identifier, upload, new RepresentationMetadata(identifier, 'text/plain'));
    upload.write('aft');
    while ((await files()).length === 0) {
      // The upload has not begun.
    }
    await expect(readFile(join(root, 'alice/note.txt'), 'utf8')).resolves.toBe('before');
    upload.end('er');
    await written;
    await expect(readFile(join(root, 'alice/note.txt'), 'utf8')).resolves.toBe('after');
    await expect(files()).resolves.toEqual([]);
  });

  it('leaves writing to an accessor that does more than store files, such as count them.', async(): Promise<void> => {
    const source = new FilterMetadataDataAccessor(new AtomicFileDataAccessor(mapper, root, '/.internal/temp/'), []);
    const write = jest.spyOn(source, 'writeDocument');
    const metadata = new RepresentationMetadata(identifier, 'text/plain');
    const upload = new PassThrough();
    upload.end('text');
    await over(source).writeDocument(identifier, guardStream(upload), metadata);
    expect(write).toHaveBeenCalledTimes(1);
    await expect(readFile(join(root, 'alice/note.txt'), 'utf8')).resolves.toBe('text');
  });

  it('removes the remains of uploads interrupted by a crash.', async(): Promise<void> => {
    const accessor = over(new FileDataAccessor(mapper));
    await writeFile(join(root, '.internal/tempFiles/temp-1.txt'), 'half');
    await accessor.initialize();
    await expect(files()).resolves.toEqual([]);
  });

  it('knows whether it stores all resources of a backend.', (): void => {
    const accessor = over(new FileDataAccessor(mapper));
    expect(accessor.isOf(backendOn(accessor))).toBe(true);
    expect(accessor.isOf(backendOn(new FileDataAccessor(mapper)))).toBe(false);
    expect(accessor.isOf(new BaseResourceStore())).toBe(false);
  });
});

function backendOn(accessor: DataAccessor): DataAccessorBasedStore {
  const auxiliaries = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.meta'));
  return new DataAccessorBasedStore(accessor, new SingleRootIdentifierStrategy(base), auxiliaries, auxiliaries);
}
