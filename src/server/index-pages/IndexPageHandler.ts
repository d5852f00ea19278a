import {
  AccessMode,
  IdentifierSetMultiMap,
  isContainerIdentifier,
  OperationHttpHandler,
} from '@solid/community-server';
import type {
  CredentialsExtractor,
  Operation,
  OperationHttpHandlerInput,
  PermissionReader,
  ResourceIdentifier,
  ResourceSet,
  ResponseDescription,
} from '@solid/community-server';
import { permitIndexPage } from './permittedIndexPages';

/** Options of {@link IndexPageHandler}. */
export interface IndexPageHandlerArgs {
  /** Who calls. */
  credentialsExtractor: CredentialsExtractor;
  /** What the caller may do. */
  permissionReader: PermissionReader;
  /** Which resources there are. */
  resourceSet: ResourceSet;
  /** Answers the request, which was authorised. */
  operationHandler: OperationHttpHandler;
}

/**
 * An index page counts as the resource that it is: who asks for a container as HTML gets its index page only with the
 * right to read that one, else the container.
 */
export class IndexPageHandler extends OperationHttpHandler {
  private readonly args: IndexPageHandlerArgs;

  public constructor(args: IndexPageHandlerArgs) {
    super();
    this.args = args;
  }

  public async canHandle(input: OperationHttpHandlerInput): Promise<void> {
    return this.args.operationHandler.canHandle(input);
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const page = indexPageOf(input.operation);
    if (page && await this.args.resourceSet.hasResource(page) && await this.mayRead(page, input)) {
      permitIndexPage(input.operation.preferences);
    }
    return this.args.operationHandler.handle(input);
  }

  private async mayRead(page: ResourceIdentifier, { request }: OperationHttpHandlerInput): Promise<boolean> {
    const credentials = await this.args.credentialsExtractor.handleSafe(request);
    const requestedModes = new IdentifierSetMultiMap<AccessMode>([[ page, AccessMode.read ]]);
    const permissions = await this.args.permissionReader.handleSafe({ credentials, requestedModes });
    return permissions.get(page)?.read === true;
  }
}

/** The index page that the server may answer a request with. */
export function indexPageOf({ method, preferences, target }: Operation): ResourceIdentifier | undefined {
  const mayBeHtml = Object.keys(preferences.type ?? {}).some((range): boolean => /^text\/(?:html|\*)/iu.test(range));
  return mayBeHtml && [ 'GET', 'HEAD' ].includes(method) && isContainerIdentifier(target) ?
      { path: `${target.path}index.html` } :
    undefined;
}
