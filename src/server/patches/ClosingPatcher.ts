import { RepresentationPatcher } from '@solid/community-server';
import type { Representation, RepresentationPatcherInput } from '@solid/community-server';

/**
 * Closes a document that cannot be patched, such as one that is no RDF. The server leaves it as it is: its file would
 * stay open for good.
 */
export class ClosingPatcher extends RepresentationPatcher<Representation> {
  private readonly source: RepresentationPatcher<Representation>;

  /**
   * @param source - Patches the document.
   */
  public constructor(source: RepresentationPatcher<Representation>) {
    super();
    this.source = source;
  }

  public override async canHandle(input: RepresentationPatcherInput<Representation>): Promise<void> {
    return closedAfterFailure(input, async(): Promise<void> => this.source.canHandle(input));
  }

  public async handle(input: RepresentationPatcherInput<Representation>): Promise<Representation> {
    return closedAfterFailure(input, async(): Promise<Representation> => this.source.handle(input));
  }
}

async function closedAfterFailure<T>(
  { representation }: RepresentationPatcherInput<Representation>,
  work: () => Promise<T>,
): Promise<T> {
  const document = representation?.data;
  try {
    return await work();
  } catch (error: unknown) {
    document?.destroy();
    throw error;
  }
}
