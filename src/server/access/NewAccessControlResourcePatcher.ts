import { RepresentationPatcher } from '@solid/community-server';
import type { RepresentationPatcherInput } from '@solid/community-server';
import { Parser } from 'n3';
import type { PatchedRdf } from '../patches/patching';
import { unwrittenRules } from './unwrittenRules';

/**
 * Makes a patch of an access control resource that does not exist yet start from the one that clients read in its
 * place: they send only what they add to it. Without the resource that it is about, it would give nobody access.
 */
export class NewAccessControlResourcePatcher extends RepresentationPatcher<PatchedRdf> {
  private readonly source: RepresentationPatcher<PatchedRdf>;

  /**
   * @param source - Applies the patch.
   */
  public constructor(source: RepresentationPatcher<PatchedRdf>) {
    super();
    this.source = source;
  }

  public override async canHandle(input: RepresentationPatcherInput<PatchedRdf>): Promise<void> {
    await this.source.canHandle(input);
  }

  public override async handle(input: RepresentationPatcherInput<PatchedRdf>): Promise<PatchedRdf> {
    const { identifier: { path }, representation } = input;
    const rules = unwrittenRules(path);
    if (rules !== undefined && representation?.dataset.size === 0) {
      representation.dataset.addQuads(new Parser({ baseIRI: path }).parse(rules));
    }
    return this.source.handle(input);
  }
}
