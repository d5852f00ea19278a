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
import type { AccessMode as GrantMode, GrantTerms } from '../../grants/AccessGrant';
import { containersOf } from '../../pods/resourceUri';
import type { Access, AccessKind } from '../../resources/AccessRecord';
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

/** An access that only a grant allowed. */
interface Given {
  uri: string;
  mode: AccessMode;
  grant?: GrantTerms;
}

/** Kinds of access, the most specific first. */
const kinds: [AccessMode, AccessKind][] = [
  [ AccessMode.delete, 'resource.deleted' ],
  [ AccessMode.create, 'resource.created' ],
  [ AccessMode.write, 'resource.written' ],
  [ AccessMode.append, 'resource.appended' ],
  [ AccessMode.read, 'resource.read' ],
];

const grantModes: Partial<Record<AccessMode, GrantMode[]>> = {
  [AccessMode.read]: [ 'Read' ],
  [AccessMode.append]: [ 'Append', 'Write' ],
  [AccessMode.create]: [ 'Append', 'Write' ],
  [AccessMode.write]: [ 'Write' ],
  [AccessMode.delete]: [ 'Write' ],
};

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
    const access = describe(await this.givenByGrants(input), created);
    if (access) {
      const correlationId = correlationIdOf(input.response);
      const { accesses } = await this.args.dataSharing.get();
      await accesses.note({ ...access, caller }, { correlationId, app: credentials.client?.clientId });
    }
  }

  private async givenByGrants({ operation, request }: OperationHttpHandlerInput): Promise<Given[]> {
    const credentials = await this.args.credentialsExtractor.handleSafe(request);
    const requestedModes = await this.modesOf(operation);
    const own = await this.args.ownReader.handleSafe({ credentials, requestedModes });
    const granted = this.args.grantReader.givenTo(credentials);
    const given: Given[] = [];
    for (const [ identifier, mode ] of requestedModes.entries()) {
      if (own.get(identifier)?.[mode] !== true) {
        // A grant on the container may allow creating or removing a member.
        const grant = [ identifier.path, ...containersOf(identifier.path).slice(0, 1) ]
          .flatMap((path): (GrantTerms | undefined)[] => (grantModes[mode] ?? []).map((name): GrantTerms | undefined =>
            granted.get(path)?.get(name)))
          .find(Boolean);
        given.push({ uri: identifier.path, mode, grant });
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

function describe(given: Given[], created: string | undefined): Omit<Access, 'caller'> | undefined {
  for (const [ mode, type ] of kinds) {
    const found = given.find((one): boolean => one.mode === mode);
    if (found) {
      const { grant, uri } = found;
      return created !== undefined && mode === AccessMode.append ?
          { type: 'resource.created', uri: created, grant } :
          { type, uri, grant };
    }
  }
}
