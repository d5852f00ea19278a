import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Mistakes } from '../../../src/platform/Mistakes';
import { readZone } from '../../../src/plan-requests/geometry/readZone';
import { PlanRequests } from '../../../src/plan-requests/PlanRequests';
import type { PlanRequestsSettings } from '../../../src/plan-requests/settings';
import { readPlanDocuments } from '../../../src/plan-requests/settings';
import { moverOf, requireFormerHosts } from '../../../src/plan-requests/formerBases';
import { OutsideServiceArea } from '../../../src/problems';
import { square } from '../../support/PlanWorld';
import { removeFolder, temporaryFolder } from '../../support/world';

describe('Settings of plan requests', (): void => {
  let folder: string;
  let settings: PlanRequestsSettings;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    settings = {
      planRequests: 'plans',
      organisations: await write('organisations.json', '[]'),
      organisationClaim: 'organisation_id',
      planArea: '',
      natureOfWorks: '',
      planTerms: '2,5,7,15',
      planPackages: join(folder, 'packages'),
      networkModel: '',
      planAuthorities: '',
      planRegistry: '',
      planRequestsFormer: '',
      maxPlanZones: 1000,
      maxPlanPositions: 500_000,
      maxPlanTestMebibytes: 2048,
    };
  });

  afterAll(async(): Promise<void> => removeFolder(folder));

  async function write(name: string, content: string): Promise<string> {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  }

  it('are summarised by the check.', async(): Promise<void> => {
    const mistakes = new Mistakes();
    const mail = {} as never;
    await expect(new PlanRequests({ ...settings, mail }).check(mistakes)).resolves
      .toEqual([ 'Plan requests at /ws/plans/v3: 0 organisations, in all of Belgium (no --planArea).' ]);
    expect(mistakes.lines).toEqual([]);
    await new PlanRequests({ ...settings, mail, planTerms: '1' }).check(mistakes);
    expect(mistakes.errors).toEqual([ expect.stringMatching(/^--planTerms/u) ]);
  });

  it('have the kinds of works of the interface.', async(): Promise<void> => {
    const { naturesOfWorks } = await readPlanDocuments(settings);
    expect([ ...naturesOfWorks ]).toContain('requestforinformationinrelationtogia');
  });

  it('are refused with the reason.', async(): Promise<void> => {
    await mkdir(join(folder, 'model'));
    const attachments = { elements: [], file: 'file', mediaType: 'type' };
    const old = { version: '2.2', namespace: 'urn:a', schema: 'a.xsd', networks: [ 'Pipe' ], links: [], attachments };
    await write('model/model.json', JSON.stringify(old));
    const elsewhere = JSON.stringify(square(1_104_000, 193_000, 100).Geometry);
    const oauth = { issuer: 'https://issuer.example', clientId: 'plans', clientSecretEnv: 'PATH' };
    const registry = { endpoint: 'https://registry.example', oauth };
    const wrongRegistries: [Partial<PlanRequestsSettings>, RegExp][] = [];
    for (const [ change, message ] of [
      [{ endpoint: 'ftp://registry.example' }, /\/endpoint must be an http or https URL/u ],
      [{ oauth: { ...oauth, issuer: 'none' }}, /\/oauth\/issuer must be/u ],
      [{ oauth: { ...oauth, clientSecretEnv: 'NOT_SET' }}, /not set: NOT_SET/u ],
    ] as const) {
      const file = await write(`registry-${wrongRegistries.length}.json`, JSON.stringify({ ...registry, ...change }));
      wrongRegistries.push([{ planRegistry: file }, message ]);
    }
    const wrongBases = [
      'plans',
      '/',
      '/a/',
      '/a//b',
      '/a/../b',
      '/.account',
      '/v1',
      '/v1/a',
      '/ws',
      '/ws/plans/v2',
      'a.example/b',
      'ftp://a.example',
      'https://a.example/?b',
      'https://a.example/b/',
      'https://a:b@a.example',
      'https://',
    ];
    const wrong: [Partial<PlanRequestsSettings>, RegExp][] = [
      [{ planRequests: '' }, /^--planRequests/u ],
      [{ planRequests: 'a/b' }, /^--planRequests/u ],
      [{ organisations: '' }, /^--organisations/u ],
      [{ organisations: join(folder, 'none.json') }, /^--organisations/u ],
      [{ organisations: await write('wrong.json', '[{"id": "1"}]') }, /wrong\.json/u ],
      [{ planTerms: '2,5,7' }, /^--planTerms/u ],
      [{ maxPlanZones: 0 }, /^--maxPlanZones/u ],
      [{ maxPlanPositions: 'many' as never }, /^--maxPlanPositions/u ],
      [{ maxPlanTestMebibytes: 0.5 }, /^--maxPlanTestMebibytes/u ],
      [{ natureOfWorks: await write('empty.ttl', '') }, /^--natureOfWorks/u ],
      [{ planArea: join(folder, 'none.geojson') }, /^--planArea/u ],
      [{ planArea: await write('point.geojson', '{"type":"Point","coordinates":[4,51]}') }, /^--planArea/u ],
      [{ planArea: await write('elsewhere.geojson', elsewhere) }, /^--planArea/u ],
      [{ planPackages: '' }, /^--planPackages/u ],
      [{ networkModel: folder }, /^--networkModel/u ],
      [{ networkModel: join(folder, 'model') }, /\/version must be at least 2\.3/u ],
      [{ planRegistry: join(folder, 'none.json') }, /^--planRegistry/u ],
      [{ planRegistry: await write('registry.json', '{"endpoint": "https://registry.example"}') }, /\/oauth is missing/u ],
      ...wrongRegistries,
      ...wrongBases.map((planRequestsFormer): typeof wrongRegistries[number] =>
        [{ planRequestsFormer }, /^--planRequestsFormer/u ]),
      [{ planAuthorities: join(folder, 'none.pem') }, /^--planAuthorities/u ],
      [{ planAuthorities: await write('wrong.pem', 'no certificate') }, /^--planAuthorities/u ],
    ];
    for (const [ change, message ] of wrong) {
      await expect(readPlanDocuments({ ...settings, ...change })).rejects.toThrow(message);
    }
  });

  it('are not quoted where they contain a password.', async(): Promise<void> => {
    const planRequestsFormer = 'https://admin:secret@old.example/ws/v3';
    await expect(readPlanDocuments({ ...settings, planRequestsFormer })).rejects
      .toThrow(/^--planRequestsFormer: https:\/\/old\.example\/ws\/v3 is/u);
  });

  it('can have former paths and hosts, which lead to the present ones.', async(): Promise<void> => {
    const planRequestsFormer = '/old/v2, https://Old.example:8443/ws/plans/v3,http://older.example';
    expect(new PlanRequests({ ...settings, mail: {} as never, planRequestsFormer }).names).toEqual([ 'ws', 'old' ]);
    const { formerBases } = await readPlanDocuments({ ...settings, planRequestsFormer });
    const present = 'https://pods.example/ws/plans/v3';
    const find = moverOf(formerBases, present);
    for (const [ host, url, location ] of [
      [ 'pods.example', '/old/v2', present ],
      [ 'pods.example', '/old/v2/pda?srs=EPSG:3812', `${present}/pda?srs=EPSG:3812` ],
      [ 'pods.example', '/old/v2?a', `${present}?a` ],
      [ 'pods.example', '/old/v22', undefined ],
      [ 'pods.example', '/ws/plans/v3/pda', undefined ],
      [ 'OLD.example:8443', '/ws/plans/v3/pda', `${present}/pda` ],
      [ 'old.example', '/ws/plans/v3/pda', undefined ],
      [ 'older.example', '/', `${present}/` ],
      [ 'older.example', '/pda', `${present}/pda` ],
    ] as const) {
      expect([ host, url, find({ url, headers: { host }}) ]).toEqual([ host, url, location ]);
      const headers = { host: 'pods.example', 'x-forwarded-host': `${host}, proxy.example` };
      expect([ host, url, find({ url, headers }) ]).toEqual([ host, url, location ]);
    }
    expect(find({ url: '/pda' })).toBeUndefined();
    expect((): void => requireFormerHosts(formerBases, 'https://pods.example/')).not.toThrow();
    expect((): void => requireFormerHosts(formerBases, 'http://older.example/')).toThrow(/^--planRequestsFormer: older/u);
  });

  it('can have a registry, written as a source is.', async(): Promise<void> => {
    const oauth = { issuer: 'https://issuer.example', clientId: 'plans', clientSecretEnv: 'SECRET' };
    const endpoint = 'https://registry.example/';
    for (const kind of [ undefined, 'http' ]) {
      const planRegistry = await write('registry.json', JSON.stringify({ kind, endpoint, oauth }));
      const { registry } = await readPlanDocuments({ ...settings, planRegistry }, { SECRET: 'secret' });
      expect(registry).toMatchObject({ endpoint: 'https://registry.example', clientSecret: 'secret' });
    }
    const planRegistry = await write('registry.json', JSON.stringify({ kind: 'files', endpoint, oauth }));
    await expect(readPlanDocuments({ ...settings, planRegistry })).rejects.toThrow('/kind must be');
  });

  it('can have an area in metres of either system.', async(): Promise<void> => {
    // About the same square.
    for (const [ x, y ] of [[ 103_000, 192_000 ], [ 603_000, 692_000 ]]) {
      const planArea = await write('area.geojson', JSON.stringify(square(x, y, 3000).Geometry));
      const documents = await readPlanDocuments({ ...settings, planArea });
      await expect(readZone(square(104_000, 193_000, 100), documents)).resolves.toMatchObject({ srs: 'EPSG:31370' });
      await expect(readZone(square(109_000, 193_000, 100), documents)).rejects.toThrow(OutsideServiceArea);
    }
  });

  it('can have an area, in degrees, outside of which no zone is accepted.', async(): Promise<void> => {
    // Around Ghent.
    const ring = [[ 3.6, 51 ], [ 3.9, 51 ], [ 3.9, 51.1 ], [ 3.6, 51.1 ], [ 3.6, 51 ]];
    const feature = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ ring ]}};
    for (const area of [ feature, feature.geometry, { type: 'FeatureCollection', features: [ feature ]}]) {
      const planArea = await write('area.geojson', JSON.stringify(area));
      const documents = await readPlanDocuments({ ...settings, planArea });
      expect((await readZone(square(104_000, 193_000, 100), documents)).srs).toBe('EPSG:31370');
      await expect(readZone(square(150_000, 170_000, 100), documents)).rejects.toThrow(OutsideServiceArea);
    }
  });

  it('can have an area as large as a zone, which zones must not leave.', async(): Promise<void> => {
    // The shape of a U, open to the north.
    const ring = [
      [ 3.6, 51 ],
      [ 3.9, 51 ],
      [ 3.9, 51.1 ],
      [ 3.8, 51.1 ],
      [ 3.8, 51.03 ],
      [ 3.7, 51.03 ],
      [ 3.7, 51.1 ],
      [ 3.6, 51.1 ],
      [ 3.6, 51 ],
    ];
    const planArea = await write('u.geojson', JSON.stringify({ type: 'Polygon', coordinates: [ ring ]}));
    const documents = await readPlanDocuments({ ...settings, planArea });
    const [[ corners ]] = documents.area!.polygons;
    async function read(positions: readonly (readonly number[])[]): Promise<unknown> {
      return readZone({ Geometry: { type: 'Polygon', coordinates: [[ ...positions, positions[0] ]]}}, documents);
    }
    const whole = corners.slice(0, -1).map((position): number[] => position.map(Math.round));
    const [ southWest, southEast, northEast, innerEast, , , innerWest, northWest ] = whole;
    await expect(read(whole)).resolves.toMatchObject({ srs: 'EPSG:31370' });
    await expect(read([ southWest, southEast, northEast, northWest ])).rejects.toThrow(OutsideServiceArea);
    await expect(read([ southWest, southEast, innerEast, innerWest ])).rejects.toThrow(OutsideServiceArea);
    await expect(read([ southWest, southEast, northEast ])).rejects.toThrow(OutsideServiceArea);
  });
});
