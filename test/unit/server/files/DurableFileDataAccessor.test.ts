/* eslint jest/no-standalone-expect: [ error, { additionalTestBlockFunctions: [ itElsewhere ] } ] */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Guarded } from '@solid/community-server';
import { ConflictHttpError, guardStream, NotFoundHttpError, RepresentationMetadata } from '@solid/community-server';
import { DurableFileDataAccessor } from '../../../../src/server/files/DurableFileDataAccessor';
import { IndexedFileMapper } from '../../../../src/server/files/IndexedFileMapper';

/** A folder of another file system, on most machines; elsewhere the test is skipped. */
const elsewhere = '/dev/shm';
const itElsewhere = existsSync(elsewhere) && statSync(elsewhere).dev !== statSync(tmpdir()).dev ? it : it.skip;
const base = 'http://localhost:3000/';
const document = { path: `${base}alice/note` };
const container = { path: `${base}alice/` };

describe('Pod resources in files', (): void => {
  let root: string;
  let accessor: DurableFileDataAccessor;

  beforeEach(async(): Promise<void> => {
    root = await mkdtemp(join(tmpdir(), 'accessor-'));
    accessor = new DurableFileDataAccessor(new IndexedFileMapper(base, root), root, '/.internal/tempFiles/');
    await accessor.writeContainer(container, new RepresentationMetadata(container));
  });

  afterEach(async(): Promise<void> => {
    await rm(root, { recursive: true });
  });

  async function write(content: Readable, contentType = 'text/plain'): Promise<void> {
    await accessor.writeDocument(document, guardStream(content), new RepresentationMetadata(document, contentType));
  }

  async function drafts(): Promise<string[]> {
    return readdir(join(root, '.internal/tempFiles'));
  }

  it.each([ '/proc/none', 'file', 'file/below', 'dangling' ])('cannot be in %s.', async(place): Promise<void> => {
    await writeFile(join(root, 'file'), '');
    await symlink(join(root, 'absent'), join(root, 'dangling'));
    const path = place.startsWith('/') ? place : join(root, place);
    expect((): unknown => new DurableFileDataAccessor(new IndexedFileMapper(base, path), path, '/.internal/tempFiles/'))
      .toThrow(expect.objectContaining({
        name: 'RefusedSetting',
        stack: expect.stringMatching(/^--rootFilePath: files cannot be written in the folder .+ \(ENO(?:ENT|TDIR)\)$/u),
      }));
  });

  it('are replaced atomically.', async(): Promise<void> => {
    await write(Readable.from([ 'old' ]));
    await write(Readable.from([ 'n', 'e', 'w' ]));
    await expect(text(await accessor.getData(document))).resolves.toBe('new');
    await expect(drafts()).resolves.toEqual([]);
  });

  it('stay unchanged if an upload breaks off.', async(): Promise<void> => {
    await write(Readable.from([ 'old' ]));
    await expect(write(Readable.from(breakingOff()))).rejects.toThrow('gone');
    await expect(text(await accessor.getData(document))).resolves.toBe('old');
    await expect(drafts()).resolves.toEqual([]);
  });

  it('can be empty.', async(): Promise<void> => {
    await write(Readable.from([]));
    await expect(text(await accessor.getData(document))).resolves.toBe('');
  });

  it('have one content type.', async(): Promise<void> => {
    await write(Readable.from([ 'old' ]), 'text/plain');
    await write(Readable.from([ '{}' ]), 'application/json');
    await expect(readdir(join(root, 'alice'))).resolves.toEqual([ 'note$.json' ]);
  });

  it('stay unchanged if no file of the new type can have their name.', async(): Promise<void> => {
    const long = { path: `${container.path}${'n'.repeat(248)}` };
    async function writeLong(contentType: string): Promise<void> {
      const metadata = new RepresentationMetadata(long, contentType);
      await accessor.writeDocument(long, guardStream(Readable.from([ contentType ])), metadata);
    }
    await writeLong('text/plain');
    await expect(writeLong('message/disposition-notification')).rejects
      .toThrow(expect.objectContaining({ statusCode: 414 }));
    await expect(text(await accessor.getData(long))).resolves.toBe('text/plain');
    // The file can have its name, but its description cannot.
    await expect(writeLong('application/x-odd')).rejects.toThrow(expect.objectContaining({ statusCode: 414 }));
    await expect(text(await accessor.getData(long))).resolves.toBe('text/plain');
    expect((await accessor.getMetadata(long)).contentType).toBe('text/plain');
    await expect(drafts()).resolves.toEqual([]);
  });

  it('stay unchanged if one of several files cannot be replaced.', async(): Promise<void> => {
    await write(Readable.from([ 'old' ]));
    await mkdir(join(root, 'alice/note$.json'));
    await expect(write(Readable.from([ '{}' ]), 'application/json')).rejects.toThrow('EISDIR');
    await rm(join(root, 'alice/note$.json'), { recursive: true });
    await expect(text(await accessor.getData(document))).resolves.toBe('old');
    await expect(drafts()).resolves.toEqual([]);
  });

  it('keep a type found only in their description when that is rewritten.', async(): Promise<void> => {
    await write(Readable.from([ 'odd' ]), 'application/x-odd');
    const metadata = new RepresentationMetadata(document, { 'http://www.w3.org/2000/01/rdf-schema#comment': 'words' });
    await accessor.writeMetadata(document, metadata);
    expect((await accessor.getMetadata(document)).contentType).toBe('application/x-odd');
  });

  it('keep simultaneous changes to their container\'s description when one is added.', async(): Promise<void> => {
    const asRead = await accessor.getMetadata(container);
    const words = 'http://www.w3.org/2000/01/rdf-schema#comment';
    await accessor.writeMetadata(container, new RepresentationMetadata(container, { [words]: 'words' }));
    await accessor.writeContainer(container, asRead);
    const found = await accessor.getMetadata(container);
    expect(found.quads().map(({ predicate }): string => predicate.value)).toContain(words);
  });

  it('are listed under their own names.', async(): Promise<void> => {
    const names = [ 'a%3Ab', 'a*b', '%22%3C%3E%3F%7C', 'a%2520b', 'caf%C3%A9', 'a%3Ab/', 'a%25253Ab' ];
    for (const name of names.filter((one): boolean => !one.endsWith('/'))) {
      const identifier = { path: container.path + name };
      await accessor.writeDocument(identifier, guardStream(Readable.from([ name ])), new RepresentationMetadata(
        identifier,
        'text/plain',
      ));
    }
    await accessor.writeContainer({ path: `${container.path}a%3Ab/` }, new RepresentationMetadata());
    const children: string[] = [];
    for await (const { identifier } of accessor.getChildren(container)) {
      children.push(identifier.value.slice(container.path.length));
    }
    expect(children.sort()).toEqual(names.sort());
  });

  it('are gone after removal.', async(): Promise<void> => {
    await write(Readable.from([ 'old' ]));
    await accessor.deleteResource(document);
    await expect(accessor.getData(document)).rejects.toThrow(expect.objectContaining({ statusCode: 404 }));
    await expect(accessor.deleteResource(document)).rejects.toThrow(expect.objectContaining({ statusCode: 404 }));
  });

  it('have descriptions that are replaced atomically, and only if they differ.', async(): Promise<void> => {
    const file = join(root, 'alice/.meta');
    await describeContainer('first');
    const { ino } = await stat(file);
    await describeContainer('first');
    expect((await stat(file)).ino).toBe(ino);
    await describeContainer('second');
    expect((await stat(file)).ino).not.toBe(ino);
    await expect(readFile(file, 'utf8')).resolves.toContain('second');
  });

  it('lose their description when it has no statements left.', async(): Promise<void> => {
    await describeContainer('first');
    await accessor.writeContainer(container, new RepresentationMetadata(container));
    await expect(readdir(join(root, 'alice'))).resolves.toEqual([]);
  });

  it('have a description with what their file does not contain.', async(): Promise<void> => {
    await write(Readable.from([ 'old' ]), 'application/x-unknown-to-the-mapper');
    await expect(readdir(join(root, 'alice'))).resolves.toEqual([ 'note$.unknown', 'note.meta' ]);
    expect((await accessor.getMetadata(document)).contentType).toBe('application/x-unknown-to-the-mapper');
    await write(Readable.from([ 'new' ]));
    await expect(readdir(join(root, 'alice'))).resolves.toEqual([ 'note$.txt' ]);
  });

  it('are created within each other, but not in a removed container.', async(): Promise<void> => {
    for (const name of [ 'a/', 'a/b/' ]) {
      const inner = { path: container.path + name };
      await accessor.writeContainer(inner, new RepresentationMetadata(inner));
    }
    expect(existsSync(join(root, 'alice/a/b'))).toBe(true);
    await accessor.removeTree(container);
    const late = { path: `${container.path}a/c/` };
    await expect(accessor.writeContainer(late, new RepresentationMetadata(late))).rejects.toThrow(ConflictHttpError);
    await expect(write(Readable.from([ 'late' ]))).rejects.toThrow(ConflictHttpError);
    await expect(readdir(root)).resolves.toEqual([ '.internal' ]);
  });

  it('are not created in a container that was removed and created again meanwhile.', async(): Promise<void> => {
    const mapper = new IndexedFileMapper(base, root);
    const { index } = mapper;
    const change = index.change.bind(index);
    index.change = async<T>(files: readonly string[], work: () => Promise<T>): Promise<T> => {
      await rm(join(root, 'alice'), { recursive: true });
      try {
        return await change(files, work);
      } finally {
        await mkdir(join(root, 'alice'));
      }
    };
    accessor = new DurableFileDataAccessor(mapper, root, '/.internal/tempFiles/');
    await expect(write(Readable.from([ 'late' ]))).rejects.toThrow(ConflictHttpError);
    await expect(readdir(join(root, 'alice'))).resolves.toEqual([]);
    await expect(drafts()).resolves.toEqual([]);
  });

  it.each([ 'shown.txt/', 'shown.txt/below', 'shown.txt/below/' ])('are missing below a document: %s.', async(name):
  Promise<void> => {
    await writeFile(join(root, 'alice/shown.txt'), 'text');
    const error = await accessor.getMetadata({ path: container.path + name }).catch((one: unknown): unknown => one);
    expect(error).toBeInstanceOf(NotFoundHttpError);
    // With one, the log would have a failure of the machine for each such request.
    expect(error).not.toHaveProperty('cause', expect.anything());
  });

  it('are not created where a gate is closed.', async(): Promise<void> => {
    const gate = { requireOpen: async(): Promise<void> => {
      throw new NotFoundHttpError();
    } };
    const closed = new DurableFileDataAccessor(new IndexedFileMapper(base, root), root, '/.internal/tempFiles/', gate);
    const bob = { path: `${base}bob/` };
    await expect(closed.writeContainer(bob, new RepresentationMetadata(bob))).rejects.toThrow(NotFoundHttpError);
    // One that is there is changed.
    await closed.writeContainer(container, new RepresentationMetadata(container));
  });

  it('are safe from a folder with the name of a description, and it from them.', async(): Promise<void> => {
    for (const name of [ '.meta', 'note.meta' ]) {
      await mkdir(join(root, 'alice', name));
      await writeFile(join(root, 'alice', name, 'y'), 'planted');
    }
    await expect(accessor.getMetadata(document)).rejects.toThrow(NotFoundHttpError);
    await write(Readable.from([ 'text' ]));
    expect((await accessor.getMetadata(document)).contentType).toBe('text/plain');
    await expect(write(Readable.from([ 'x' ]), 'application/x-unknown')).rejects.toThrow(ConflictHttpError);
    await accessor.getMetadata(container);
    await accessor.writeContainer(container, new RepresentationMetadata(container));
    const children: string[] = [];
    for await (const { identifier } of accessor.getChildren(container)) {
      children.push(identifier.value);
    }
    expect(children.sort()).toEqual([ `${container.path}.meta/`, document.path, `${document.path}.meta/` ]);
    await accessor.deleteResource(document);
    await expect(accessor.deleteResource(container)).rejects.toThrow(ConflictHttpError);
    for (const name of [ '.meta', 'note.meta' ]) {
      await expect(readFile(join(root, 'alice', name, 'y'), 'utf8')).resolves.toBe('planted');
    }
  });

  it('leave nothing half-written behind after a restart.', async(): Promise<void> => {
    await writeFile(join(root, '.internal/tempFiles/temp-1.txt'), 'half of');
    await mkdir(join(root, '.internal/tempFiles/folder'));
    await accessor.initialize();
    await expect(drafts()).resolves.toEqual([]);
  });

  it('keep access rules created after a process was killed in a removal.', async(): Promise<void> => {
    await write(Readable.from([ 'odd' ]), 'application/x-odd');
    const rules = { path: `${document.path}.acl` };
    // The note of the removal, written before its first step.
    const note = `change-${createHash('sha256').update(document.path).digest('hex')}.json`;
    const removals = [ 'note$.unknown', 'note.meta', 'note.acl' ].map((name): string => `../../alice/${name}`);
    await writeFile(join(root, '.internal/tempFiles', note), JSON.stringify({ renames: [], removals }));
    await expect(accessor.getMetadata(rules)).rejects.toThrow(NotFoundHttpError);
    await expect(readdir(join(root, 'alice'))).resolves.toEqual([]);
    const turtle = new RepresentationMetadata(rules, 'text/turtle');
    await accessor.writeDocument(rules, guardStream(Readable.from([ 'new' ])), turtle);
    await expect(accessor.getMetadata(document)).rejects.toThrow(NotFoundHttpError);
    await expect(readdir(join(root, 'alice'))).resolves.toEqual([ 'note.acl' ]);
  });

  itElsewhere('keep their access rules on another file system, where no container can be removed at once.', async():
  Promise<void> => {
    const mounted = await mkdtemp(join(elsewhere, 'accessor-'));
    try {
      await mkdir(join(mounted, 'shelf'));
      await writeFile(join(mounted, 'shelf/.acl'), 'rules');
      await symlink(mounted, join(root, 'bob'));
      await expect(accessor.deleteResource({ path: `${base}bob/shelf/` })).rejects.toThrow(ConflictHttpError);
      await expect(readdir(join(mounted, 'shelf'))).resolves.toEqual([ '.acl' ]);
      await expect(drafts()).resolves.toEqual([]);
    } finally {
      await rm(mounted, { recursive: true });
    }
  });

  it('keep their access rules if their removal fails.', async(): Promise<void> => {
    await write(Readable.from([ 'kept' ]));
    await writeFile(join(root, 'alice/.acl'), '');
    await expect(accessor.deleteResource(container)).rejects.toThrow(ConflictHttpError);
    await expect(readdir(join(root, 'alice'))).resolves.toEqual([ '.acl', 'note$.txt' ]);
    await accessor.deleteResource(document);
    await accessor.deleteResource(container);
    await expect(drafts()).resolves.toEqual([]);
    await expect(readdir(root)).resolves.toEqual([ '.internal' ]);
  });

  it('are restored after a crash if they were put into a container being removed.', async():
  Promise<void> => {
    await write(Readable.from([ 'late' ]));
    await writeFile(join(root, 'alice/.acl'), '');
    await rename(join(root, 'alice'), join(root, '.internal/tempFiles/removed-1'));
    const note = join(root, `.internal/tempFiles/removal-${randomUUID()}.json`);
    await writeFile(note, JSON.stringify({ folder: '../../alice', moved: 'removed-1', going: [ '.acl' ]}));
    await accessor.initialize();
    await expect(readdir(join(root, 'alice'))).resolves.toEqual([ '.acl', 'note$.txt' ]);
    await expect(drafts()).resolves.toEqual([]);
  });

  async function describeContainer(words: string): Promise<void> {
    const metadata = new RepresentationMetadata(container, { 'http://www.w3.org/2000/01/rdf-schema#comment': words });
    await accessor.writeContainer(container, metadata);
  }
});

async function text(stream: Guarded<Readable>): Promise<string> {
  return (await stream.toArray()).map(String).join('');
}

function* breakingOff(): Generator<string> {
  yield 'half';
  throw new Error('gone');
}
