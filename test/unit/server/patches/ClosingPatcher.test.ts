import { PassThrough } from 'node:stream';
import type { Representation, RepresentationPatcherInput } from '@solid/community-server';
import {
  BasicRepresentation,
  guardStream,
  NotImplementedHttpError,
  RepresentationPatcher,
} from '@solid/community-server';
import { ClosingPatcher } from '../../../../src/server/patches/ClosingPatcher';

const identifier = { path: 'http://localhost/pod/document' };

/** Refuses documents at the first or second step, or none. */
class Refusing extends RepresentationPatcher<Representation> {
  public constructor(private readonly step?: 'canHandle' | 'handle') {
    super();
  }

  public override async canHandle(): Promise<void> {
    this.refuseAt('canHandle');
  }

  public async handle(): Promise<Representation> {
    this.refuseAt('handle');
    return new BasicRepresentation('patched', identifier, 'text/turtle');
  }

  private refuseAt(step: 'canHandle' | 'handle'): void {
    if (this.step === step) {
      throw new NotImplementedHttpError('This is no RDF.');
    }
  }
}

function inputOf(document: PassThrough): RepresentationPatcherInput<Representation> {
  const patch = Object.assign(new BasicRepresentation('', identifier, 'text/n3'), { method: 'PATCH' });
  const representation = new BasicRepresentation(guardStream(document), identifier, 'text/plain');
  return { identifier, patch, representation };
}

describe('A document', (): void => {
  it.each([ 'canHandle', 'handle' ] as const)('that cannot be patched is closed (%s).', async(step): Promise<void> => {
    const document = new PassThrough();
    await expect(new ClosingPatcher(new Refusing(step)).handleSafe(inputOf(document))).rejects.toThrow('no RDF');
    expect(document.destroyed).toBe(true);
  });

  it('that is patched is left to the patcher.', async(): Promise<void> => {
    const document = new PassThrough();
    const { metadata } = await new ClosingPatcher(new Refusing()).handleSafe(inputOf(document));
    expect(metadata.contentType).toBe('text/turtle');
    expect(document.destroyed).toBe(false);
  });

  it('that does not exist is left to the patcher.', async(): Promise<void> => {
    const input = { ...inputOf(new PassThrough()), representation: undefined };
    await expect(new ClosingPatcher(new Refusing('handle')).handleSafe(input)).rejects.toThrow('no RDF');
  });
});
