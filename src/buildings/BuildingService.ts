import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import type { Building, Buildings } from './Buildings';

/** Documents of a building register, each read of one kept in the audit log. */
export class BuildingService {
  public constructor(
    private readonly buildings: Buildings,
    private readonly audit: Pick<AuditLog, 'enqueue'>,
    private readonly now: Clock,
  ) {}

  /**
   * The document at a path without a slash in front, the root being the empty one.
   *
   * @throws NotEnabled, BuildingNotFound, BuildingGone, OriginUnavailable
   */
  public async get(path: string, { correlationId }: CallContext): Promise<Building> {
    const building = await this.buildings.find(path);
    this.audit.enqueue({ type: 'building.read', at: this.now(), correlationId, personal: { path }});
    return building;
  }
}
