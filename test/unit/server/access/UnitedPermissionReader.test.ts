import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PermissionMap, PermissionReaderInput, PermissionSet } from '@solid/community-server';
import {
  AccessMode,
  ComposedAuxiliaryStrategy,
  DataAccessorBasedStore,
  FileDataAccessor,
  IdentifierMap,
  IdentifierSetMultiMap,
  PermissionReader,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
} from '@solid/community-server';
import { UnitedPermissionReader } from '../../../../src/server/access/UnitedPermissionReader';
import { AtomicWritesDataAccessor } from '../../../../src/server/files/AtomicWritesDataAccessor';
import { IndexedFileMapper } from '../../../../src/server/files/IndexedFileMapper';
import { ShortcutStore } from '../../../../src/server/files/ShortcutStore';
import { removeFolder, temporaryFolder } from '../../../support/world';

const base = 'http://localhost:3000/';

/** Gives the same permissions on everything. */
class Everywhere extends PermissionReader {
  public constructor(private readonly permissions: PermissionSet) {
    super();
  }

  public async handle({ requestedModes }: PermissionReaderInput): Promise<PermissionMap> {
    const permissions: PermissionMap = new IdentifierMap();
    for (const identifier of requestedModes.distinctKeys()) {
      permissions.set(identifier, { ...this.permissions });
    }
    return permissions;
  }
}

describe('A grant to write', (): void => {
  let root: string;
  let drafts: string;
  let reader: UnitedPermissionReader;

  beforeEach(async(): Promise<void> => {
    root = await temporaryFolder();
    drafts = join(root, '.internal/tempFiles');
    await mkdir(join(root, 'alice/guarded'), { recursive: true });
    for (const file of [ 'note.txt', 'own.txt', 'own.txt.acl', 'guarded/missing.txt.acl' ]) {
      await writeFile(join(root, 'alice', file), file);
    }
    const mapper = new IndexedFileMapper(base, root);
    const accessor = new AtomicWritesDataAccessor(new FileDataAccessor(mapper), mapper, root, '/.internal/tempFiles/');
    const identifierStrategy = new SingleRootIdentifierStrategy(base);
    const [ rules, descriptions ] = [ '.acl', '.meta' ].map((suffix): ComposedAuxiliaryStrategy =>
      new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy(suffix)));
    const backend = new DataAccessorBasedStore(accessor, identifierStrategy, rules, descriptions);
    reader = new UnitedPermissionReader({
      ownReader: new Everywhere({}),
      grantReader: new Everywhere({ append: true, write: true }),
      identifierStrategy,
      auxiliaryStrategy: rules,
      resourceSet: new ShortcutStore(backend, mapper, descriptions, accessor, backend),
      dataAccessor: accessor,
    });
  });

  afterEach(async(): Promise<void> => {
    await removeFolder(root);
  });

  async function mayRemove(name: string): Promise<boolean> {
    const identifier = { path: `${base}alice/${name}` };
    const requestedModes = new IdentifierSetMultiMap<AccessMode>([[ identifier, AccessMode.delete ]]);
    return (await reader.handle({ credentials: {}, requestedModes })).get(identifier)?.delete === true;
  }

  it.each([
    [ 'note.txt', true ],
    [ 'missing.txt', true ],
    [ 'own.txt', false ],
    [ 'guarded/', false ],
  ])('removes a resource without rules of its own: %s (%j).', async(name, isRemoved): Promise<void> => {
    await expect(mayRemove(name)).resolves.toBe(isRemoved);
  });

  it('leaves a change of the resource to whoever makes it, and has its lock.', async(): Promise<void> => {
    const key = createHash('sha256').update(`${base}alice/own.txt`).digest('hex');
    const names = [ `change-${key}.json`, 'temp-draft.txt' ];
    const change = { renames: [[ names[1], '../../alice/own.txt' ]], removals: [ '../../alice/own.txt.meta' ]};
    await writeFile(join(drafts, names[1]), 'new');
    await writeFile(join(drafts, names[0]), JSON.stringify(change));
    await expect(mayRemove('own.txt')).resolves.toBe(false);
    await expect(readdir(drafts)).resolves.toEqual(names);
  });
});
