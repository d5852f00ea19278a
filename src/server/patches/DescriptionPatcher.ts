import { RepresentationPatcher } from '@solid/community-server';
import type { AuxiliaryStrategy, RepresentationPatcherInput, ResourceIdentifier } from '@solid/community-server';
import type { Store } from 'n3';
import type { PatchedRdf } from './patching';

/** Options of {@link DescriptionPatcher}. */
export interface DescriptionPatcherArgs {
  /** Recognises descriptions. */
  metadataStrategy: AuxiliaryStrategy;
  /** Applies the patch. */
  source: RepresentationPatcher<PatchedRdf>;
}

/** Base of patchers that compare a description before and after a patch, and refuse some patches. */
export abstract class DescriptionPatcher extends RepresentationPatcher<PatchedRdf> {
  protected readonly args: DescriptionPatcherArgs;

  public constructor(args: DescriptionPatcherArgs) {
    super();
    this.args = args;
  }

  public override async canHandle(input: RepresentationPatcherInput<PatchedRdf>): Promise<void> {
    await this.args.source.canHandle(input);
  }

  public override async handle(input: RepresentationPatcherInput<PatchedRdf>): Promise<PatchedRdf> {
    const { identifier, representation } = input;
    const { metadataStrategy, source } = this.args;
    if (!representation || !metadataStrategy.isAuxiliaryIdentifier(identifier)) {
      return source.handle(input);
    }
    const check = this.watch(representation.dataset, identifier);
    const patched = await source.handle(input);
    check(patched.dataset);
    return patched;
  }

  /**
   * Notes what matters in a description before it is patched.
   *
   * @param before - Its statements, which the patch may change in place.
   * @param identifier - The description.
   *
   * @returns Function that throws an HttpError for what may not become of it.
   */
  protected abstract watch(before: Store, identifier: ResourceIdentifier): (after: Store) => void;
}
