import type {
  AuxiliaryStrategy,
  IdentifierStrategy,
  OperationHttpHandler,
  OperationHttpHandlerInput,
  ResourceIdentifier,
  ResponseDescription,
} from '@solid/community-server';
import { isAccessDocument } from '../access/isAccessDocument';
import { indexPageOf } from '../index-pages/IndexPageHandler';
import { PassthroughHandler } from '../PassthroughHandler';
import type { PostgresDataAccessor } from './PostgresDataAccessor';

/** Options of {@link ReadAheadHandler}. */
export interface ReadAheadHandlerArgs {
  /** Handles the request. */
  source: OperationHttpHandler;
  /** Names the access control document of a resource. */
  auxiliaryStrategy: AuxiliaryStrategy;
  /** Names the container of a resource. */
  identifierStrategy: IdentifierStrategy;
  /** Storage in which each look-up waits for a database. */
  accessor?: PostgresDataAccessor;
}

/**
 * Makes the storage read the target of a request on a pod, its containers, and the access rules of all of them in one
 * statement.
 *
 * Rules and document are of the same moment, after the request has arrived: every earlier acknowledged change is
 * visible, whichever node made it.
 */
export class ReadAheadHandler extends PassthroughHandler {
  private readonly args: ReadAheadHandlerArgs;

  public constructor(args: ReadAheadHandlerArgs) {
    super(args.source);
    this.args = args;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const { accessor } = this.args;
    if (!accessor) {
      return this.source.handle(input);
    }
    const page = indexPageOf(input.operation);
    const resources = [ ...this.wayUp(input.operation.target), ...page ? this.withRules(page) : [] ];
    return accessor.readingAhead(resources, async(): Promise<ResponseDescription> => this.source.handle(input));
  }

  private wayUp(target: ResourceIdentifier): ResourceIdentifier[] {
    const { auxiliaryStrategy, identifierStrategy } = this.args;
    const resources = [ target ];
    let at = auxiliaryStrategy.isAuxiliaryIdentifier(target) ?
        auxiliaryStrategy.getSubjectIdentifier(target) :
      target;
    for (;;) {
      resources.push(...this.withRules(at));
      if (identifierStrategy.isRootContainer(at)) {
        return resources;
      }
      at = identifierStrategy.getParentContainer(at);
    }
  }

  private withRules(resource: ResourceIdentifier): ResourceIdentifier[] {
    return [ resource, ...this.args.auxiliaryStrategy.getAuxiliaryIdentifiers(resource).filter(isAccessDocument) ];
  }
}
