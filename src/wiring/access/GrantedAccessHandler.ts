import {
  AccessMode,
  HttpError,
  IdentifierSetMultiMap,
  SOLID_HTTP,
} from '@solid/community-server';
import type {
  AccessMap,
  AuxiliaryIdentifierStrategy,
  CredentialsExtractor,
  ModesExtractor,
  Operation,
  OperationHttpHandler,
  OperationHttpHandlerInput,
  PermissionReader,
  ResponseDescription,
} from '@solid/community-server';
import type { GivenMode } from '../../resources/grantedAccess';
import { describeAccess, findGrant } from '../../resources/grantedAccess';
import { indexPageOf } from '../../server/index-pages/IndexPageHandler';
import { isIndexPagePermitted } from '../../server/index-pages/permittedIndexPages';
import type { DataSharing } from '../DataSharing';
import { PassthroughHandler } from '../../server/PassthroughHandler';
import { keepToContent } from '../../server/access/keepToContent';
import { correlationIdOf } from '../../http/correlationId';
import type { GrantPermissionReader } from './GrantPermissionReader';
import { agentOf, rptOf } from './rpt';

/** Options of {@link GrantedAccessHandler}. */
export interface GrantedAccessHandlerArgs {
  /** The service that keeps the audit record. */
  dataSharing: DataSharing;
  /** Reads the credentials of the caller. */
  credentialsExtractor: CredentialsExtractor;
  /** Reads the modes that the request needs. */
  modesExtractor: ModesExtractor;
  /** Reads the caller's permissions by WAC or ACP, without grants. */
  ownReader: PermissionReader;
  /** Reads the caller's permissions by grants. */
  grantReader: GrantPermissionReader;
  /** Recognises descriptions of resources. */
  metadataStrategy: AuxiliaryIdentifierStrategy;
  /** Handles the request. */
  operationHandler: OperationHttpHandler;
}

const writing = new Set([ 'PATCH', 'POST', 'PUT' ]);

/**
 * Writes accesses to pod resources that only a grant allowed to the audit record, and restricts writes by a grant to
 * content. Credentials, modes and permissions have been read before and are remembered for the request.
 */
export class GrantedAccessHandler extends PassthroughHandler {
  private readonly args: GrantedAccessHandlerArgs;

  public constructor(args: GrantedAccessHandlerArgs) {
    super(args.operationHandler);
    this.args = args;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    if (writing.has(input.operation.method) && (await this.givenByGrants(input)).length > 0) {
      keepToContent(input.operation, this.args.metadataStrategy);
    }
    try {
      const response = await this.source.handle(input);
      await this.note(input, response.metadata?.get(SOLID_HTTP.terms.location)?.value);
      return response;
    } catch (error: unknown) {
      // The caller already has the newest version: that is a read, too.
      if (HttpError.isInstance(error) && error.statusCode === 304) {
        await this.note(input);
      }
      throw error;
    }
  }

  /** Records an access. If that fails, the request fails, as a read on `/v1` does. */
  private async note(input: OperationHttpHandlerInput, created?: string): Promise<void> {
    const credentials = await this.args.credentialsExtractor.handleSafe(input.request);
    const caller = rptOf(credentials)?.webId ?? agentOf(credentials);
    if (caller === undefined) {
      return;
    }
    const access = describeAccess(await this.givenByGrants(input), created);
    if (access) {
      const correlationId = correlationIdOf(input.response);
      const { accesses } = await this.args.dataSharing.get();
      await accesses.note({ ...access, caller }, { correlationId, app: credentials.client?.clientId });
    }
  }

  private async givenByGrants({ operation, request }: OperationHttpHandlerInput): Promise<GivenMode[]> {
    const credentials = await this.args.credentialsExtractor.handleSafe(request);
    const requestedModes = await this.modesOf(operation);
    const own = await this.args.ownReader.handleSafe({ credentials, requestedModes });
    const granted = this.args.grantReader.givenTo(credentials);
    const given: GivenMode[] = [];
    for (const [ identifier, mode ] of requestedModes.entries()) {
      if (own.get(identifier)?.[mode] !== true) {
        given.push({ uri: identifier.path, mode, grant: findGrant(identifier.path, mode, granted) });
      }
    }
    return given;
  }

  /** Returns the modes that a request needed. For a container served by its index page, also Read on that page. */
  private async modesOf(operation: Operation): Promise<AccessMap> {
    const modes = await this.args.modesExtractor.handleSafe(operation);
    const page = isIndexPagePermitted(operation.preferences) ? indexPageOf(operation) : undefined;
    return page ? new IdentifierSetMultiMap<AccessMode>([[ page, AccessMode.read ], ...modes ]) : modes;
  }
}
