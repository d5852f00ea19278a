import {
  addResourceMetadata,
  BasicRepresentation,
  HH,
  HttpError,
  NotFoundHttpError,
  OkResponseDescription,
  PreconditionFailedHttpError,
} from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  Conditions,
  Operation,
  OperationHttpHandler,
  OperationHttpHandlerInput,
  RepresentationConverter,
  ResourceSet,
  ResponseDescription,
} from '@solid/community-server';
import { PassthroughHandler } from '../PassthroughHandler';
import { unwrittenRules } from './unwrittenRules';

const reads = new Set([ 'GET', 'HEAD' ]);
/**
 * Prefix of the entity tag of an access control resource that does not exist yet. No stored resource has such a tag.
 */
const unwritten = '"unwritten-';

/** Options of {@link AccessControlResourceHandler}. */
export interface AccessControlResourceHandlerArgs {
  /** Handles every request. This class takes over when it finds nothing. */
  source: OperationHttpHandler;
  /** Knows which resources exist. */
  resourceSet: ResourceSet;
  /** Recognises access control resources. */
  auxiliaryStrategy: AuxiliaryStrategy;
  /** Converts to a type that the caller accepts. */
  converter: RepresentationConverter;
}

/**
 * Handles GET and HEAD on the access control resource of an existing resource that has none yet: returns an empty one.
 * Clients read it before they change it, and may send its entity tag back. Does nothing without ACP, which alone has
 * these resources.
 *
 * Permissions are checked earlier: only controllers of the resource get here.
 *
 * @see [Access Control Policy, section 4.1](https://solidproject.org/TR/acp#access-control-resource)
 */
export class AccessControlResourceHandler extends PassthroughHandler {
  private readonly args: AccessControlResourceHandlerArgs;

  public constructor(args: AccessControlResourceHandlerArgs) {
    super(args.source);
    this.args = args;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const { operation } = input;
    const rules = this.findUnwritten(operation);
    if (rules === undefined) {
      return this.source.handle(input);
    }
    if (!reads.has(operation.method)) {
      const conditions = operation.conditions && await this.untilWritten(operation, operation.conditions);
      return this.source.handle({ ...input, operation: { ...operation, conditions }});
    }
    try {
      return await this.source.handle(input);
    } catch (error: unknown) {
      if (NotFoundHttpError.isInstance(error) && await this.hasSubject(operation)) {
        return this.answer(operation, rules);
      }
      throw error;
    }
  }

  /** Returns the access control resource as it is before it is written; nothing for other resources. */
  private findUnwritten({ target }: Operation): string | undefined {
    return this.args.auxiliaryStrategy.isAuxiliaryIdentifier(target) ? unwrittenRules(target.path) : undefined;
  }

  private async hasSubject({ target }: Operation): Promise<boolean> {
    return this.args.resourceSet.hasResource(this.args.auxiliaryStrategy.getSubjectIdentifier(target));
  }

  /**
   * Translates conditions that name the tag of an unwritten resource: they hold if it is still unwritten at the change.
   *
   * @throws PreconditionFailedHttpError
   */
  private async untilWritten(operation: Operation, conditions: Conditions): Promise<Conditions> {
    const isThere = !await this.args.resourceSet.hasResource(operation.target) && await this.hasSubject(operation);
    const { matchesETag, notMatchesETag } = conditions;
    if (isThere && notMatchesETag?.some(namesUnwritten)) {
      throw new PreconditionFailedHttpError();
    }
    return isThere && matchesETag?.some(namesUnwritten) ?
        { matchesMetadata: (metadata): boolean => metadata === undefined } :
      conditions;
  }

  private async answer(
    { method, target, preferences, conditions }: Operation,
    rules: string,
  ): Promise<ResponseDescription> {
    const representation = new BasicRepresentation(rules, target, 'text/turtle');
    const { metadata, data } =
      await this.args.converter.handleSafe({ identifier: target, representation, preferences });
    addResourceMetadata(metadata, false);
    const etag = `${unwritten}${metadata.contentType}"`;
    if (conditions?.matchesETag && !conditions.matchesETag.some((one): boolean => one === '*' || one === etag)) {
      data.destroy();
      throw new PreconditionFailedHttpError();
    }
    if (conditions?.notMatchesETag?.some((one): boolean => one === '*' || one.replace(/^W\//u, '') === etag)) {
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

function namesUnwritten(tag: string): boolean {
  return tag === '*' || tag.startsWith(unwritten);
}
