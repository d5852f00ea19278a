import { joinUrl, NotFoundHttpError } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import type { DataSharingRecords } from '../DataSharingRecords';
import type { ContainerGate } from '../../server/files/ContainerGate';
import { podNameOf } from './podNameOf';

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
   * @param resource - Anywhere on the server.
   *
   * @throws NotFoundHttpError when it is in a pod that is closed.
   */
  public async requireOpen(resource: ResourceIdentifier): Promise<void> {
    const name = podNameOf(resource, this.baseUrl);
    if (name === undefined) {
      return;
    }
    const { citizens } = await this.records.get();
    if (await citizens.isClosed(`${this.baseUrl}${name}/`)) {
      throw new NotFoundHttpError('This pod is gone.');
    }
  }
}
