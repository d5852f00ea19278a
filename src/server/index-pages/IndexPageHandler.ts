import {
  AccessMode,
  IdentifierSetMultiMap,
  isContainerIdentifier,
} from '@solid/community-server';
import type {
  CredentialsExtractor,
  Operation,
  OperationHttpHandler,
  OperationHttpHandlerInput,
  PermissionReader,
  ResourceIdentifier,
  ResourceSet,
  ResponseDescription,
} from '@solid/community-server';
import { PassthroughHandler } from '../PassthroughHandler';
import { permitIndexPage } from './permittedIndexPages';

/** Options of {@link IndexPageHandler}. */
export interface IndexPageHandlerArgs {
  /** Reads the credentials of the caller. */
  credentialsExtractor: CredentialsExtractor;
  /** Reads the permissions of the caller. */
  permissionReader: PermissionReader;
  /** Knows which resources exist. */
  resourceSet: ResourceSet;
  /** Handles the authorised request. */
  operationHandler: OperationHttpHandler;
}

/**
 * Treats an index page as a resource with its own rules: a request for a container as HTML gets its index page only
 * with the right to read that page, otherwise the container.
 */
export class IndexPageHandler extends PassthroughHandler {
  private readonly args: IndexPageHandlerArgs;

  public constructor(args: IndexPageHandlerArgs) {
    super(args.operationHandler);
    this.args = args;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const page = indexPageOf(input.operation);
    if (page && await this.args.resourceSet.hasResource(page) && await this.mayRead(page, input)) {
      permitIndexPage(input.operation.preferences);
    }
    return this.source.handle(input);
  }

  private async mayRead(page: ResourceIdentifier, { request }: OperationHttpHandlerInput): Promise<boolean> {
    const credentials = await this.args.credentialsExtractor.handleSafe(request);
    const requestedModes = new IdentifierSetMultiMap<AccessMode>([[ page, AccessMode.read ]]);
    const permissions = await this.args.permissionReader.handleSafe({ credentials, requestedModes });
    return permissions.get(page)?.read === true;
  }
}

/** Returns the index page with which the server may respond to a request. */
export function indexPageOf({ method, preferences, target }: Operation): ResourceIdentifier | undefined {
  const mayBeHtml = Object.keys(preferences.type ?? {}).some((range): boolean => /^text\/(?:html|\*)/iu.test(range));
  return mayBeHtml && [ 'GET', 'HEAD' ].includes(method) && isContainerIdentifier(target) ?
      { path: `${target.path}index.html` } :
    undefined;
}
