import { created, ok } from '../http/Answer';
import type { Answer } from '../http/Answer';
import type { Operation, Parameter, ValuesOf } from '../http/Operation';
import { uuidPattern } from '../platform/uuid';
import { DeliveryDataRefused, ParameterInvalid } from '../problems';
import { readMapRequest, writeFiled, writeReceived, writeSeen } from './bodies';
import { readZone } from './geometry/readZone';
import { lambert72 } from './geometry/systems';
import type { MapRequests, Reply } from './MapRequests';
import type { PlanCall, PlanServices } from './operation';
import { planOperation } from './operation';
import type { GivenReply } from './bodies';
import type { MapRequestFilter, UnaZoneState } from './PlanStores';
import { mapRequestStates, unaZoneStates } from './PlanStores';
import { perimeterBelowMetres, srs, zoneBytes } from './zoneRoutes';

const json = 'application/json';
const defaultLimit = 50;

const filed = {
  reference: { schema: { type: 'string', minLength: 1, maxLength: 100 }, description: 'Only with this reference.' },
  receivedAfter: { schema: { type: 'string', format: 'date-time' }, description: 'Only those received later.' },
  closed: { schema: { type: 'boolean' }, description: 'Only those that are answered, or not.' },
  offset: { schema: { type: 'integer', minimum: 0, maximum: 1_000_000 }, description: 'How many are left out.' },
  limit: { schema: { type: 'integer', minimum: 1, maximum: 100, default: defaultLimit }, description: 'Most entries.' },
} as const satisfies Record<string, Parameter>;

const received = {
  ...filed,
  unaZoneId: { schema: { type: 'string', pattern: uuidPattern }, description: 'Only those in this zone.' },
  unaStatus: { schema: { type: 'string', enum: unaZoneStates }, description: 'Only those with this state.' },
} as const satisfies Record<string, Parameter>;

const seen = {
  from: { schema: { type: 'string', format: 'date-time' }, description: 'Only those received then or later.' },
  to: { schema: { type: 'string', format: 'date-time' }, description: 'Only those received then or before.' },
  status: { schema: { type: 'string', enum: mapRequestStates }, description: 'Only those with this status.' },
  offset: filed.offset,
  limit: filed.limit,
} as const satisfies Record<string, Parameter>;

/** Plan requests, and the operators' answers to them. */
export const requestOperations: readonly Operation<PlanServices>[] = [
  planOperation({
    method: 'POST',
    path: '/maprequest',
    roles: [ 'MapRequestInitiator' ],
    query: srs,
    body: { schema: 'NewMapRequest', maxBytes: zoneBytes },
    async answer({ body, context, organisation, path, query, site }, { area, mapRequests }): Promise<Answer> {
      if (Object.keys(body).some((name): boolean => name.startsWith('Delivery'))) {
        throw new DeliveryDataRefused();
      }
      const zone = await readZone(body.MapRequestZone, { area, belowMetres: perimeterBelowMetres });
      const sent = await mapRequests.file(readMapRequest(body), zone, organisation, context);
      const location = new URL(`${path}/${sent.request.id}/mri`, site.baseUrl);
      return created(writeFiled(sent, mapRequests.stateOf(sent), query.srs ?? zone.srs), location.href);
    },
    operationId: 'createMapRequest',
    tag: 'Plan requests',
    summary: 'File a plan request: it goes to every operator whose zone it meets',
    success: { 201: { description: 'The request.', content: { [json]: 'FiledMapRequest' }, headers: [ 'Location' ]}},
  }),
  planOperation({
    method: 'GET',
    path: '/maprequest/mri',
    roles: [ 'MapRequestInitiator' ],
    query: filed,
    async answer({ organisation, query }, { mapRequests }): Promise<Answer> {
      const page = pageOf(query);
      const found = await mapRequests.listFiled(organisation, { ...page, limit: page.limit + 1 });
      return ok(writePage(found.map((sent): object => writeFiled(sent, mapRequests.stateOf(sent))), page));
    },
    operationId: 'listFiledMapRequests',
    tag: 'Plan requests',
    summary: 'List the plan requests of the organisation, the latest first',
    success: { 200: { description: 'A page of requests.', content: { [json]: 'FiledMapRequestList' }}},
  }),
  planOperation({
    method: 'GET',
    path: '/maprequest/{MapRequestId}/mri',
    roles: [ 'MapRequestInitiator' ],
    query: srs,
    async answer({ organisation, params, query }, { mapRequests }): Promise<Answer> {
      const sent = await mapRequests.getFiled(params.MapRequestId, organisation);
      return ok(writeFiled(sent, mapRequests.stateOf(sent), query.srs ?? lambert72));
    },
    operationId: 'getFiledMapRequest',
    tag: 'Plan requests',
    summary: 'Get a plan request of the organisation',
    success: { 200: { description: 'The request.', content: { [json]: 'FiledMapRequest' }}},
    errors: [ 404 ],
  }),
  planOperation({
    method: 'GET',
    path: '/maprequest/una',
    roles: [ 'UnaOperator', 'UnaReader' ],
    query: received,
    async answer({ organisation, query }, { mapRequests }): Promise<Answer> {
      const page = { ...pageOf(query), zoneId: query.unaZoneId?.toLowerCase(), state: query.unaStatus };
      const found = await mapRequests.listReceived(organisation, { ...page, limit: page.limit + 1 });
      return ok(writePage(found.map((sent): object => writeReceived(sent)), page));
    },
    operationId: 'listReceivedMapRequests',
    tag: 'Plan requests',
    summary: 'List the plan requests in zones of the operator, the latest first',
    success: { 200: { description: 'A page of requests.', content: { [json]: 'ReceivedMapRequestList' }}},
  }),
  planOperation({
    method: 'GET',
    path: '/maprequest/{MapRequestId}/una',
    roles: [ 'UnaOperator', 'UnaReader' ],
    query: srs,
    async answer({ organisation, params, query }, { mapRequests }): Promise<Answer> {
      const sent = await mapRequests.getReceived(params.MapRequestId, organisation);
      return ok(writeReceived(sent, query.srs ?? lambert72));
    },
    operationId: 'getReceivedMapRequest',
    tag: 'Plan requests',
    summary: 'Get a plan request in zones of the operator',
    success: { 200: { description: 'The request.', content: { [json]: 'ReceivedMapRequest' }}},
    errors: [ 404 ],
  }),
  ...([[ 'confirmation', 'Confirmed', 'confirm' ], [ 'notinvolved', 'NotInvolved', 'decline' ]] as const)
    .map(([ name, reply, verb ]): Operation<PlanServices> => planOperation({
      method: 'POST',
      path: `/maprequest/${name}`,
      roles: [ 'UnaOperator' ],
      body: { schema: 'MapRequestReply' },
      answer: async(call, { mapRequests }): Promise<Answer> => answerReply(call, mapRequests, reply),
      operationId: `${verb}MapRequest`,
      tag: 'Plan requests',
      summary: reply === 'Confirmed' ? 'Confirm a plan request' : 'Say that the operator has nothing in the zone',
      success: { 200: { description: 'The state; Invalid after an answer.', content: { [json]: 'MapRequestState' }}},
      errors: [ 404 ],
    })),
  planOperation({
    method: 'GET',
    path: '/pda/maprequests/search',
    roles: [ 'PdaManager' ],
    query: seen,
    async answer({ organisation, query }, { mapRequests }): Promise<Answer> {
      const { from, limit = defaultLimit, offset = 0, status, to } = query;
      const filter = { from: dateOf('from', from), to: dateOf('to', to), status, offset, limit: limit + 1 };
      const found = await mapRequests.listSeen(organisation, filter);
      return ok(writePage(found.map((sent): object => writeSeen(sent, mapRequests.stateOf(sent))), { limit, offset }));
    },
    operationId: 'searchPdaMapRequests',
    tag: 'Public domain authorities',
    summary: 'List the plan requests that met a zone of the organisation when they were filed, the latest first',
    success: { 200: { description: 'A page of requests.', content: { [json]: 'SeenMapRequestList' }}},
  }),
  planOperation({
    method: 'GET',
    path: '/pda/maprequests/{mapRequestId}',
    roles: [ 'PdaManager' ],
    query: srs,
    async answer({ organisation, params, query }, { mapRequests }): Promise<Answer> {
      const sent = await mapRequests.getSeen(params.mapRequestId, organisation);
      return ok(writeSeen(sent, mapRequests.stateOf(sent), query.srs ?? lambert72));
    },
    operationId: 'getPdaMapRequest',
    tag: 'Public domain authorities',
    summary: 'Get a plan request in a zone of the organisation, without answers',
    success: { 200: { description: 'The request.', content: { [json]: 'SeenMapRequest' }}},
    errors: [ 404 ],
  }),
];

async function answerReply(
  { body, context, organisation }: PlanCall<string, GivenReply>,
  mapRequests: MapRequests,
  reply: Reply,
): Promise<Answer> {
  const said = { requestId: body.MapRequestId.toLowerCase(), zoneId: body.UnaZoneId.toLowerCase(), reply };
  const state: UnaZoneState = await mapRequests.reply(said, organisation, context);
  return ok({ MapRequestId: said.requestId, UnaZoneId: said.zoneId, State: state });
}

/** @throws ParameterInvalid for times that match the format but no date, such as leap seconds. */
function dateOf(name: string, text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(text);
  if (date && Number.isNaN(date.getTime())) {
    throw new ParameterInvalid(`${name} must be a time such as 2026-11-23T12:00:00Z.`);
  }
  return date;
}

function pageOf({ limit = defaultLimit, offset = 0, receivedAfter, ...query }: ValuesOf<typeof filed>):
MapRequestFilter {
  return {
    limit,
    offset,
    reference: query.reference,
    closed: query.closed,
    receivedAfter: dateOf('receivedAfter', receivedAfter),
  };
}

function writePage(found: object[], { limit, offset }: Pick<MapRequestFilter, 'limit' | 'offset'>): object {
  return { MapRequests: found.slice(0, limit), NextOffset: found.length > limit ? offset + limit : null };
}
