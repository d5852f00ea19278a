import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import type { Building, Buildings } from './Buildings';

/** Reads documents of a building register, and records each read in the audit log. */
export class BuildingService {
  public constructor(
    private readonly buildings: Buildings,
    private readonly audit: Pick<AuditLog, 'enqueue'>,
    private readonly now: Clock,
  ) {}

  /**
   * Returns the document at a path without a leading slash; the root is the empty path.
   *
   * @throws NotEnabled, BuildingNotFound, BuildingGone, OriginUnavailable
   */
  public async get(path: string, { correlationId }: CallContext): Promise<Building> {
    const building = await this.buildings.find(path);
    this.audit.enqueue({ type: 'building.read', at: this.now(), correlationId, personal: { path }});
    return building;
  }
}
