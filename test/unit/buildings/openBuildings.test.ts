import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEvent } from '../../../src/audit/AuditLog';
import { BuildingService } from '../../../src/buildings/BuildingService';
import { HttpBuildings } from '../../../src/buildings/HttpBuildings';
import type { BuildingKind } from '../../../src/buildings/BuildingKind';
import type { Building, Buildings } from '../../../src/buildings/Buildings';
import { HttpBuildingKind } from '../../../src/buildings/HttpBuildingKind';
import { noBuildings, openBuildings } from '../../../src/buildings/openBuildings';
import { BuildingGone, BuildingNotFound, NotEnabled, OriginUnavailable } from '../../../src/problems';
import type { Loopback } from '../../support/loopback';
import { answerJson, startLoopback } from '../../support/loopback';

async function open(setting: string, more: BuildingKind[] = []): Promise<Buildings> {
  return openBuildings(setting, [ new HttpBuildingKind(), ...more ], {});
}

describe('A building register', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'buildings-'));
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  async function write(settings: unknown): Promise<string> {
    const file = join(folder, 'buildings.json');
    await writeFile(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
    return file;
  }

  it('is not enabled without a setting.', async(): Promise<void> => {
    await expect(noBuildings.find('')).rejects.toThrow(NotEnabled);
  });

  it('can be of a kind from another package.', async(): Promise<void> => {
    const building: Building = { bytes: Buffer.from('{}'), contentType: 'application/json' };
    const kind: BuildingKind = {
      kind: 'one',
      schema: { properties: { path: { type: 'string' }}, required: [ 'path' ]},
      open: ({ path }: { path: string }, { mistake }): Buildings => {
        if (path === '') {
          throw mistake('path', 'must not be empty');
        }
        return { find: async(): Promise<Building> => building };
      },
    };
    const register = await open(await write({ kind: 'one', path: 'a' }), [ kind ]);
    await expect(register.find('a')).resolves.toBe(building);
    await expect(open(await write({ kind: 'two' }), [ kind ])).rejects.toThrow('/kind must be http or one');
    await expect(open(await write({ kind: 'one', path: '' }), [ kind ])).rejects.toThrow('/path must not be empty');
    await expect(open(await write({ kind: 'one' }), [ kind, kind ])).rejects.toThrow('two kinds called one');
  });

  it('must exist.', async(): Promise<void> => {
    const missing = join(folder, 'none');
    await expect(open(missing)).rejects.toThrow(`--buildings: ${missing} cannot be read (ENOENT)`);
  });

  it('records each read in the audit log, and no other call.', async(): Promise<void> => {
    await writeFile(join(folder, 'a.json'), '{}');
    const events: AuditEvent[] = [];
    const at = new Date('2026-01-01T12:00:00Z');
    const audit = { enqueue: (event: AuditEvent): unknown => events.push(event) };
    const service = new BuildingService(await open(folder), audit, (): Date => at);
    await service.get('a', { correlationId: 'c' });
    await expect(service.get('b', { correlationId: 'c' })).rejects.toThrow(BuildingNotFound);
    expect(events).toEqual([{ type: 'building.read', at, correlationId: 'c', personal: { path: 'a' }}]);
  });

  describe('in a folder', (): void => {
    let register: string;

    beforeEach(async(): Promise<void> => {
      register = join(folder, 'register');
      await mkdir(join(register, 'gemeente', 'straat'), { recursive: true });
      await writeFile(join(register, 'gemeente', 'straat', '1-a.json'), '{"id":"1-a"}');
      await writeFile(join(register, 'gemeente.json'), '{"id":"gemeente"}');
      await writeFile(join(register, 'notes.txt'), 'notes');
      await writeFile(join(register, '.hidden.json'), '{}');
      await writeFile(join(folder, 'secret.json'), '{"secret":true}');
    });

    it('gives a document by its path.', async(): Promise<void> => {
      const buildings = await open(register);
      const { bytes, contentType } = await buildings.find('gemeente/straat/1-a');
      expect(contentType).toBe('application/json');
      expect(bytes.toString()).toBe('{"id":"1-a"}');
      expect((await buildings.find('gemeente')).bytes.toString()).toBe('{"id":"gemeente"}');
    });

    it('lists its documents at the root.', async(): Promise<void> => {
      await symlink(join(folder, 'secret.json'), join(register, 'linked.json'));
      const { bytes } = await (await open(register)).find('');
      expect(JSON.parse(bytes.toString())).toEqual({ gebouwen: [ 'gemeente', 'gemeente/straat/1-a' ]});
    });

    it.each([
      'gemeente/straat',
      'other',
      '../secret',
      'gemeente/../../secret',
      '..',
      '.',
      '.hidden',
      'gemeente/',
      '/gemeente',
      'gemeente//straat/1-a',
      '..\\secret',
      'gemeente%2Fstraat',
      'gemeente\0',
      'notes.txt',
      'gemeente.json',
      'gemeente.json/x',
      'g emeente',
      'é',
      'a'.repeat(300),
      `${'a/'.repeat(600)}a`,
    ])('finds nothing at %j.', async(path): Promise<void> => {
      await expect((await open(register)).find(path)).rejects.toThrow(BuildingNotFound);
    });

    it('cannot be listed when the folder is gone.', async(): Promise<void> => {
      const buildings = await open(register);
      await rm(register, { recursive: true });
      await expect(buildings.find('')).rejects.toThrow(OriginUnavailable);
    });

    it('follows no link out of the folder.', async(): Promise<void> => {
      await symlink(join(folder, 'secret.json'), join(register, 'linked.json'));
      await symlink(folder, join(register, 'up'));
      const buildings = await open(register);
      await expect(buildings.find('linked')).rejects.toThrow(BuildingNotFound);
      await expect(buildings.find('up/secret')).rejects.toThrow(BuildingNotFound);
    });

    it('follows a link within the folder.', async(): Promise<void> => {
      await symlink(join(register, 'gemeente.json'), join(register, 'alias.json'));
      expect((await (await open(register)).find('alias')).bytes.toString()).toBe('{"id":"gemeente"}');
    });

    it('refuses a document that is too large.', async(): Promise<void> => {
      await writeFile(join(register, 'large.json'), Buffer.alloc(5 * 1024 * 1024 + 1, ' '));
      await expect((await open(register)).find('large')).rejects.toThrow(OriginUnavailable);
    });
  });

  describe('behind HTTP', (): void => {
    let server: Loopback;
    let got: { url?: string; headers: unknown; method?: string }[];
    let behaviour: (response: ServerResponse) => void;

    beforeEach(async(): Promise<void> => {
      got = [];
      behaviour = (response): void => answerJson(response, 200, { id: 1 }, 'application/ld+json; charset=utf-8');
      server = await startLoopback(({ url, method, headers }, response): void => {
        got.push({ url, method, headers });
        behaviour(response);
      });
    });

    afterEach(async(): Promise<void> => server.stop());

    async function find(path: string): Promise<{ bytes: Buffer; contentType: string }> {
      const file = await write({ kind: 'http', endpoint: `${server.url}/api/`, paths: [ '', 'gebouw/[^/]+', 'a|b' ]});
      return (await open(file)).find(path);
    }

    it('is forwarded to, with nothing of the request but its path.', async(): Promise<void> => {
      const { bytes, contentType } = await find('gebouw/12 é?#%');
      expect(contentType).toBe('application/ld+json');
      expect(bytes.toString()).toBe('{"id":1}');
      await find('');
      expect(got.map(({ method, url }): string => `${method} ${url}`))
        .toEqual([ 'GET /api/gebouw/12%20%C3%A9%3F%23%25', 'GET /api' ]);
      expect(got[0].headers).not.toHaveProperty('authorization');
    });

    it.each([
      'gebouwen/12',
      'gebouw/12/x',
      'x/gebouw/12',
      'gebouw/',
      'gebouw/..',
      'gebouw/.',
      'ab',
      'a/../b',
      'gebouw/\\..',
      `gebouw/${'x'.repeat(1024)}`,
    ])('is not asked for %j, which is not in the interface.', async(path): Promise<void> => {
      await expect(find(path)).rejects.toThrow(BuildingNotFound);
      expect(got).toHaveLength(0);
    });

    it('tells what is missing from what is gone.', async(): Promise<void> => {
      behaviour = (response): void => answerJson(response, 404, { secret: 1 });
      await expect(find('a')).rejects.toThrow(BuildingNotFound);
      behaviour = (response): void => answerJson(response, 410, {});
      await expect(find('a')).rejects.toThrow(BuildingGone);
    });

    it.each<[string, (response: ServerResponse) => void]>([
      [ 'fails', (response): void => answerJson(response, 500, {}) ],
      [ 'refuses', (response): void => answerJson(response, 403, {}) ],
      [ 'gives HTML', (response): void => {
        response.writeHead(200, [[ 'Content-Type', 'text/html' ]]).end('<script>');
      } ],
      [ 'gives no type', (response): void => {
        response.writeHead(200).end('{}');
      } ],
      [ 'redirects', (response): void => {
        response.writeHead(302, [[ 'Location', `${server.url}/api/b` ]]).end();
      } ],
      [ 'gives too much', (response): void => answerJson(response, 200, 'x'.repeat(5 * 1024 * 1024)) ],
      [ 'breaks the connection', (response): void => {
        response.destroy();
      } ],
    ])('is unavailable when it %s.', async(_what, bad): Promise<void> => {
      behaviour = bad;
      await expect(find('a')).rejects.toThrow(OriginUnavailable);
      expect(got).toHaveLength(1);
    });

    it('is unavailable when it does not answer in time.', async(): Promise<void> => {
      behaviour = (response): void => response.flushHeaders();
      await expect(new HttpBuildings(server.url, [ /^a$/u ], 50).find('a')).rejects.toThrow(OriginUnavailable);
    });

    it.each<[string, unknown, string]>([
      [ 'text', '{', ':1:2: not JSON' ],
      [ 'another kind', { kind: 'files', endpoint: 'https://e.example', paths: [ 'a' ]}, '/kind must be http' ],
      [ 'no endpoint', { kind: 'http', paths: [ 'a' ]}, '/endpoint is missing' ],
      [ 'no paths', { kind: 'http', endpoint: 'https://e.example', paths: []}, '/paths must NOT have fewer' ],
      [ 'a malformed expression', { kind: 'http', endpoint: 'https://e.example', paths: [ 'a', 'b)|(c' ]}, '/paths/1 is not' ],
      [ 'another member', { kind: 'http', endpoint: 'https://e.example', paths: [ 'a' ], headers: {}}, '/headers is not' ],
      [ 'a file URL', { kind: 'http', endpoint: 'file:///etc', paths: [ 'a' ]}, '/endpoint must be' ],
    ])('is not set up by %s, naming file and member.', async(_what, settings, message): Promise<void> => {
      const file = await write(settings);
      await expect(open(file)).rejects.toThrow(`${file}${message.startsWith(':') ? '' : ': '}${message}`);
    });
  });
});
