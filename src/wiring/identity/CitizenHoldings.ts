import { ConflictHttpError } from '@solid/community-server';
import { systemClock } from '../../platform/clock';
import { podUrlOf } from '../../platform/podUrl';
import { isWebId } from '../../platform/webId';
import type { WebId } from '../../platform/webId';
import { PodNameTaken } from '../../problems';
import type { HoldingRule } from '../../server/accounts/HoldingRule';
import { ownNames } from '../../vocabulary';
import type { DataSharingRecords } from '../DataSharingRecords';
import type { Extensions } from '../Extensions';

/** Time after which the making of a pod counts as interrupted. */
const makingMs = 60_000;

/**
 * Keeps the WebIDs and pods of citizens theirs, and refuses reserved pod names and those of former citizens. Owners of
 * pods are in the records, so that grants can be decided without reading accounts.
 *
 * A citizen's WebID that was made here is always linked to the citizen's own account, and to no other, whatever the
 * profile document says: otherwise an app that may write the profile could link it to its own account, and get tokens
 * for it.
 */
export class CitizenHoldings implements HoldingRule {
  private readonly records: DataSharingRecords;
  private readonly baseUrl: string;
  private readonly extensions: Extensions;

  /**
   * @param records - Records of this package.
   * @param baseUrl - Base URL of the server.
   * @param extensions - Added services, whose names are reserved, too.
   */
  public constructor(records: DataSharingRecords, baseUrl: string, extensions: Extensions) {
    this.records = records;
    this.baseUrl = baseUrl;
    this.extensions = extensions;
  }

  public async requireLinkable(webId: WebId, accountId: string): Promise<void> {
    const { citizens } = await this.records.get();
    const citizen = await citizens.findByWebId(webId);
    const isOthers = citizen && !citizen.brought ?
      citizen.accountId !== accountId :
        await citizens.isTombstone(podUrlOf(new URL(webId)));
    if (isOthers) {
      throw new ConflictHttpError('This WebID belongs to a citizen and cannot be linked to this account.');
    }
  }

  /** Refuses to unlink a WebID with which the citizen could then no longer log in to apps. */
  public async requireUnlinkable(webId: string, accountId: string): Promise<void> {
    const { citizens } = await this.records.get();
    const citizen = isWebId(webId) ? await citizens.findByWebId(webId) : undefined;
    if (citizen && !citizen.brought && citizen.accountId === accountId) {
      throw new ConflictHttpError('This WebID belongs to a citizen, whose log-in gives it: it remains linked.');
    }
  }

  public async requireFree(podUrl: string): Promise<void> {
    const { citizens } = await this.records.get();
    const { services = []} = this.extensions.args;
    const reserved = [ ...ownNames, ...services.flatMap(({ names }): readonly string[] => names) ];
    if (reserved.some((name): boolean => podUrl === `${this.baseUrl}${name}/`) || await citizens.isTombstone(podUrl)) {
      throw new ConflictHttpError(PodNameTaken.title, { cause: new PodNameTaken() });
    }
  }

  /** Refuses to take the pod with a citizen's data from the citizen, who then could neither list nor revoke there. */
  public async requireRemovable(webId: string, podUrl: string): Promise<void> {
    const { citizens } = await this.records.get();
    if ((await citizens.findByPodUrl(podUrl))?.webId === webId) {
      throw new ConflictHttpError('This WebID belongs to a citizen whose data is in the pod: it remains an owner.');
    }
  }

  public async expectPod(podUrl: string): Promise<void> {
    await (await this.records.get()).podOwners.expect(podUrl, systemClock());
  }

  public async listInterruptedPods(): Promise<string[]> {
    const before = new Date(systemClock().getTime() - makingMs);
    return (await this.records.get()).podOwners.listExpected(before);
  }

  public async forgetInterruptedPod(podUrl: string): Promise<void> {
    await (await this.records.get()).podOwners.forgetExpected(podUrl);
  }

  public async recordOwners(podUrl: string, webIds: string[]): Promise<void> {
    await (await this.records.get()).podOwners.set(podUrl, webIds);
  }

  public async isRecorded(podUrl: string): Promise<boolean> {
    return (await this.records.get()).podOwners.has(podUrl);
  }
}
