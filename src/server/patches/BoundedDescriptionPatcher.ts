import { RepresentationPatcher } from '@solid/community-server';
import type { AuxiliaryStrategy, RepresentationPatcherInput } from '@solid/community-server';
import { requireModest, sizeOf } from './descriptionSize';
import type { PatchedRdf } from './patching';

/** Options of {@link BoundedDescriptionPatcher}. */
export interface BoundedDescriptionPatcherArgs {
  /** Recognises descriptions. */
  metadataStrategy: AuxiliaryStrategy;
  /** Applies the patch. */
  source: RepresentationPatcher<PatchedRdf>;
}

/**
 * Refuses patches that make a description large: it is read into memory for each request on its resource, also for
 * those of strangers. Longer descriptions of earlier versions can become smaller.
 */
export class BoundedDescriptionPatcher extends RepresentationPatcher<PatchedRdf> {
  private readonly args: BoundedDescriptionPatcherArgs;

  public constructor(args: BoundedDescriptionPatcherArgs) {
    super();
    this.args = args;
  }

  public override async canHandle(input: RepresentationPatcherInput<PatchedRdf>): Promise<void> {
    await this.args.source.canHandle(input);
  }

  /** @throws HttpError 422 */
  public override async handle(input: RepresentationPatcherInput<PatchedRdf>): Promise<PatchedRdf> {
    const { identifier, representation } = input;
    const { metadataStrategy, source } = this.args;
    if (!representation || !metadataStrategy.isAuxiliaryIdentifier(identifier)) {
      return source.handle(input);
    }
    const before = sizeOf(representation.dataset);
    const patched = await source.handle(input);
    requireModest(sizeOf(patched.dataset), before);
    return patched;
  }
}
