import { AsyncResource } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import {
  BasicETagHandler,
  BasicRepresentation,
  ComposedAuxiliaryStrategy,
  ConflictHttpError,
  CONTENT_TYPE_TERM,
  DC,
  guardStream,
  IANA,
  NotFoundHttpError,
  parseContentType,
  POSIX,
  RDF,
  readableToQuads,
  RepresentationMetadata,
  RoutingAuxiliaryStrategy,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
  updateModifiedDate,
} from '@solid/community-server';
import { JointRemovalStore } from '../../../../src/server/access/JointRemovalStore';
import { ListedContainersStore } from '../../../../src/server/versions/ListedContainersStore';
import { changingValues } from '../../../../src/server/values/ValueChange';
import { seeingVersions } from '../../../../src/server/versions/versionsSeen';
import { DataSharingRecords } from '../../../../src/wiring/DataSharingRecords';
import { PodRows } from '../../../../src/server/rows/PodRows';
import { PostgresDataAccessor } from '../../../../src/server/rows/PostgresDataAccessor';
import { PostgresKeyValueStorage } from '../../../../src/server/rows/PostgresKeyValueStorage';
import { databaseUrl } from '../../../support/postgres';
import { array, assert, asyncProperty, constantFrom, integer, record } from '../../../support/properties';
import type { Place } from '../../storage/places';
import { atOnce, postgresPlace } from '../../storage/places';

const base = 'https://pod.example/';
const root = { path: base };
const folder = { path: `${base}pod/` };
const card = { path: `${base}pod/card` };
const descriptions = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.meta'));
const rules = new RoutingAuxiliaryStrategy([
  descriptions,
  new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.acl'), undefined, undefined, true),
]);

/** A container whose name does not get shorter by compression. */
function inside({ path }: { path: string }): { path: string } {
  return { path: `${path}${randomBytes(150).toString('base64url')}/` };
}

describe('Pods in PostgreSQL', (): void => {
  let place: Place;
  let records: DataSharingRecords;
  let accessor: PostgresDataAccessor;

  beforeEach(async(): Promise<void> => {
    place = await postgresPlace(databaseUrl!);
    records = new DataSharingRecords({ baseUrl: 'http://localhost/', records: place.records, keys: place.keys, workers: 1 });
    accessor = new PostgresDataAccessor(records, base);
    await accessor.writeContainer(root, metadataOf(root));
    await accessor.writeContainer(folder, metadataOf(folder));
  });

  afterEach(async(): Promise<void> => {
    await records.finalize();
    await place.remove();
  });

  async function write(identifier: { path: string }, body: Buffer | string, type = 'text/turtle'): Promise<void> {
    const { data } = new BasicRepresentation([ body ], identifier, type);
    await accessor.writeDocument(identifier, data, metadataOf(identifier, type));
  }

  async function read(identifier: { path: string }): Promise<Buffer> {
    return buffer(await accessor.getData(identifier));
  }

  /** Acts as another node, outside of the work of this one. */
  async function elsewhere(
    outside: AsyncResource,
    work: (other: PostgresDataAccessor) => Promise<void>,
  ): Promise<void> {
    await outside.runInAsyncScope(async(): Promise<void> => work(new PostgresDataAccessor(records, base)));
  }

  async function members(identifier: { path: string }): Promise<string[]> {
    const paths: string[] = [];
    for await (const member of accessor.getChildren(identifier)) {
      paths.push(member.identifier.value);
    }
    return paths;
  }

  it('store bytes, content type, further statements and size.', async(): Promise<void> => {
    const metadata = metadataOf(card);
    metadata.contentTypeObject = parseContentType('text/turtle; charset=utf-8');
    metadata.add(RDF.terms.type, 'https://vocab.example/Card');
    await accessor.writeDocument(card, guardStream(Readable.from([ Buffer.from('<> a <#Card>.') ])), metadata);

    await expect(read(card)).resolves.toEqual(Buffer.from('<> a <#Card>.'));
    const found = await accessor.getMetadata(card);
    expect(found.contentTypeObject?.toHeaderValueString()).toBe('text/turtle; charset=utf-8');
    expect(found.get(POSIX.terms.size)?.value).toBe('13');
    expect(found.getAll(RDF.terms.type).map(({ value }): string => value)).toEqual(expect.arrayContaining([
      'https://vocab.example/Card',
      'http://www.w3.org/ns/ldp#Resource',
    ]));
    expect(new BasicETagHandler().getETag(found)).toMatch(/^"\d+-text\/turtle"$/u);
  });

  it('have content types with their parameters in rows.', async(): Promise<void> => {
    const rows = new PodRows(accessor, new BasicETagHandler());
    const metadata = metadataOf(card);
    metadata.contentTypeObject = parseContentType('text/turtle; charset=utf-8');
    await accessor.writeDocument(card, guardStream(Readable.from([ Buffer.from('<> a <#Card>.') ])), metadata);
    const withParameter = await rows.find(card.path);
    expect(withParameter?.contentType).toBe('text/turtle; charset=utf-8');
    expect(withParameter?.etag).toMatch(/^"\d+-text\/turtle"$/u);
    await write(card, '<> a <#Card>.');
    expect((await rows.find(card.path))?.contentType).toBe('text/turtle');
  });

  it('have another entity tag for each version, however fast they follow each other.', async(): Promise<void> => {
    const etags = new Set<string | undefined>();
    for (let index = 0; index < 5; index += 1) {
      const metadata = metadataOf(card, 'text/plain');
      updateModifiedDate(metadata, new Date(0));
      await accessor.writeDocument(card, guardStream(Readable.from([ Buffer.from(`${index}`) ])), metadata);
      etags.add(new BasicETagHandler().getETag(await accessor.getMetadata(card)));
    }
    expect(etags.size).toBe(5);
  });

  it('stream bodies of any size both ways, in order.', async(): Promise<void> => {
    const sizes = [ 0, 1, (256 * 1024) - 1, 256 * 1024, (256 * 1024) + 1, 10 * 1024 * 1024 ];
    for (const size of sizes) {
      const bytes = pattern(size);
      const pieces = Array.from({ length: Math.ceil(size / 60_000) }, (_, index): Buffer =>
        bytes.subarray(index * 60_000, (index + 1) * 60_000));
      const data = guardStream(Readable.from(pieces, { objectMode: false }));
      await accessor.writeDocument(card, data, metadataOf(card, 'a/b'));
      expect(digest(await read(card))).toBe(digest(bytes));
      expect((await accessor.getMetadata(card)).get(POSIX.terms.size)?.value).toBe(`${size}`);
    }
    // The replaced bytes are gone.
    await write(card, 'small');
    await expect(place.sql('select 1 from pod_chunks')).resolves.toEqual([]);
  });

  it('read a large body no faster than it is sent on.', async(): Promise<void> => {
    const chunk = pattern(64 * 1024);
    let sent = 0;
    async function* body(): AsyncIterableIterator<Buffer> {
      for (; sent < 400; sent += 1) {
        yield chunk;
      }
    }
    await accessor.writeDocument(card, guardStream(Readable.from(body())), metadataOf(card, 'a/b'));
    const data = await accessor.getData(card);
    const iterator = data[Symbol.asyncIterator]();
    await iterator.next();
    expect(data.readableLength).toBeLessThanOrEqual(2 * 256 * 1024);
    data.destroy();
  });

  it('keep the old content if a body breaks off.', async(): Promise<void> => {
    await write(card, 'old');
    async function* body(): AsyncIterableIterator<Buffer> {
      yield pattern(600 * 1024);
      throw new Error('the client is gone');
    }
    await expect(accessor.writeDocument(card, guardStream(Readable.from(body())), metadataOf(card, 'a/b')))
      .rejects.toThrow('the client is gone');
    await expect(read(card)).resolves.toEqual(Buffer.from('old'));
    await expect(place.sql('select 1 from pod_chunks')).resolves.toEqual([]);
  });

  it('give simultaneous readers the old body or the new one, never a mixture.', async(): Promise<void> => {
    const versions = new Set([ 'a', 'b' ].map((letter): string => letter.repeat(100_000)));
    await write(card, [ ...versions ][0]);
    const results = await atOnce(40, async(index): Promise<string> => {
      if (index % 2 === 0) {
        await write(card, [ ...versions ][index % 4 === 0 ? 0 : 1]);
      }
      return (await read(card)).toString();
    });
    for (const result of results) {
      expect(versions.has(result)).toBe(true);
    }
  });

  it('list the members of a container, and of no other, page by page.', async(): Promise<void> => {
    await place.sql(`insert into pod_resources (path, parent, content_type, metadata, modified, size, body)
      select '/pod/' || n, '/pod/', 'text/plain', '', 0, 1, 'x' from generate_series(1000, 3499) n`);
    await accessor.writeContainer({ path: `${folder.path}sub/` }, metadataOf({ path: `${folder.path}sub/` }));
    await write({ path: `${folder.path}sub/inner` }, 'x');
    const paths = await members(folder);
    expect(paths).toHaveLength(2501);
    expect(paths).toContain(`${base}pod/sub/`);
    expect(paths).not.toContain(`${base}pod/sub/inner`);
    expect(new Set(paths).size).toBe(2501);
    await expect(members(root)).resolves.toEqual([ folder.path ]);
  });

  it('describe members as the server does.', async(): Promise<void> => {
    await write(card, 'x', 'text/plain');
    for await (const member of accessor.getChildren(folder)) {
      expect(member.getAll(RDF.terms.type).map(({ value }): string => value))
        .toContain(`${IANA.namespace}text/plain#Resource`);
      expect(member.get(POSIX.terms.size)?.value).toBe('1');
    }
  });

  it('replace the description of a container and keep its members.', async(): Promise<void> => {
    await write(card, 'x');
    const metadata = metadataOf(folder);
    metadata.add(RDF.terms.type, 'http://www.w3.org/ns/pim/space#Storage');
    await accessor.writeContainer(folder, metadata);
    await expect(members(folder)).resolves.toEqual([ card.path ]);
    const found = await accessor.getMetadata(folder);
    expect(found.getAll(RDF.terms.type).map(({ value }): string => value)).toEqual(expect.arrayContaining([
      'http://www.w3.org/ns/pim/space#Storage',
      'http://www.w3.org/ns/ldp#BasicContainer',
    ]));
    expect(found.get(CONTENT_TYPE_TERM)).toBeUndefined();
  });

  it('replace the description of a document and keep its bytes.', async(): Promise<void> => {
    await write(card, 'x');
    const metadata = await accessor.getMetadata(card);
    metadata.add(RDF.terms.type, 'https://vocab.example/Card');
    await accessor.writeMetadata(card, metadata);
    await expect(read(card)).resolves.toEqual(Buffer.from('x'));
    expect((await accessor.getMetadata(card)).contentType).toBe('text/turtle');
    await expect(accessor.writeMetadata({ path: `${base}none` }, metadata)).rejects.toThrow(NotFoundHttpError);
  });

  it('keep simultaneous changes to a container\'s description when a member is added.', async(): Promise<void> => {
    const asRead = await accessor.getMetadata(folder);
    const described = metadataOf(folder);
    described.add(RDF.terms.type, 'https://vocab.example/Shelf');
    await accessor.writeMetadata(folder, described);
    const before = (await accessor.getMetadata(folder)).get(DC.terms.modified)!.value;
    updateModifiedDate(asRead);
    await accessor.writeContainer(folder, asRead);
    const found = await accessor.getMetadata(folder);
    expect(found.getAll(RDF.terms.type).map(({ value }): string => value)).toContain('https://vocab.example/Shelf');
    expect(Date.parse(found.get(DC.terms.modified)!.value)).toBeGreaterThan(Date.parse(before));
  });

  it('refuse to overwrite a newer description of a container with an older one.', async():
  Promise<void> => {
    async function describeMeanwhile(statement: string): Promise<void> {
      await seeingVersions(async(): Promise<void> => {
        const described = await accessor.getMetadata(folder);
        described.add(RDF.terms.type, 'https://vocab.example/Late');
        await place.sql(`update pod_resources set ${statement} where path = '/pod/'`);
        await accessor.writeMetadata(folder, described);
      });
    }
    await expect(describeMeanwhile(`metadata = ''`)).resolves.toBeUndefined();
    await expect(describeMeanwhile(`metadata = '<a:a> <a:b> <a:c> .'`)).rejects
      .toThrow(expect.objectContaining({ statusCode: 503 }));
    // A new member changes the time.
    await expect(describeMeanwhile('modified = modified + 1, revision = revision + 1')).resolves.toBeUndefined();
  });

  it('find nothing where there is nothing.', async(): Promise<void> => {
    await expect(accessor.getMetadata(card)).rejects.toThrow(NotFoundHttpError);
    await expect(accessor.getData(card)).rejects.toThrow(NotFoundHttpError);
    await expect(accessor.getData(folder)).rejects.toThrow(NotFoundHttpError);
    await expect(accessor.deleteResource(card)).rejects.toThrow(NotFoundHttpError);
    await expect(accessor.getMetadata({ path: 'https://pod.example.evil/pod/' })).rejects.toThrow(NotFoundHttpError);
    await write(card, 'x');
    await accessor.deleteResource(card);
    await expect(accessor.getMetadata(card)).rejects.toThrow(NotFoundHttpError);
  });

  it('remove no container with members, and put nothing into a missing one.', async(): Promise<void> => {
    await write(card, 'x');
    await expect(accessor.deleteResource(folder)).rejects.toThrow(ConflictHttpError);
    await expect(write({ path: `${base}absent/card` }, 'x')).rejects.toThrow(ConflictHttpError);
    await accessor.deleteResource(card);
    await accessor.deleteResource(folder);
    await expect(members(root)).resolves.toEqual([]);
  });

  it('list the members of a container one by one, with the server\'s statements.', async(): Promise<void> => {
    const backend = new JointRemovalStore(accessor, new SingleRootIdentifierStrategy(base), rules, descriptions);
    const store = new ListedContainersStore({ source: backend, storage: accessor, backend, auxiliaryStrategy: rules });
    await write(card, 'Hello');
    await write({ path: `${card.path}.acl` }, '');
    await write({ path: `${folder.path}odd%20name` }, '?', 'application/x-odd');
    await accessor.writeContainer({ path: `${folder.path}photos/` }, metadataOf({ path: `${folder.path}photos/` }));
    // More than are read at once.
    await place.sql(`insert into pod_resources (path, parent, content_type, metadata, modified, size)
      select '/pod/many' || i, '/pod/', 'text/plain', '', i, i from generate_series(1, 2500) as i`);

    async function statements(of: JointRemovalStore | ListedContainersStore): Promise<string[]> {
      const { data } = await of.getRepresentation(folder, {});
      return [ ...await readableToQuads(data) ]
        .map(({ subject, predicate, object, graph }): string =>
          [ subject, predicate, object, graph ].map(({ value }): string => value).join(' '))
        .sort();
    }
    const listed = await statements(store);
    expect(listed).toEqual(await statements(backend));
    expect(listed.filter((line): boolean => line.includes('contains'))).toHaveLength(2503);
  });

  it('give a listing another version with each change of a member.', async(): Promise<void> => {
    const photos = { path: `${folder.path}photos/` };
    const seen = [ await accessor.findListing(folder, [ '.acl' ]) ];
    expect(seen).toEqual([{ version: '0', modified: undefined }]);
    for (const change of [
      async(): Promise<void> => write(card, 'one'),
      async(): Promise<void> => write(card, 'two'),
      async(): Promise<void> => write({ path: `${folder.path}other` }, 'two'),
      async(): Promise<void> => accessor.writeContainer(photos, metadataOf(photos)),
      async(): Promise<void> => accessor.writeContainer(photos, metadataOf(photos)),
      async(): Promise<void> => accessor.deleteResource(card),
    ]) {
      await change();
      seen.push(await accessor.findListing(folder, [ '.acl' ]));
    }
    expect(new Set(seen.map(({ version }): string => version)).size).toBe(seen.length);
    const last = (await accessor.getMetadata(photos)).get(DC.terms.modified)?.value;
    expect(seen.at(-1)?.modified?.toISOString()).toBe(last);
    await write({ path: `${card.path}.acl` }, '');
    await expect(accessor.findListing(folder, [ '.acl' ])).resolves.toEqual(seen.at(-1));
  });

  it('remove a resource and its access rules at the same moment.', async():
  Promise<void> => {
    const store = new JointRemovalStore(accessor, new SingleRootIdentifierStrategy(base), rules, descriptions);
    // Lists, after each statement, the resources that exist without their rules.
    await place.sql('create table bare (path text)');
    await place.sql(`create function note_bare() returns trigger language plpgsql as $$ begin
      insert into bare select path from pod_resources where path in ('/pod/card', '/pod/shelf/')
        and not exists (select from pod_resources rules where rules.path = pod_resources.path || '.acl');
      return null; end $$`);
    await place.sql('create trigger bare after delete on pod_resources execute function note_bare()');
    const shelf = { path: `${folder.path}shelf/` };
    await accessor.writeContainer(shelf, metadataOf(shelf));
    for (const path of [ card.path, `${card.path}.acl`, `${shelf.path}book`, `${shelf.path}.acl` ]) {
      await write({ path }, 'x');
    }

    await expect(store.deleteResource(shelf)).rejects.toThrow(ConflictHttpError);
    await accessor.deleteResource({ path: `${shelf.path}book` });
    for (const resource of [ card, shelf ]) {
      const changed = await store.deleteResource(resource);
      expect([ ...changed.keys() ].map(({ path }): string => path)).toContain(`${resource.path}.acl`);
    }
    await expect(place.sql('select path from bare')).resolves.toEqual([]);
    await expect(members(folder)).resolves.toEqual([]);
  });

  it('keep the access rules of a document that was replaced before its removal.', async(): Promise<void> => {
    await write(card, 'x');
    await write({ path: `${card.path}.acl` }, 'x');
    await expect(seeingVersions(async(): Promise<void> => {
      await accessor.getMetadata(card);
      await place.sql(`update pod_resources set revision = revision + 1 where path = '/pod/card'`);
      await accessor.deleteResource(card);
    })).rejects.toThrow(expect.objectContaining({ statusCode: 503 }));
    await expect(members(folder)).resolves.toEqual([ card.path, `${card.path}.acl` ]);
  });

  it('remove access rules of a missing resource with their container.', async(): Promise<void> => {
    await write({ path: `${folder.path}ghost.acl` }, 'x');
    await accessor.deleteResource(folder);
    await expect(members(root)).resolves.toEqual([]);
  });

  it('remove a container with its contents, while others write there.', async(): Promise<void> => {
    await write({ path: `${folder.path}ghost.acl` }, 'x');
    await write(card, pattern(600 * 1024));
    await write({ path: `${base}pod0` }, 'next to it');
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, async(_, at): Promise<void> => at === 3 ?
        accessor.removeTree(folder) :
        write({ path: `${folder.path}${at}` }, 'x')));
    expect(outcomes.every((each): boolean => each.status === 'fulfilled' || each.reason instanceof ConflictHttpError))
      .toBe(true);
    await expect(members(root)).resolves.toEqual([ `${base}pod0` ]);
    await expect(place.sql('select version from pod_chunks')).resolves.toEqual([]);
    await accessor.removeTree(folder);
  });

  it('create no container at the root where a gate is closed, but change an existing one.', async():
  Promise<void> => {
    const gate = { requireOpen: async(): Promise<void> => {
      throw new NotFoundHttpError();
    } };
    const closed = new PostgresDataAccessor(records, base, gate);
    await closed.writeContainer(folder, metadataOf(folder));
    await closed.removeTree(folder);
    await expect(closed.writeContainer(folder, metadataOf(folder))).rejects.toThrow(NotFoundHttpError);
  });

  it('have no document and container of the same name, whoever writes them at once.', async(): Promise<void> => {
    const outcomes = await Promise.allSettled([
      write({ path: `${base}pod/x` }, 'x'),
      accessor.writeContainer({ path: `${base}pod/x/` }, metadataOf({ path: `${base}pod/x/` })),
    ]);
    expect(outcomes.map(({ status }): string => status).sort()).toEqual([ 'fulfilled', 'rejected' ]);
  });

  it('refuses a path that is too long for its indexes.', async(): Promise<void> => {
    let deep = folder;
    for (let depth = 0; depth < 7; depth += 1) {
      deep = inside(deep);
      await accessor.writeContainer(deep, metadataOf(deep));
    }
    const deeper = inside(deep);
    await expect(accessor.writeContainer(deeper, metadataOf(deeper))).rejects.toMatchObject({ statusCode: 414 });
    await expect(accessor.getMetadata(deeper)).rejects.toThrow(NotFoundHttpError);
  });

  it('can be written by several at once, even if new.', async(): Promise<void> => {
    // As on pages without room for another version of a row: each update then adds to every index, which can deadlock.
    await place.sql('create index pod_resources_by_revision on pod_resources (revision)');
    const [{ name }] = await place.sql('select current_database() as name');
    await place.sql(`alter database ${String(name)} set deadlock_timeout = 20`);
    for (let turn = 0; turn < 200; turn += 1) {
      const container = { path: `${folder.path}${turn}/` };
      await Promise.all([ 1, 2, 3, 4 ].map(async(): Promise<void> =>
        accessor.writeContainer(container, metadataOf(container))));
    }
    await expect(members(folder)).resolves.toHaveLength(200);
  });

  it('remove the remains of interrupted uploads, and nothing else.', async(): Promise<void> => {
    await write(card, pattern(600 * 1024));
    await place.sql(`insert into pod_chunks values ('gone', 0, 0, 'x')`);
    await place.sql(`update pod_chunks set written_at = 0`);
    await accessor.initialize();
    await expect(place.sql(`select distinct version from pod_chunks where version = 'gone'`)).resolves.toEqual([]);
    await expect(read(card)).resolves.toHaveLength(600 * 1024);
  });

  it('store values of the server by key, each container apart.', async(): Promise<void> => {
    const grants = new PostgresKeyValueStorage(records, '/idp/');
    const cookies = new PostgresKeyValueStorage(records, '/idp-cookies/');
    await grants.set('adapter/1', { text: 'NUL \0, ü', list: [ 1 ]});
    await grants.set('/adapter/2', 'two');
    await cookies.set('adapter/1', 'other');
    await expect(grants.get('/adapter/1')).resolves.toEqual({ text: 'NUL \0, ü', list: [ 1 ]});
    await expect(grants.has('adapter/2')).resolves.toBe(true);
    await expect(grants.get('adapter/3')).resolves.toBeUndefined();
    const entries: unknown[] = [];
    for await (const entry of grants.entries()) {
      entries.push(entry);
    }
    expect(entries).toEqual([[ 'adapter/1', { text: 'NUL \0, ü', list: [ 1 ]}], [ 'adapter/2', 'two' ]]);
    await expect(grants.delete('adapter/1')).resolves.toBe(true);
    await expect(grants.delete('adapter/1')).resolves.toBe(false);
    await expect(cookies.get('adapter/1')).resolves.toBe('other');
  });

  it('lose no simultaneous change of the server\'s own values by several processes.', async(): Promise<void> => {
    const changes = Array.from({ length: 8 }).map((...[ , index ]): number => index);
    await Promise.all(changes.map(async(index): Promise<void> => changingValues(async(): Promise<void> => {
      const values = new PostgresKeyValueStorage(records, '/accounts/');
      const list = await values.get('list') as number[] | undefined ?? [];
      await values.set('list', [ ...list, index ]);
      await values.set(`of/${index}`, list.length);
      await expect(values.get(`of/${index}`)).resolves.toBe(list.length);
      await values.delete('gone');
    })));
    const values = new PostgresKeyValueStorage(records, '/accounts/');
    const list = await values.get('list') as number[];
    expect([ ...list ].sort((left, right): number => left - right)).toEqual(changes);
    await expect(Promise.all(list.map(async(index): Promise<unknown> => values.get(`of/${index}`))))
      .resolves.toEqual(changes);
  });

  it('read ahead as of one moment, and see changes of other nodes at the next.', async(): Promise<void> => {
    const rules = { path: `${card.path}.acl` };
    const outside = new AsyncResource('elsewhere');
    await write(rules, 'open');
    await write(card, 'one');
    let resume: () => void;
    const isResumed = new Promise<void>((resolve): void => {
      resume = resolve;
    });
    const { lasting } = await accessor.readingAhead([ card, rules ], async(): Promise<{ lasting: Promise<Buffer> }> => {
      await expect(read(rules)).resolves.toEqual(Buffer.from('open'));
      await elsewhere(outside, async(other): Promise<void> => {
        await other.deleteResource(rules);
        const { data } = new BasicRepresentation([ 'secret' ], card, 'text/turtle');
        await other.writeDocument(card, data, metadataOf(card, 'text/turtle'));
      });
      expect((await accessor.getMetadata(card)).get(POSIX.terms.size)?.value).toBe('3');
      await expect(read(card)).resolves.toEqual(Buffer.from('one'));
      await expect(read(rules)).resolves.toEqual(Buffer.from('open'));
      return { lasting: isResumed.then(async(): Promise<Buffer> => read(card)) };
    });
    resume!();
    await expect(lasting).resolves.toEqual(Buffer.from('secret'));
    await accessor.readingAhead([ card, rules ], async(): Promise<void> => {
      await expect(accessor.getMetadata(rules)).rejects.toThrow(NotFoundHttpError);
      await expect(read(card)).resolves.toEqual(Buffer.from('secret'));
    });
  });

  it('read again after a change by the work, and under its lock before a change.', async(): Promise<void> => {
    const outside = new AsyncResource('elsewhere');
    await write(card, 'one');
    async function replace(body: string): Promise<void> {
      await elsewhere(outside, async(other): Promise<void> =>
        other.writeDocument(card, new BasicRepresentation([ body ], card, 'a/b').data, metadataOf(card, 'a/b')));
    }
    await accessor.readingAhead([ card, folder ], async(): Promise<void> => {
      await expect(read(card)).resolves.toEqual(Buffer.from('one'));
      await replace('two');
      await seeingVersions(async(): Promise<void> => expect(read(card)).resolves.toEqual(Buffer.from('two')));
      await expect(read(card)).resolves.toEqual(Buffer.from('one'));
      await accessor.writeContainer(folder, metadataOf(folder));
      await replace('three');
      await expect(read(card)).resolves.toEqual(Buffer.from('three'));
    });
  });

  it('give size and bytes of one version of a long document, read ahead or not.', async(): Promise<void> => {
    const outside = new AsyncResource('elsewhere');
    await write(card, pattern(100_000), 'a/b');
    await accessor.readingAhead([ card, folder ], async(): Promise<void> => {
      await accessor.getMetadata(folder);
      await elsewhere(outside, async(other): Promise<void> => {
        const { data } = new BasicRepresentation([ pattern(200_000) ], card, 'a/b');
        await other.writeDocument(card, data, metadataOf(card, 'a/b'));
      });
      expect((await accessor.getMetadata(card)).get(POSIX.terms.size)?.value).toBe('200000');
      await expect(read(card)).resolves.toHaveLength(200_000);
    });
  });

  it('find at each request what nodes have written before, in any order of changes.', async(): Promise<void> => {
    const nodes = [ accessor, new PostgresDataAccessor(records, base) ];
    const paths = [ 'a', 'a.acl', 'b/', 'b/.acl', 'b/c', 'b/c.acl' ].map((path): { path: string } =>
      ({ path: `${folder.path}${path}` }));
    const step = record({
      node: integer({ min: 0, max: 1 }),
      at: constantFrom(...paths.keys()),
      isGone: constantFrom(true, false),
    });
    let serial = 0;
    await assert(asyncProperty(array(step, { maxLength: 12 }), async(steps): Promise<void> => {
      await accessor.removeTree(folder);
      await accessor.writeContainer(folder, metadataOf(folder));
      const model = new Map<string, string>();
      for (const { node, at, isGone } of steps) {
        const changed = paths[at];
        const isThere = model.has(changed.path);
        const hasMembers = paths.some(({ path }): boolean => path !== changed.path && path.startsWith(changed.path) &&
          changed.path.endsWith('/') && model.has(path));
        const hasParent = !changed.path.startsWith(paths[2].path) || at === 2 || model.has(paths[2].path);
        if (isGone ? isThere && !hasMembers : hasParent) {
          serial += 1;
          if (isGone) {
            await nodes[node].deleteResource(changed);
            model.delete(changed.path);
          } else if (changed.path.endsWith('/')) {
            await nodes[node].writeContainer(changed, metadataOf(changed));
            model.set(changed.path, '');
          } else {
            const { data } = new BasicRepresentation([ `${serial}` ], changed, 'a/b');
            await nodes[node].writeDocument(changed, data, metadataOf(changed, 'a/b'));
            model.set(changed.path, `${serial}`);
          }
        }
        const asked = nodes[1 - node];
        await expect(asked.readingAhead(paths, async(): Promise<[string, string][]> => {
          const found: [string, string][] = [];
          for (const identifier of paths) {
            const metadata = await asked.getMetadata(identifier).catch((): undefined => undefined);
            if (metadata) {
              const isContainer = identifier.path.endsWith('/');
              found.push([ identifier.path, isContainer ? '' : await text(await asked.getData(identifier)) ]);
            }
          }
          return found;
        })).resolves.toEqual(paths.filter(({ path }): boolean => model.has(path))
          .map(({ path }): [string, string] => [ path, model.get(path)! ]));
      }
    }), { numRuns: 30 });
  });

  it('refuse a change of values that was overtaken, completely.', async(): Promise<void> => {
    const { values } = await records.pods();
    await values.set('a', '1');
    await values.set('b', '1');
    const written = new Map([[ 'a', '2' ], [ 'b', undefined ], [ 'c', '2' ]]);
    await expect(values.replace(new Map([[ 'a', '1' ], [ 'b', '0' ]]), written)).resolves.toBe(false);
    await expect(values.replace(new Map([[ 'b', undefined ]]), written)).resolves.toBe(false);
    await values.set('c', '1');
    await expect(values.replace(new Map([[ 'a', '1' ], [ 'c', undefined ]]), written)).resolves.toBe(false);
    await expect(Promise.all([ 'a', 'b', 'c' ].map(async(key): Promise<unknown> => values.get(key))))
      .resolves.toEqual([ '1', '1', '1' ]);
    await expect(values.replace(new Map([[ 'a', '1' ], [ 'c', '1' ]]), written)).resolves.toBe(true);
    await expect(Promise.all([ 'a', 'b', 'c' ].map(async(key): Promise<unknown> => values.get(key))))
      .resolves.toEqual([ '2', undefined, '2' ]);
  });
});

function metadataOf(identifier: { path: string }, contentType?: string): RepresentationMetadata {
  const metadata = new RepresentationMetadata(identifier, contentType);
  updateModifiedDate(metadata);
  return metadata;
}

function pattern(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let index = 0; index < size; index += 997) {
    bytes[index] = index % 251;
  }
  return bytes;
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
