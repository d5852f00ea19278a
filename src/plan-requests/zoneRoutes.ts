import { created, ok } from '../http/Answer';
import type { Answer, JsonAnswer } from '../http/Answer';
import type { Operation } from '../http/Operation';
import { IdMismatch, NotOfOrganisation } from '../problems';
import {
  readSettings,
  readUna,
  writeFoundUna,
  writeOverlay,
  writePdaZone,
  writeUna,
  writeUnaZone,
} from './bodies';
import { readZone } from './geometry/readZone';
import type { GivenZone, Zone, ZoneRules } from './geometry/readZone';
import type { System } from './geometry/systems';
import { lambert72, systems } from './geometry/systems';
import type { PlanServices } from './operation';
import { planOperation } from './operation';

/** Upper bound of the perimeter of a plan request or overlay, exclusive. */
export const perimeterBelowMetres = 100_000;

const json = 'application/json';
/** Enough for the maximum positions of a zone. */
export const zoneBytes = 1024 * 1024;
/** Query parameter for the coordinate system of the response. */
export const srs = {
  srs: {
    schema: { type: 'string', enum: systems },
    description: 'System of zones in the response. When absent, that of a zone in the body, else EPSG:31370.',
  },
} as const;

/** Overlays, network operators and municipalities. */
export const zoneOperations: readonly Operation<PlanServices>[] = [
  planOperation({
    method: 'POST',
    path: '/maprequest/overlay',
    roles: [ 'MapRequestInitiator' ],
    body: { schema: 'Zone', maxBytes: zoneBytes },
    async answer({ body, context, organisation, path, site }, { area, overlays }): Promise<Answer> {
      const zone = await readZone(body, { area, belowMetres: perimeterBelowMetres });
      const overlay = await overlays.make(zone, organisation, context);
      return created(writeOverlay(overlay), new URL(`${path}/${overlay.id}`, site.baseUrl).href);
    },
    operationId: 'createOverlay',
    tag: 'Overlays',
    summary: 'Find the operators whose zones meet a zone: nobody is notified',
    success: { 201: { description: 'The operators.', content: { [json]: 'Overlay' }, headers: [ 'Location' ]}},
  }),
  planOperation({
    method: 'GET',
    path: '/maprequest/overlay/{MapRequestId}',
    roles: [ 'MapRequestInitiator' ],
    async answer({ organisation, params }, { overlays }): Promise<Answer> {
      return ok(writeOverlay(await overlays.get(params.MapRequestId, organisation)));
    },
    operationId: 'getOverlay',
    tag: 'Overlays',
    summary: 'Get an overlay again, for 30 days',
    success: { 200: { description: 'The operators.', content: { [json]: 'Overlay' }}},
    errors: [ 404 ],
  }),
  planOperation({
    method: 'POST',
    path: '/una/{UnaId}',
    roles: [ 'UnaManager' ],
    body: { schema: 'Una' },
    async answer({ body, context, organisation, params }, { unas }): Promise<Answer> {
      const una = readUna(body);
      if (una.id !== params.UnaId) {
        throw new IdMismatch();
      }
      return await unas.put(una, organisation, context) ? created(writeUna(una)) : ok(writeUna(una));
    },
    operationId: 'putUna',
    tag: 'Utility network authorities',
    summary: 'Create or replace a utility network authority',
    success: {
      200: { description: 'It was replaced.', content: { [json]: 'Una' }},
      201: { description: 'It was created.', content: { [json]: 'Una' }},
    },
    errors: [ 409 ],
  }),
  planOperation({
    method: 'GET',
    path: '/una/{UnaId}',
    roles: [],
    async answer({ params }, { unas }): Promise<Answer> {
      return ok(writeUna(await unas.get(params.UnaId)));
    },
    operationId: 'getUna',
    tag: 'Utility network authorities',
    summary: 'Get a utility network authority',
    success: { 200: { description: 'The authority.', content: { [json]: 'Una' }}},
    errors: [ 404 ],
  }),
  planOperation({
    method: 'GET',
    path: '/una/getbyorganisation/{OrganisationId}',
    roles: [],
    async answer({ params }, { unas }): Promise<Answer> {
      return ok((await unas.listOf(params.OrganisationId)).map(writeUna));
    },
    operationId: 'listUnasOfOrganisation',
    tag: 'Utility network authorities',
    summary: 'List the utility network authorities of an organisation',
    success: { 200: { description: 'The authorities.', content: { [json]: 'UnaList' }}},
  }),
  planOperation({
    method: 'POST',
    path: '/unazone/registry',
    roles: [ 'UnaManager' ],
    body: { schema: 'UnaZoneRegistration', maxBytes: 8 * zoneBytes },
    async answer({ body, context, organisation, path, site }, { area, unaZones }): Promise<Answer> {
      const zone = await unaZones.register({
        id: body.UnaZoneId?.toLowerCase(),
        unaId: body.UnaId.toLowerCase(),
        name: body.Name,
        settings: readSettings(body.Settings),
        geometries: await readZones(body.Geometries, area),
      }, { organisation, context });
      return created(writeUnaZone(zone), new URL(zone.id, new URL(path, site.baseUrl)).href);
    },
    operationId: 'registerUnaZone',
    tag: 'Zones of utility network authorities',
    summary: 'Register a zone, or announce one again',
    success: { 201: { description: 'The zone.', content: { [json]: 'UnaZone' }, headers: [ 'Location' ]}},
    errors: [ 404, 409 ],
  }),
  planOperation({
    method: 'GET',
    path: '/unazone/{UnaZoneId}',
    roles: [ 'UnaManager', 'UnaOperator', 'UnaReader' ],
    async answer({ organisation, params }, { unaZones }): Promise<Answer> {
      return ok(writeUnaZone(await unaZones.get(params.UnaZoneId, organisation)));
    },
    operationId: 'getUnaZone',
    tag: 'Zones of utility network authorities',
    summary: 'Get a zone, with the state of its registration',
    success: { 200: { description: 'The zone.', content: { [json]: 'UnaZone' }}},
    errors: [ 404 ],
    addition: 'Shows how far the registration is.',
  }),
  planOperation({
    method: 'POST',
    path: '/unazone/{UnaZoneId}/geometry',
    roles: [ 'UnaManager' ],
    body: { schema: 'Zone', maxBytes: zoneBytes },
    async answer({ body, context, organisation, params, path, site }, { area, unaZones }): Promise<Answer> {
      const zone = await readZone(body, { area });
      const id = await unaZones.addGeometry(params.UnaZoneId, zone, { organisation, context });
      return created({ UtilityNetworkAuthorityZoneGeometryId: id }, new URL(`${path}/${id}`, site.baseUrl).href);
    },
    operationId: 'addUnaZoneGeometry',
    tag: 'Zones of utility network authorities',
    summary: 'Add a geometry to a zone',
    success: { 201: { description: 'Its id.', content: { [json]: 'ZoneGeometryId' }, headers: [ 'Location' ]}},
    errors: [ 404, 409 ],
  }),
  planOperation({
    method: 'DELETE',
    path: '/unazone/{UnaZoneId}/geometry/{utilityNetworkAuthorityZoneGeometryId}',
    roles: [ 'UnaManager' ],
    async answer({ context, organisation, params }, { unaZones }): Promise<Answer> {
      const { UnaZoneId: zone, utilityNetworkAuthorityZoneGeometryId: geometry } = params;
      await unaZones.removeGeometry(zone, geometry, { organisation, context });
      return noContent();
    },
    operationId: 'removeUnaZoneGeometry',
    tag: 'Zones of utility network authorities',
    summary: 'Remove a geometry from a zone',
    success: { 204: { description: 'It is removed.', content: {}}},
    errors: [ 404 ],
  }),
  planOperation({
    method: 'PUT',
    path: '/unazone/{UnaZoneId}/settings',
    roles: [ 'UnaManager' ],
    body: { schema: 'UnaZoneSettings' },
    async answer({ body, context, organisation, params }, { unaZones }): Promise<Answer> {
      const settings = readSettings(body);
      return ok(writeUnaZone(await unaZones.setSettings(params.UnaZoneId, settings, { organisation, context })));
    },
    operationId: 'setUnaZoneSettings',
    tag: 'Zones of utility network authorities',
    summary: 'Replace the contact and mail settings of a zone',
    success: { 200: { description: 'The zone.', content: { [json]: 'UnaZone' }}},
    errors: [ 404 ],
  }),
  planOperation({
    method: 'DELETE',
    path: '/unazone/{UnaZoneId}',
    roles: [ 'UnaManager' ],
    async answer({ context, organisation, params }, { unaZones }): Promise<Answer> {
      await unaZones.remove(params.UnaZoneId, { organisation, context });
      return noContent();
    },
    operationId: 'removeUnaZone',
    tag: 'Zones of utility network authorities',
    summary: 'Remove a zone',
    success: { 204: { description: 'It is removed.', content: {}}},
    errors: [ 404, 409 ],
  }),
  planOperation({
    method: 'GET',
    path: '/pda',
    roles: [ 'PdaManager' ],
    query: srs,
    async answer({ organisation, query }, { pdaZones }): Promise<Answer> {
      const system: System = query.srs ?? lambert72;
      return ok((await pdaZones.list(organisation)).map((zone): object => writePdaZone(zone, system)));
    },
    operationId: 'listPdaZones',
    tag: 'Public domain authorities',
    summary: 'List the zones of the organisation',
    success: { 200: { description: 'The zones.', content: { [json]: 'PdaZoneList' }}},
  }),
  planOperation({
    method: 'POST',
    path: '/pda',
    roles: [ 'PdaManager' ],
    query: srs,
    body: { schema: 'NewPdaZone', maxBytes: zoneBytes },
    async answer({ body, context, organisation, path, query, site }, { area, pdaZones }): Promise<Answer> {
      requireOwn(body.OrganisationId, organisation.id);
      const given = { id: body.PdaZoneId?.toLowerCase(), name: body.Name, ...await readZone(body.Zone, { area }) };
      const { isNew, zone } = await pdaZones.put(given, organisation, context);
      const written = writePdaZone(zone, query.srs ?? zone.srs);
      return isNew ? created(written, new URL(`${path}/${zone.id}`, site.baseUrl).href) : ok(written);
    },
    operationId: 'createPdaZone',
    tag: 'Public domain authorities',
    summary: 'Create a zone, or replace that of `PdaZoneId`',
    success: {
      200: { description: 'It was replaced.', content: { [json]: 'PdaZone' }},
      201: { description: 'It was created.', content: { [json]: 'PdaZone' }, headers: [ 'Location' ]},
    },
    errors: [ 409 ],
  }),
  planOperation({
    method: 'PUT',
    path: '/pda/{pdaZoneId}',
    roles: [ 'PdaManager' ],
    query: srs,
    body: { schema: 'NewPdaZone', maxBytes: zoneBytes },
    async answer({ body, context, organisation, params: { pdaZoneId: id }, query }, { area, pdaZones }):
    Promise<Answer> {
      requireOwn(body.OrganisationId, organisation.id);
      if (body.PdaZoneId !== undefined && body.PdaZoneId.toLowerCase() !== id) {
        throw new IdMismatch();
      }
      const zone = { id, name: body.Name, ...await readZone(body.Zone, { area }) };
      return ok(writePdaZone(await pdaZones.replace(zone, organisation, context), query.srs ?? zone.srs));
    },
    operationId: 'replacePdaZone',
    tag: 'Public domain authorities',
    summary: 'Replace a zone',
    success: { 200: { description: 'The zone.', content: { [json]: 'PdaZone' }}},
    errors: [ 404, 409 ],
  }),
  planOperation({
    method: 'DELETE',
    path: '/pda/{pdaZoneId}',
    roles: [ 'PdaManager' ],
    async answer({ context, organisation, params }, { pdaZones }): Promise<Answer> {
      await pdaZones.remove(params.pdaZoneId, organisation, context);
      return noContent();
    },
    operationId: 'removePdaZone',
    tag: 'Public domain authorities',
    summary: 'Remove a zone',
    success: { 204: { description: 'It is removed.', content: {}}},
    errors: [ 404 ],
  }),
  planOperation({
    method: 'GET',
    path: '/pda/{pdaZoneId}/unazones',
    roles: [ 'PdaManager' ],
    async answer({ organisation, params }, { pdaZones }): Promise<Answer> {
      return ok((await pdaZones.listUnas(params.pdaZoneId, organisation)).map(writeFoundUna));
    },
    operationId: 'listUnaZonesOfPdaZone',
    tag: 'Public domain authorities',
    summary: 'List the zones of operators that meet a zone',
    success: { 200: { description: 'The operators, with their zones.', content: { [json]: 'FoundUnaList' }}},
    errors: [ 404 ],
  }),
];

/** Makes a 204 response. */
function noContent(): JsonAnswer {
  const { headers } = ok(null);
  return { status: 204, headers: Object.fromEntries(Object.entries(headers).filter(([ name ]): boolean =>
    name !== 'Content-Type')), text: '' };
}

async function readZones(given: readonly GivenZone[], area: ZoneRules['area']): Promise<Zone[]> {
  const zones: Zone[] = [];
  for (const zone of given) {
    zones.push(await readZone(zone, { area }));
  }
  return zones;
}

function requireOwn(organisationId: string | undefined, own: string): void {
  if (organisationId !== undefined && organisationId.toLowerCase() !== own) {
    throw new NotOfOrganisation();
  }
}
