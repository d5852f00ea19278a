import type { PodRoom } from '../../storage/openRecords';
import { PostgresDataAccessor } from '../../server/rows/PostgresDataAccessor';
import type { PodDatabase } from '../../server/rows/PodDatabase';
import { PostgresKeyValueStorage } from '../../server/rows/PostgresKeyValueStorage';
import type { OwnValues, PodSide, PodTree } from './PodSide';

/** Pods and values as rows. */
export class DatabaseSide implements PodSide {
  public readonly values: OwnValues;

  public constructor(private readonly rows: PodRoom) {
    this.values = new PostgresKeyValueStorage(this.database(), '/');
  }

  public tree(baseUrl: string): PodTree {
    const { resources } = this.rows;
    const { length } = baseUrl.replace(/\/+$/u, '');
    return {
      accessor: new PostgresDataAccessor(this.database(), baseUrl),
      async modifiedOf({ path }): Promise<Date> {
        const found = await resources.find(path.slice(length));
        // Asked about resources that are there.
        return found!.modified;
      },
    };
  }

  public async isEmpty(): Promise<boolean> {
    const { resources, values } = this.rows;
    return await resources.find('/') === undefined && (await values.entries('').next()).done === true;
  }

  public async tidy(): Promise<void> {
    await this.rows.resources.sweep(0);
  }

  private database(): PodDatabase {
    return { pods: async(): Promise<PodRoom> => this.rows };
  }
}
