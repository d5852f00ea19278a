import { Initializer } from '@solid/community-server';

/** Lets one node at a time start. */
export interface StartTurns {
  /** Runs work while no other node does. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Makes nodes start one after another, because a start creates things once, such as the keys of the server's identity
 * provider. Nodes that start on an empty database at the same time would each make their own.
 */
export class StartInTurn extends Initializer {
  private readonly turns: StartTurns;
  private readonly source: Initializer;

  /**
   * @param turns - Lets one node at a time start.
   * @param source - The initializers of the start.
   */
  public constructor(turns: StartTurns, source: Initializer) {
    super();
    this.turns = turns;
    this.source = source;
  }

  public override async canHandle(): Promise<void> {
    await this.source.canHandle();
  }

  public async handle(): Promise<void> {
    await this.turns.inTurn(async(): Promise<void> => this.source.handle());
  }
}
