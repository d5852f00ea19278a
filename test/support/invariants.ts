import { createHash } from 'node:crypto';
import type { AuditLog } from '../../src/audit/AuditLog';
import type { RunSql, SqlRow } from './recordsSql';
import type { ServerState } from './serverState';

/** The server's data, and access to it. */
export interface Looked {
  /** Base URL of the server, with a trailing slash. */
  base: string;
  /** Contents of the storage beside the records. */
  state: ServerState;
  sql: RunSql;
  audit: AuditLog;
  now: Date;
}

/** Everything that the rules check, read once. */
interface Seen extends ServerState {
  now: number;
  base: string;
  citizens: SqlRow[];
  owners: SqlRow[];
  tombstones: SqlRow[];
  shares: SqlRow[];
  intents: SqlRow[];
  grants: SqlRow[];
  places: SqlRow[];
  entries: SqlRow[];
  copies: SqlRow[];
  feeds: SqlRow[];
  events: SqlRow[];
  subscriptions: SqlRow[];
}

/**
 * Checks the invariants of all stored data of a server without requests in progress, whatever happened before its last
 * start. Each finding names the broken rule and its subject.
 */
export async function findBrokenInvariants(looked: Looked): Promise<string[]> {
  const seen = await look(looked);
  return [
    ...citizenRules(seen),
    ...grantRules(seen),
    ...copyRules(seen),
    ...eventRules(seen),
    ...subscriptionRules(seen),
    ...seen.leftOver.map((file): string => `left over: ${file}`),
    ...seen.intents.map(({ resource }): string => `an intent is left: ${String(resource)}`),
    ...(await looked.audit.verify()).map(({ sequence, problem }): string => `audit row ${sequence}: ${problem}`),
    ...await shareFindings(seen),
  ];
}

async function look({ base, state, sql, now }: Looked): Promise<Seen> {
  return {
    now: now.getTime(),
    base,
    ...state,
    citizens: await sql('select * from citizens'),
    owners: await sql('select * from pod_owners'),
    tombstones: await sql('select * from pod_tombstones'),
    shares: await sql('select * from shares'),
    intents: await sql('select * from share_intents'),
    grants: await sql('select * from access_grants'),
    places: await sql('select * from status_entries'),
    entries: await sql('select * from grant_resources'),
    copies: await sql('select * from data_copies'),
    feeds: await sql('select * from event_feeds'),
    events: await sql('select * from events'),
    subscriptions: await sql('select * from subscriptions'),
  };
}

/**
 * Each citizen has one WebID, one account and one pod; erased citizens have none. The records have no account of
 * citizens who linked their own pod; a WebID linked without a pod is linked to no account.
 */
function citizenRules({ accounts, base, citizens, containers, documents, owners, tombstones }: Seen): string[] {
  const findings: string[] = [];
  const pods = new Set(citizens.map((citizen): string => String(citizen.pod_url)));
  for (const { account_id: recorded, brought, pod_url: podUrl, state, web_id: webId } of citizens) {
    const holders = accounts.filter((account): boolean => account.pods.includes(String(podUrl)));
    const linked = accounts.filter((account): boolean => account.webIds.includes(String(webId)));
    const accountId = brought === 'POD' ? holders.at(0)?.id : recorded;
    const isElsewhere = brought === 'WEBID';
    const owned = owners.filter((owner): boolean => owner.pod_url === podUrl);
    findings.push(...[
      state !== 'ACTIVE' && `is ${String(state)}`,
      !(holders.length === 1 && holders[0].id === accountId) && `has its pod in ${holders.length} accounts`,
      !isElsewhere && !(linked.length === 1 && linked[0].id === accountId) &&
      `has its WebID in ${linked.length} accounts`,
      !(owned.length === 1 && owned[0].web_id === webId) && `has ${owned.length} recorded owners of its pod`,
      brought === 'POD' && recorded !== null && 'has an account that is not of the service',
      !isElsewhere && !documents.has(String(webId).replace(/#.*$/u, '')) && 'has no profile',
      !isProtected(documents, String(podUrl)) && 'has a pod without access rules',
    ].filter((finding): finding is string => finding !== false)
      .map((finding): string => `the citizen of ${String(podUrl)} ${finding}`));
  }
  for (const column of [ 'number_index', 'web_id', 'pod_url' ]) {
    findings.push(...duplicates(citizens.map((citizen): string => String(citizen[column])))
      .map((value): string => `two citizens have the ${column} ${value}`));
  }
  for (const { id, logins, pods: held, webIds } of accounts) {
    // The server's own forms leave empty ones behind, too.
    const isLost = logins === 0 && held.length + webIds.length > 0;
    findings.push(...isLost ? [ `nobody can log in to the account ${id}` ] : []);
    findings.push(...held.filter((pod): boolean => !containers.has(pod))
      .map((pod): string => `the account ${id} has a pod that is not there: ${pod}`));
  }
  const known = new Set([ ...pods, ...accounts.flatMap((account): string[] => account.pods) ]);
  findings.push(...[ ...containers ]
    .filter((container): boolean => isPod(base, container) && !known.has(container))
    .map((container): string => `a pod is nobody's: ${container}`));
  const ids = new Set(citizens.map(({ id }): string => String(id)));
  findings.push(...[ ...containers ].filter((container): boolean => {
    const [ , id ] = /\/credentials-([\da-f-]{36})\/$/u.exec(container) ?? [];
    return id !== undefined && !ids.has(id);
  }).map((container): string => `a place for shared data is nobody's: ${container}`));
  for (const { pod_url: podUrl } of tombstones) {
    const all = [ ...containers, ...documents.keys(), ...owners.map((owner): string => String(owner.pod_url)) ];
    findings.push(...all.filter((uri): boolean => uri.startsWith(String(podUrl)))
      .map((uri): string => `of a pod that was erased there is ${uri}`));
  }
  return findings;
}

/** Grants, their indexes and the status lists agree. */
function grantRules({ documents, entries, grants, now, places, shares }: Seen): string[] {
  const findings: string[] = [];
  const revokedAt = new Map(places.map((place): [string, unknown] =>
    [ keyOf(place, 'list_id', 'position'), place.revoked_at ]));
  const found = new Set(entries.map((entry): string => keyOf(entry, 'grant_id', 'resource')));
  for (const grant of grants) {
    const place = keyOf(grant, 'status_list_id', 'status_index');
    const isRevoked = grant.revoked_at !== null;
    const isExpired = grant.expires_at !== null && Number(grant.expires_at) <= now;
    const isEnded = isRevoked || isExpired || grant.invalid_at !== null;
    const resources = JSON.parse(String(grant.resources)) as string[];
    findings.push(...[
      !revokedAt.has(place) && 'has no place in a status list',
      isRevoked !== (typeof revokedAt.get(place) === 'number' || typeof revokedAt.get(place) === 'string') &&
      'is not what its status list says',
      isRevoked !== [ 'revoked', 'lapsed' ].includes(String(grant.state)) && grant.invalid_at === null &&
      'has a state of its own',
      !resources.every((resource): boolean => found.has(`${String(grant.id)}/${resource}`)) && 'cannot be looked up',
      !isEnded && grant.contract_id !== null && grant.kind === 'grant' &&
      !resources.every((resource): boolean => documents.has(resource)) && 'is ACTIVE, its resource is gone',
      grant.contract_id !== null && grant.kind === 'grant' &&
      !shares.some((share): boolean => resources.includes(String(share.resource))) && 'is for no share',
    ].filter((finding): finding is string => finding !== false)
      .map((finding): string => `the grant ${String(grant.uri)} ${finding}`));
  }
  findings.push(...duplicates(grants.map((grant): string => keyOf(grant, 'status_list_id', 'status_index')))
    .map((place): string => `two grants have the place ${place} in a status list`));
  return findings;
}

/** The pod contains the shared data on record, and no other. */
async function shareFindings({ citizens, documents, grants, places, shares }: Seen): Promise<string[]> {
  const findings: string[] = [];
  const revoked = new Set(places.filter((place): boolean => place.revoked_at !== null)
    .map((place): string => keyOf(place, 'list_id', 'position')));
  const active = new Set(citizens.map(({ id }): string => String(id)));
  for (const share of shares.filter(({ absent_at: absentAt, invalid_at: invalidAt }): boolean =>
    absentAt === null && invalidAt === null)) {
    const document = documents.get(String(share.resource));
    const digest = document && createHash('sha256').update(await document()).digest('hex');
    findings.push(...[
      !active.has(String(share.citizen_id)) && 'is nobody\'s',
      digest === undefined && 'is not in the pod',
      digest !== undefined && digest !== share.digest && 'is not what stands in the pod',
      !grants.some(({ id }): boolean => id === share.grant_id) && 'has no grant',
      revoked.has(keyOf(share, 'status_list_id', 'status_index')) && 'has a revoked credential',
    ].filter((finding): finding is string => finding !== false)
      .map((finding): string => `what is shared as ${String(share.resource)} ${finding}`));
  }
  const recorded = new Set(shares.map(({ resource }): string => String(resource)));
  return [
    ...findings,
    ...[ ...documents.keys() ]
      .filter((uri): boolean => /\/credentials(?:-[\da-f-]{36})?\/[^/]+\/[^/]+$/u.test(uri) && !recorded.has(uri))
      .map((uri): string => `a credential was never shared: ${uri}`),
    ...duplicates(shares.map((share): string => keyOf(share, 'citizen_id', 'contract_id', 'data_type', 'record_id')))
      .map((key): string => `a record is shared twice: ${key}`),
  ];
}

/** There is one open copy of a kind, and each copy has a grant on record. */
function copyRules({ copies, grants }: Seen): string[] {
  const open = copies.filter(({ deleted_at: deletedAt }): boolean => deletedAt === null);
  return [
    ...duplicates(open.map((copy): string => keyOf(copy, 'data_user', 'resource', 'purpose')))
      .map((key): string => `two copies of a kind are open: ${key}`),
    ...copies.filter(({ grant_id: grantId }): boolean => !grants.some(({ id }): boolean => id === grantId))
      .map(({ id }): string => `the copy ${String(id)} is under no grant`),
  ];
}

/** Each feed numbers its events without gaps, and has an event once for what happens once. */
function eventRules({ events, feeds }: Seen): string[] {
  const once = new Set([ 'AccessGranted', 'AccessRevoked', 'AccessExpired' ]);
  const known = new Set(feeds.map((feed): string => String(feed.data_user)));
  return [
    ...feeds.flatMap(({ data_user: dataUser, forgotten, last, noticed }): string[] => {
      const numbers = events.filter((event): boolean => event.data_user === dataUser)
        .map((event): number => Number(event.number)).sort((left, right): number => left - right);
      const kept = Array.from({ length: Number(last) - Number(forgotten) }, (_, at): number =>
        Number(forgotten) + at + 1);
      return [
        numbers.join(',') !== kept.join(',') && `has the events ${numbers.join(',')}, not ${kept.join(',')}`,
        Number(noticed) > Number(last) && 'has noticed what is not there',
      ].filter((finding): finding is string => finding !== false)
        .map((finding): string => `the feed of ${String(dataUser)} ${finding}`);
    }),
    ...events.filter((event): boolean => !known.has(String(event.data_user)))
      .map(({ id }): string => `the event ${String(id)} is in no feed`),
    ...duplicates(events.map(({ id }): string => String(id))).map((id): string => `two events have the id ${id}`),
    ...duplicates(events.filter(({ type }): boolean => once.has(String(type)))
      .map((event): string => keyOf(event, 'data_user', 'type', 'data')))
      .map((key): string => `an event is told twice: ${key}`),
  ];
}

/** Each endpoint has one subscription; none has been sent more events than exist. */
function subscriptionRules({ feeds, subscriptions }: Seen): string[] {
  return [
    ...duplicates(subscriptions.map((subscription): string => keyOf(subscription, 'data_user', 'endpoint')))
      .map((key): string => `two subscriptions have the endpoint ${key}`),
    ...subscriptions.filter(({ data_user: dataUser, position }): boolean =>
      Number(position) > Number(feeds.find((feed): boolean => feed.data_user === dataUser)?.last ?? 0))
      .map(({ id }): string => `the subscription ${String(id)} is past the end of its feed`),
  ];
}

function isPod(base: string, container: string): boolean {
  return /^[\da-f-]{36}\/$/u.test(container.slice(base.length));
}

/** Each pod has an access control document; otherwise it would inherit the access rules above it. */
function isProtected(documents: ServerState['documents'], podUrl: string): boolean {
  return [ '.acl', '.acr' ].some((suffix): boolean => documents.has(`${podUrl}${suffix}`));
}

function keyOf(row: SqlRow, ...columns: string[]): string {
  return columns.map((column): string => String(row[column])).join('/');
}

function duplicates(values: string[]): string[] {
  return [ ...new Set(values.filter((value, index): boolean => values.indexOf(value) !== index)) ];
}
