import { joinUrl } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import type { DocumentGuard, GuardedStatements } from '../../server/guarded/DocumentGuard';
import { citizenIdIn, podMadeHere } from '../../identity/podMadeHere';
import { profileStatements } from '../../identity/profileStatements';
import type { DataSharingRecords } from '../DataSharingRecords';
import { issuersOfEverybody } from '../../login/nationalIssuers';
import { parseWebId } from '../../platform/webId';

/** Guards the profile documents of citizens whose WebID was made here: see {@link profileStatements}. */
export class CitizenProfiles implements DocumentGuard {
  private readonly records: DataSharingRecords;
  private readonly baseUrl: string;
  private readonly issuers: string[];

  /**
   * @param records - Records of this package.
   * @param baseUrl - Base URL of the server.
   * @param nationalIssuers - Comma-separated URLs of the national issuers; one with a pattern is in no profile.
   */
  public constructor(records: DataSharingRecords, baseUrl: string, nationalIssuers: string) {
    this.records = records;
    this.baseUrl = joinUrl(baseUrl, '/');
    this.issuers = [ this.baseUrl, ...issuersOfEverybody(nationalIssuers) ];
  }

  public documentNear(resource: ResourceIdentifier): ResourceIdentifier | undefined {
    const id = citizenIdIn(resource.path, this.baseUrl);
    if (id === undefined) {
      return;
    }
    const path = podMadeHere(id, this.baseUrl).webId.replace(/#.*$/u, '');
    const subject = resource.path.replace(/\.(?:ac[lr]|meta)$/u, '');
    return subject === path || path.startsWith(subject) || subject.startsWith(`${path}/`) ? { path } : undefined;
  }

  public async statementsOf({ path }: ResourceIdentifier): Promise<GuardedStatements | undefined> {
    const { citizens } = await this.records.get();
    const citizen = await citizens.findByWebId(parseWebId(`${path}#me`));
    // While the pod is being made, documents and rules arrive in any order. A profile that the citizen brought is not
    // guarded.
    const isKept = citizen && !citizen.brought && citizen.state !== 'CREATING';
    return isKept ? profileStatements(citizen, this.issuers) : undefined;
  }
}
