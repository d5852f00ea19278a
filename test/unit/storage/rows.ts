import type { DataCopy } from '../../../src/data-copies/DataCopyStore';
import type { AccessGrant } from '../../../src/grants/AccessGrant';
import type { Share } from '../../../src/personal-data/ShareStore';
import { parseWebId } from '../../../src/platform/webId';
import { resourceUri } from '../../support/uris';
import { now } from './places';

/** The owner of all rows. */
export const pod = 'https://pod.example/a/';

/** Returns a share, with changes. */
export function share(id: string, changes: Partial<Share> = {}): Share {
  return {
    id,
    citizenId: 'a',
    contractId: 'diplomas',
    dataType: 'https://pod.example/v1/data-types/diploma/2024-05-22',
    recordId: `record-${id}`,
    version: '1',
    resource: resourceUri(`${pod}credentials/00/${id}`),
    contentType: 'application/ld+json',
    size: 2048,
    digest: 'ab',
    grantId: 'g',
    createdAt: now,
    modifiedAt: now,
    checkAt: changes.absentAt ?? changes.invalidAt ? undefined : now,
    ...changes,
  };
}

/** Returns a grant on one resource, with changes. */
export function grant(id: string, changes: Partial<AccessGrant> = {}): AccessGrant {
  return {
    id,
    uri: `https://pod.example/.access/vc/${id}`,
    kind: 'grant',
    subject: parseWebId('https://a.example/#me'),
    recipient: parseWebId('https://user.example/#us'),
    modes: [ 'Read' ],
    resources: [ `${pod}one` ],
    purposes: [ 'https://purpose.example/' ],
    inherit: false,
    status: { listId: 'list', index: 7 },
    issuedAt: now,
    document: '{"id":"…"}',
    ...changes,
  };
}

/** Returns a data user's copy of it, with changes. */
export function copy(id: string, changes: Partial<DataCopy> = {}): DataCopy {
  return {
    id,
    dataUser: parseWebId('https://user.example/#us'),
    resource: resourceUri(`${pod}one`),
    purpose: 'https://purpose.example/',
    accessGrant: 'https://pod.example/.access/vc/g',
    grantId: 'g',
    storedAt: now,
    reportedAt: now,
    ...changes,
  };
}
