import { joinUrl, NotFoundHttpError } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import { citizenIdIn, podUrlMadeHere } from '../../identity/podMadeHere';
import type { DataSharingRecords } from '../DataSharingRecords';
import type { ContainerGate } from '../../server/files/ContainerGate';

/**
 * Closed pods of citizens. From the start of its removal on, nobody can read or write in a pod, and its name is never
 * reused.
 */
export class CitizenPods implements ContainerGate {
  private readonly records: DataSharingRecords;
  private readonly baseUrl: string;

  /**
   * @param records - Records of this package.
   * @param baseUrl - Base URL of the server.
   */
  public constructor(records: DataSharingRecords, baseUrl: string) {
    this.records = records;
    this.baseUrl = joinUrl(baseUrl, '/');
  }

  /**
   * @throws NotFoundHttpError for a resource in a pod that is closed.
   */
  public async requireOpen({ path }: ResourceIdentifier): Promise<void> {
    const id = citizenIdIn(path, this.baseUrl);
    if (id === undefined) {
      return;
    }
    const { citizens } = await this.records.get();
    if (await citizens.isClosed(podUrlMadeHere(id, this.baseUrl))) {
      throw new NotFoundHttpError('This pod is gone.');
    }
  }
}
