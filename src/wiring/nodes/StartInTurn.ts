import { Initializer } from '@solid/community-server';
import type { DataSharingRecords } from '../DataSharingRecords';

/**
 * Makes nodes start one after another, because a start creates things once, such as the keys of the server's identity
 * provider. Nodes that start on an empty database at the same time would each make their own.
 */
export class StartInTurn extends Initializer {
  private readonly records: DataSharingRecords;
  private readonly source: Initializer;

  /**
   * @param records - Records that the nodes share.
   * @param source - The initializers of the start.
   */
  public constructor(records: DataSharingRecords, source: Initializer) {
    super();
    this.records = records;
    this.source = source;
  }

  public override async canHandle(): Promise<void> {
    await this.source.canHandle();
  }

  public async handle(): Promise<void> {
    await this.records.inTurn(async(): Promise<void> => this.source.handle());
  }
}
