import { addressOf, nameOfApp } from './apps';
import { addressText, cleanName, dataUserName, sourceOf } from './asked';
import type { Activity, Described, Service } from './service';
import type { Argument, Word, Words } from './words';

/** Kinds of activity, for the filter. */
export const kinds = [ 'reads', 'shares', 'changes', 'copies', 'logins' ] as const;

/** See {@link kinds}. */
export type Kind = typeof kinds[number];

/** An activity, with descriptions of the data types concerned. */
export interface Line {
  activity: Activity;
  dataTypes: (Described | undefined)[];
}

/** Text and kind of each type of activity. */
const texts: Record<Activity['type'], [Word, Kind?]> = {
  'resource.read': [ 'activity.read', 'reads' ],
  'resource.listed': [ 'activity.listed', 'reads' ],
  'data.listed': [ 'activity.asked', 'reads' ],
  'businesskey.verified': [ 'activity.number', 'reads' ],
  'data.shared': [ 'activity.shared', 'shares' ],
  'grant.requested': [ 'activity.requested', 'shares' ],
  'grant.issued': [ 'activity.issued', 'shares' ],
  'grant.denied': [ 'activity.denied', 'shares' ],
  'grant.revoked': [ 'activity.revoked', 'shares' ],
  'resource.created': [ 'activity.created', 'changes' ],
  'resource.written': [ 'activity.changed', 'changes' ],
  'resource.appended': [ 'activity.changed', 'changes' ],
  'resource.deleted': [ 'activity.deleted', 'changes' ],
  'credential.invalid': [ 'activity.invalid', 'changes' ],
  'copy.reported': [ 'activity.copied', 'copies' ],
  'copy.deleted': [ 'activity.copyDeleted', 'copies' ],
  'login.succeeded': [ 'activity.login', 'logins' ],
  'login.ended': [ 'activity.loggedOut', 'logins' ],
  'webid.created': [ 'activity.began' ],
  'webid.linked': [ 'activity.linked' ],
  'citizen.relinked': [ 'activity.relinked' ],
  'citizen.exported': [ 'activity.exported' ],
};

/** Types of looking at one's own data. */
const looking: ReadonlySet<Activity['type']> = new Set([ 'resource.read', 'resource.listed', 'data.listed' ]);

/**
 * Converts activities to lines, leaving out what the citizen looked at in these pages.
 *
 * @param service - Source of the descriptions of data types.
 * @param activities - Activities, newest first.
 * @param own - WebID of the citizen, and client id of these pages.
 * @param own.webId
 * @param own.clientId
 */
export async function linesOf(
  service: Service,
  activities: readonly Activity[],
  { webId, clientId }: { webId: string; clientId: string },
): Promise<Line[]> {
  return Promise.all(activities
    .filter(({ app, by, type }): boolean => !(looking.has(type) && by === webId && app === clientId))
    .map(async(activity): Promise<Line> => ({
      activity,
      dataTypes: await Promise.all(activity.resources.map(async({ type }): Promise<Described | undefined> =>
        type === null ? undefined : service.describe(type))),
    })));
}

/** Returns the kind of an activity, if it has one. */
export function kindOf({ activity: { type }}: Line): Kind | undefined {
  return texts[type][1];
}

/** Returns the WebID of the other party, if there is one. */
export function otherOf({ activity: { by, to }}: Line, webId: string): string | undefined {
  return [ by, to ].find((each): boolean => each !== null && each !== webId) ?? undefined;
}

/**
 * Returns the text of a line, with its values.
 *
 * @param line - The line.
 * @param webId - WebID of the citizen.
 * @param words - Texts in the reader's language.
 */
export function formatLine(line: Line, webId: string, words: Words): { word: Word; values: Record<string, Argument> } {
  const { activity, dataTypes } = line;
  const other = otherOf(line, webId);
  const names = activity.by === other ? activity.byNames : activity.toNames;
  const what = activity.resources.map(({ labels, uri }, at): string =>
    words.choose(dataTypes[at]?.phrases ?? [])?.value ?? words.choose(labels)?.value ?? nameOf(uri));
  return {
    word: texts[activity.type][0],
    values: {
      who: activity.by === webId ? 'you' : 'other',
      user: other === undefined ? '' : dataUserName({ names }, other, words),
      what: words.list([ ...new Set(what) ]),
      n: activity.count,
      ...loggedOut(activity),
      ...sourceOf(dataTypes.find(Boolean), words),
    },
  };
}

/**
 * Returns the app that acted, if its client id means something to a reader: an address, but not that of these pages.
 * The identity provider of whoever acts chooses the id.
 *
 * @param activity - The activity.
 * @param activity.app - Client id of the app that acted.
 * @param ownClientId - Client id of these pages.
 */
export function appOf({ app }: Pick<Activity, 'app'>, ownClientId: string): string | undefined {
  return app === null || app === ownClientId ? undefined : addressOf(app);
}

/** Names the app that was logged out, if that is what happened. */
function loggedOut({ details: { client, clientName }}: Activity): Record<string, Argument> {
  const app = client === undefined ? undefined : nameOfApp(String(client), String(clientName ?? ''));
  return { app: app ?? '', known: app === undefined ? 'no' : 'yes' };
}

/** Returns the last part of the path of a file or folder, which may be on another server. */
export function nameOf(uri: string): string {
  const name = /^\w+:\/\/[^/]*([^?#]*)/u.exec(addressText(uri))?.[1].split('/').findLast(Boolean) ?? uri;
  try {
    return cleanName(decodeURIComponent(name));
  } catch {
    // Other servers may use other encodings than UTF-8.
    return name;
  }
}
