import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { NationalNumber } from '../../../../src/identity/NationalNumber';
import { exportCitizen } from '../../../../src/operations/exportCitizen';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import { parseWebId } from '../../../../src/platform/webId';
import type { CommandAnswer } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import { appendRows, atOnce, citizenNumber, later, nationalNumber, now, places } from '../../storage/places';
import type { Place } from '../../storage/places';
import { copy, grant, pod, share } from '../../storage/rows';
import { removeFolder, temporaryFolder } from '../../../support/world';
import { resourceUri } from '../../../support/uris';

describe.each(places)('The commands on citizens, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;
  let pods: string;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
    pods = await temporaryFolder();
    await mkdir(join(pods, '.internal/setup'), { recursive: true });
    await writeFile(join(pods, '.internal/setup/current-base-url$.json'), '{"payload":"https://pod.example/"}');
  });

  afterEach(async(): Promise<void> => {
    await place.remove();
    await removeFolder(pods);
  });

  async function run(words: string[], input = ''): Promise<CommandAnswer> {
    return operate({ ...place, pods }, words, input);
  }

  async function insert(id: string, index: number): Promise<void> {
    await records.citizens.insertOrGet({
      id,
      webId: parseWebId(`https://pod.example/${id}/profile/card#me`),
      podUrl: `https://pod.example/${id}/`,
      nationalNumber: citizenNumber(index),
      createdAt: now,
    });
  }

  /** Links a WebID, with an existing pod. */
  async function insertLinked(id: string, podName: string, index: number): Promise<void> {
    await records.citizens.insertOrGet({
      id,
      webId: parseWebId(`https://me.example/${podName}`),
      podUrl: `https://pod.example/${podName}/`,
      brought: 'POD',
      nationalNumber: citizenNumber(index),
      createdAt: now,
    });
    await records.citizens.setState(id, 'ACTIVE');
    await mkdir(join(pods, decodeURIComponent(podName)));
  }

  async function whose(number: string): Promise<string | undefined> {
    return (await records.citizens.findByNationalNumber(NationalNumber.stored(number)))?.id;
  }

  describe('that give one another number', (): void => {
    const [ old, fresh, other ] = [ nationalNumber(0), nationalNumber(1), nationalNumber(2) ];

    beforeEach(async(): Promise<void> => {
      await insert('alice', 0);
      await insert('bob', 2);
      await records.citizens.setState('alice', 'ACTIVE');
    });

    it.each([
      [ 'the current number', [], `${old}\n${fresh}\n` ],
      [ 'the pod', [ '--pod', 'alice' ], `\n${fresh.slice(0, 6)}-${fresh.slice(6)}` ],
      [ 'the WebID', [ '--webid', 'https://pod.example/alice/profile/card#me' ], fresh ],
      [ 'the WebID as typed', [ '--webid', ' https://POD.example:443/%61lice/profile/card#me ' ], fresh ],
    ])('identify them by %s.', async(_by, words, input): Promise<void> => {
      const { code, output, errors } = await run([ 'citizens', 'relink', ...words ], input);
      expect({ code, output, errors })
        .toEqual({ code: 0, output: 'The citizen of the pod alice is linked to the new number.\n', errors: '' });
      await expect(whose(fresh)).resolves.toBe('alice');
      await expect(whose(old)).resolves.toBeUndefined();
      expect((await records.citizens.getNationalNumber('alice')).reveal()).toBe(fresh);
      await expect(records.audit.list(0, 2)).resolves.toMatchObject([
        { event: { type: 'citizen.relinked', citizenId: 'alice', personal: { operator: userInfo().username }}},
      ]);
    });

    it.each([
      [ 'a malformed number', [], `${old}\n12345678901\n`, 'The new number is not a national number.' ],
      [ 'another\'s number', [], `${old}\n${other}\n`, 'belongs to another citizen, with the pod bob' ],
      [ 'the same number', [], `${old}\n${old}\n`, 'has this number already' ],
      [ 'a stranger', [], `${fresh}\n${nationalNumber(3)}\n`, 'There is no such citizen.' ],
      [ 'whose pod is being made', [ '--pod', 'bob' ], fresh, 'in state CREATING' ],
      [ 'nothing', [], old, '2 lines are expected' ],
    ])('refuse %s.', async(_what, words, input, why): Promise<void> => {
      const { code, output, errors } = await run([ 'citizens', 'relink', ...words ], input);
      expect(code).toBe(1);
      expect(errors).toContain(why);
      expect(output + errors).not.toMatch(/\d{6}/u);
      await expect(whose(old)).resolves.toBe('alice');
      await expect(whose(other)).resolves.toBe('bob');
      await expect(records.audit.list(0, 2)).resolves.toEqual([]);
    });

    it('refuse a number as an argument, and do not repeat it.', async(): Promise<void> => {
      for (const words of [[ fresh ], [ `--${fresh}` ]]) {
        const { code, errors } = await run([ 'citizens', 'relink', '--pod', 'alice', ...words ]);
        expect(code).toBe(2);
        expect(errors).not.toContain(fresh);
      }
    });
  });

  it('export one, and record who did.', async(): Promise<void> => {
    await insert('alice', 0);
    const { code, lines } = await run([ 'citizens', 'export', '--pod', 'alice' ]);
    expect(code).toBe(0);
    const row = { type: 'citizen.exported', citizenId: 'alice', personal: { operator: userInfo().username }};
    await expect(records.audit.list(0, 10)).resolves.toMatchObject([{ event: row }]);
    expect(lines().at(-1)).toMatchObject({ kind: 'audit', type: 'citizen.exported' });
    await expect(run([ 'citizens', 'export', '--pod', 'bob' ])).resolves.toMatchObject({ code: 1 });
    await expect(records.audit.list(0, 10)).resolves.toHaveLength(1);
  });

  it('export everything about one, however much it is, and nothing of others.', async(): Promise<void> => {
    await insert('a', 0);
    await insert('b', 1);
    const subject = parseWebId('https://pod.example/a/profile/card#me');
    await records.transaction(async({ audit, dataCopies, grants, shares }): Promise<void> => {
      for (let index = 0; index < 201; index += 1) {
        await shares.save(share(`s${index}`));
        await grants.insert(grant(`g${index}`, { subject, document: '{}' }));
        await dataCopies.insertOrGet(copy(`c${index}`, { resource: resourceUri(`${pod}${index}`) }));
      }
      const others = 'https://pod.example/b/';
      await shares.save(share('other', { citizenId: 'b', resource: resourceUri(`${others}other`) }));
      await grants.insert(grant('other', { document: '{}' }));
      await dataCopies.insertOrGet(copy('other', { resource: resourceUri(`${others}other`) }));
      await appendRows({ audit }, 2, 'a');
      await appendRows({ audit }, 3, 'b');
    });
    const kinds = (await run([ 'citizens', 'export', '--pod', 'a' ])).lines().map(({ kind }): unknown => kind);
    expect([ 'citizen', 'share', 'grant', 'copy', 'audit' ].map((kind): number =>
      kinds.filter((one): boolean => one === kind).length)).toEqual([ 1, 201, 201, 201, 3 ]);
  });

  it('export one without the number, wherever a source has put it.', async(): Promise<void> => {
    await insert('alice', 0);
    const number = nationalNumber(0);
    const personal = { record: `a-${number}-b` };
    await records.audit.append({ type: 'data.shared', at: now, personal, citizenId: 'alice' });
    const { output } = await run([ 'citizens', 'export', '--pod', 'alice' ]);
    expect(output).toContain('a-[number]-b');
    expect(output).not.toContain(number);
  });

  it('export names of files without national numbers, in any spelling.', async(): Promise<void> => {
    await insert('alice', 0);
    const [ own, other ] = [ nationalNumber(0), nationalNumber(1) ];
    const spelled = `${own.slice(0, 2)}.${own.slice(2, 4)}.${own.slice(4, 6)}-${own.slice(6, 9)}.${own.slice(9)}`;
    await mkdir(join(pods, `alice/${own}`), { recursive: true });
    for (const path of [ `${own}/a`, `b-${spelled}.txt`, `c-${other}.txt` ]) {
      await writeFile(join(pods, 'alice', path), 'text');
    }
    const personal = { record: `r ${spelled}` };
    await records.audit.append({ type: 'data.shared', at: now, personal, citizenId: 'alice' });
    const { lines, output } = await run([ 'citizens', 'export', '--pod', 'alice', '--with-contents' ]);
    expect(lines().filter(({ kind }): boolean => kind === 'file').map(({ path }): unknown => path))
      .toEqual(expect.arrayContaining([ '[number]/a', 'b-[number].txt', 'c-[number].txt' ]));
    for (const number of [ own, spelled, other ]) {
      expect(output).not.toContain(number);
    }
  });

  it('export no named pipe or broken link, without waiting for it.', async(): Promise<void> => {
    await insert('alice', 0);
    await mkdir(join(pods, 'alice'));
    execFileSync('mkfifo', [ join(pods, 'alice/pipe') ]);
    await symlink('none', join(pods, 'alice/link'));
    await writeFile(join(pods, 'alice/file'), 'text');
    const { code, lines } = await run([ 'citizens', 'export', '--pod', 'alice', '--with-contents' ]);
    expect(code).toBe(0);
    expect(lines().filter(({ kind }): boolean => kind === 'file').map(({ path }): unknown => path)).toEqual([ 'file' ]);
  });

  it('export nothing that looks complete when a folder cannot be read.', async(): Promise<void> => {
    await insert('alice', 0);
    const citizen = (await records.citizens.findById('alice'))!;
    const places = { folder: join(pods, 'x'.repeat(300)), withContents: false };
    const items = exportCitizen(records, citizen, places, (): Date => now);
    await expect(items.next()).resolves.toMatchObject({ value: { kind: 'citizen' }});
    await expect(items.next()).rejects.toThrow('ENAMETOOLONG');
  });

  it('export the contents of files on request, unchanged, however many.', async(): Promise<void> => {
    await insert('alice', 0);
    const number = nationalNumber(0);
    const files = new Map([
      [ 'card.ttl', Buffer.from(`<#me> <#number> "${number}".`) ],
      [ 'photos/large', Buffer.alloc(2_000_000, 'a photo ').fill(0xFF, 786_430, 786_440) ],
      [ 'empty', Buffer.alloc(0) ],
    ]);
    for (const [ path, bytes ] of files) {
      await mkdir(join(pods, 'alice/photos'), { recursive: true });
      await writeFile(join(pods, 'alice', path), bytes);
    }
    const words = [ 'citizens', 'export', '--pod', 'alice' ];
    expect((await run(words)).output).not.toContain('"content"');
    const lines = (await run([ ...words, '--with-contents' ])).lines();
    for (const [ path, bytes ] of files) {
      const texts = lines.filter((line): boolean => line.kind === 'content' && line.path === path)
        .map(({ base64 }): string => base64 as string);
      expect(Buffer.from(texts.join(''), 'base64').equals(bytes)).toBe(true);
      expect(lines).toContainEqual(expect.objectContaining({ kind: 'file', path, bytes: bytes.length }));
    }
  });

  it('mark one for erasure, to be claimed by one process.', async(): Promise<void> => {
    await insert('alice', 0);
    const words = [ 'citizens', 'erase', '--pod', 'alice', '--wait', '0' ];
    await expect(run(words)).resolves.toMatchObject({ code: 2 });
    const { code, errors } = await run([ ...words, '--yes' ]);
    expect({ code, errors }).toEqual({ code: 1, errors: 'The pod of the citizen is being made: try again.\n' });
    await records.citizens.setState('alice', 'ACTIVE');
    await expect(run([ ...words, '--yes' ])).resolves.toMatchObject({ code: 3 });
    await expect(records.citizens.findById('alice')).resolves.toMatchObject({ state: 'DELETING' });
    const row = { type: 'webid.deleted', citizenId: 'alice', personal: { operator: userInfo().username }};
    await expect(records.audit.list(0, 2)).resolves.toMatchObject([{ event: row }]);
    const claims = await atOnce(4, async(): Promise<unknown> => records.citizens.claimErasure(later(300), now));
    expect(claims.filter(Boolean)).toMatchObject([{ id: 'alice' }]);
    await expect(records.citizens.claimErasure(later(600), later(301))).resolves.toMatchObject({ id: 'alice' });
    await records.citizens.erase('alice', now);
    await expect(records.citizens.claimErasure(later(9999), later(9000))).resolves.toBeUndefined();
    await expect(run([ ...words, '--yes' ])).resolves.toMatchObject({ code: 1, errors: 'There is no such citizen.\n' });
  });

  it('show the pod name of a linked WebID, and identify its citizen by that name.', async(): Promise<void> => {
    await insert('alice', 0);
    await insertLinked('some-id', 'b%C3%B6b', 1);
    await insertLinked('other-id', 'some-id', 2);
    expect((await run([ 'citizens', 'list', '--state', 'ACTIVE' ])).lines()).toEqual([
      {
        podId: 'some-id',
        webId: 'https://me.example/some-id',
        brought: 'POD',
        citizen: 'other-id',
        state: 'ACTIVE',
        created: now.toISOString(),
      },
      {
        podId: 'böb',
        webId: 'https://me.example/b%C3%B6b',
        brought: 'POD',
        citizen: 'some-id',
        state: 'ACTIVE',
        created: now.toISOString(),
      },
    ]);
    for (const [ name, id ] of [[ 'böb', 'some-id' ], [ 'some-id', 'other-id' ], [ 'other-id', 'other-id' ]]) {
      const { code, lines } = await run([ 'citizens', 'export', '--pod', name ]);
      expect([ name, code, lines()[0].citizen ]).toEqual([ name, 0, id ]);
    }
    for (const name of [ '', '~', '..', 'b%C3%B6b', 'böb/', 'BÖB', '.internal' ]) {
      await expect(run([ 'citizens', 'export', '--pod', name ])).resolves.toMatchObject({ code: 1 });
    }
    await expect(run([ 'citizens', 'relink', '--pod', 'böb' ], nationalNumber(3))).resolves
      .toMatchObject({ code: 0, output: 'The citizen of the pod böb is linked to the new number.\n' });
    await expect(run([ 'citizens', 'relink', '--pod', 'some-id' ], nationalNumber(3))).resolves
      .toMatchObject({ code: 1, errors: expect.stringContaining('with the pod böb:') });
    await expect(run([ 'citizens', 'erase', '--pod', 'böb', '--yes', '--wait', '0' ])).resolves
      .toMatchObject({ code: 3, output: expect.stringContaining('The pod böb is marked') });
    await expect(records.citizens.findById('some-id')).resolves.toMatchObject({ state: 'DELETING' });
    await expect(records.audit.list(0, 10)).resolves.toContainEqual(
      expect.objectContaining({ event: expect.objectContaining({ type: 'webid.unlinked', citizenId: 'some-id' }) }),
    );
  });

  it('list them with their states, without their numbers, page by page.', async(): Promise<void> => {
    for (let index = 0; index < 501; index += 1) {
      await insert(`c${String(index).padStart(3, '0')}`, index);
    }
    await records.citizens.setState('c007', 'ACTIVE');
    const { code, output, lines } = await run([ 'citizens', 'list' ]);
    expect(code).toBe(0);
    expect(lines()).toHaveLength(501);
    expect(lines()[7]).toEqual({
      podId: 'c007',
      webId: 'https://pod.example/c007/profile/card#me',
      state: 'ACTIVE',
      created: now.toISOString(),
    });
    expect(output).not.toMatch(/\d{11}/u);
    expect((await run([ 'citizens', 'list', '--state', 'ACTIVE' ])).lines()).toEqual([ lines()[7] ]);
    await expect(run([ 'citizens', 'list', '--state', 'gone' ])).resolves.toMatchObject({ code: 2 });
  });
});
