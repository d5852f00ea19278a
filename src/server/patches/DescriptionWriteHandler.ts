import {
  BadRequestHttpError,
  MethodNotAllowedHttpError,
  NotFoundHttpError,
  NotImplementedHttpError,
  OperationHandler,
  ResetResponseDescription,
  UnsupportedMediaTypeHttpError,
} from '@solid/community-server';
import type {
  AuxiliaryIdentifierStrategy,
  Operation,
  OperationHandlerInput,
  RepresentationConverter,
  ResourceStore,
  ResponseDescription,
} from '@solid/community-server';
import type { Quad } from 'n3';
import { collectQuads, isUnsupported, openQuads } from '../guarded/quadsOf';
import { readBounded } from '../readBounded';
import { requireModest, sizeOf } from './descriptionSize';
import { limited } from './limitPatched';
import { Replacement } from './Replacement';

/** Maximum bytes of a body, as of a patch. */
const maxBytes = 1024 * 1024;

/** Options of {@link DescriptionWriteHandler}. */
export interface DescriptionWriteHandlerArgs {
  /** Changes descriptions. */
  store: ResourceStore;
  /** Recognises descriptions. */
  metadataStrategy: AuxiliaryIdentifierStrategy;
  /** Reads RDF. */
  converter: RepresentationConverter;
}

/** Methods that descriptions do not support. */
const unsupported = [ 'POST', 'DELETE' ];

/**
 * Replaces a description (`.meta`) by PUT, which the server itself does not support. The replacement is a patch: what
 * no patch may change, it may not change either. POST and DELETE are 405: the server itself looks for a stored
 * document.
 *
 * @see [Solid Protocol, section 4.3.2](https://solidproject.org/TR/protocol#auxiliary-resources-description-resources)
 */
export class DescriptionWriteHandler extends OperationHandler {
  private readonly args: DescriptionWriteHandlerArgs;

  public constructor(args: DescriptionWriteHandlerArgs) {
    super();
    this.args = args;
  }

  public override async canHandle({ operation: { method, target }}: OperationHandlerInput): Promise<void> {
    if (![ 'PUT', ...unsupported ].includes(method) || !this.args.metadataStrategy.isAuxiliaryIdentifier(target)) {
      throw new NotImplementedHttpError('Only PUT, POST and DELETE requests on descriptions are supported.');
    }
  }

  /** @throws HttpError when the body is no RDF, or the server does not allow the method or the change. */
  public async handle({ operation }: OperationHandlerInput): Promise<ResponseDescription> {
    if (operation.method !== 'PUT') {
      throw await this.args.store.hasResource(operation.target) ?
          new MethodNotAllowedHttpError(unsupported, 'Descriptions are changed by PUT and PATCH.') :
          new NotFoundHttpError();
    }
    const replacement = new Replacement(operation.target, await this.read(operation));
    await this.args.store.modifyResource(operation.target, replacement, operation.conditions);
    return new ResetResponseDescription();
  }

  private async read({ body: { data, metadata }, target }: Operation): Promise<Quad[]> {
    const { contentType } = metadata;
    if (contentType === undefined) {
      throw new BadRequestHttpError('PUT requests require the Content-Type header to be set.');
    }
    const text = await readBounded(data, maxBytes, 'A description');
    const quads = await this.parse(text, contentType, target);
    if (quads.some(({ graph }): boolean => graph.termType !== 'DefaultGraph')) {
      throw new BadRequestHttpError('A description has no named graphs.');
    }
    requireModest(sizeOf(quads));
    return quads;
  }

  private async parse(text: string, contentType: string, target: Operation['target']): Promise<Quad[]> {
    try {
      return await collectQuads(limited(await openQuads(this.args.converter, target, text, contentType)));
    } catch (error: unknown) {
      throw isUnsupported(error) ? new UnsupportedMediaTypeHttpError('A description is RDF.', { cause: error }) : error;
    }
  }
}
