import type { ResourceUri } from '../pods/resourceUri';
import type { WebId } from '../platform/webId';
import type { CopyState, CopyStatus } from './copyStatus';
import type { DataCopy } from './DataCopyStore';

/** A data copy in a response. Moments are ISO 8601. */
export interface CopyEntry {
  id: string;
  resource: ResourceUri;
  purpose: string;
  dataUser: WebId;
  accessGrant: string;
  system?: string;
  status: CopyStatus;
  storedAt: string;
  reportedAt: string;
  deletionDueSince?: string;
  deletionReason?: string;
  deletedAt?: string;
}

/** Returns the response entry of a copy in a state. */
export function copyEntry(copy: DataCopy, { status, deletionDueSince, deletionReason }: CopyState): CopyEntry {
  return {
    id: copy.id,
    resource: copy.resource,
    purpose: copy.purpose,
    dataUser: copy.dataUser,
    accessGrant: copy.accessGrant,
    ...copy.system !== undefined && { system: copy.system },
    status,
    storedAt: copy.storedAt.toISOString(),
    reportedAt: copy.reportedAt.toISOString(),
    ...deletionDueSince && { deletionDueSince: deletionDueSince.toISOString() },
    ...deletionReason !== undefined && { deletionReason },
    ...copy.deletedAt && { deletedAt: copy.deletedAt.toISOString() },
  };
}
