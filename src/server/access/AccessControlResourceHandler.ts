import {
  addResourceMetadata,
  BasicRepresentation,
  HH,
  HttpError,
  NotFoundHttpError,
  OkResponseDescription,
  OperationHttpHandler,
} from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  Operation,
  OperationHttpHandlerInput,
  RepresentationConverter,
  ResourceSet,
  ResponseDescription,
} from '@solid/community-server';

const document = '<> a <http://www.w3.org/ns/solid/acp#AccessControlResource> .\n';

/** Options of {@link AccessControlResourceHandler}. */
export interface AccessControlResourceHandlerArgs {
  /** Answers every request; what it does not find may be answered here. */
  source: OperationHttpHandler;
  /** Which resources there are. */
  resourceSet: ResourceSet;
  /** Tells access control resources from others. */
  auxiliaryStrategy: AuxiliaryStrategy;
  /** Converts to what the caller accepts. */
  converter: RepresentationConverter;
}

/**
 * Answers GET and HEAD on the access control resource of a resource that is there, before anybody wrote it: an empty
 * one. Clients look at it before they change it. Without ACP there are none, and nothing happens here.
 *
 * Who may see it was decided before: controllers of the resource.
 *
 * @see [Access Control Policy, section 4.1](https://solidproject.org/TR/acp#access-control-resource)
 */
export class AccessControlResourceHandler extends OperationHttpHandler {
  private readonly args: AccessControlResourceHandlerArgs;

  public constructor(args: AccessControlResourceHandlerArgs) {
    super();
    this.args = args;
  }

  public async canHandle(input: OperationHttpHandlerInput): Promise<void> {
    return this.args.source.canHandle(input);
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    try {
      return await this.args.source.handle(input);
    } catch (error: unknown) {
      if (NotFoundHttpError.isInstance(error) && await this.isUnwritten(input.operation)) {
        return this.answer(input.operation);
      }
      throw error;
    }
  }

  private async isUnwritten({ method, target }: Operation): Promise<boolean> {
    const { auxiliaryStrategy, resourceSet } = this.args;
    return [ 'GET', 'HEAD' ].includes(method) && target.path.endsWith('.acr') &&
      auxiliaryStrategy.isAuxiliaryIdentifier(target) &&
      resourceSet.hasResource(auxiliaryStrategy.getSubjectIdentifier(target));
  }

  private async answer({ method, target, preferences, conditions }: Operation): Promise<ResponseDescription> {
    const representation = new BasicRepresentation(document, target, 'text/turtle');
    const { metadata, data } =
      await this.args.converter.handleSafe({ identifier: target, representation, preferences });
    addResourceMetadata(metadata, false);
    // None that a written one ever has.
    const etag = `"unwritten-${metadata.contentType}"`;
    if (conditions?.notMatchesETag?.some((one): boolean => one === '*' || one === etag)) {
      data.destroy();
      const notModified = new HttpError(304, 'NotModifiedHttpError');
      notModified.metadata.set(HH.terms.etag, etag);
      throw notModified;
    }
    metadata.set(HH.terms.etag, etag);
    if (method === 'HEAD') {
      data.destroy();
      return new OkResponseDescription(metadata);
    }
    return new OkResponseDescription(metadata, data);
  }
}
