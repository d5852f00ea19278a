import { joinUrl, NotFoundHttpError } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import type { DataSharingRecords } from '../DataSharingRecords';
import type { ContainerGate } from '../pods/ContainerGate';

/** The names of pods that were made for citizens. */
const podName = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/**
 * Which pods of citizens are closed: from the moment on that one is to be removed, nobody reads or writes there any
 * more, and its name never returns.
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
    const name = this.podNameOf(resource);
    if (name === undefined) {
      return;
    }
    const { citizens } = await this.records.get();
    if (await citizens.isClosed(`${this.baseUrl}${name}/`)) {
      throw new NotFoundHttpError('This pod is gone.');
    }
  }

  private podNameOf({ path }: ResourceIdentifier): string | undefined {
    const [ name ] = path.startsWith(this.baseUrl) ? path.slice(this.baseUrl.length).split('/') : [ '' ];
    return podName.test(name) ? name : undefined;
  }
}
