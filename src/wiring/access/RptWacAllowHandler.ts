import { CredentialsExtractor, PermissionReader, WacAllowHttpHandler } from '@solid/community-server';
import type {
  Credentials,
  HttpRequest,
  ModesExtractor,
  OperationHttpHandler,
  PermissionMap,
  PermissionReaderInput,
} from '@solid/community-server';
import { opened } from '../../platform/opened';
import { rptOf } from './rpt';

/** Options of {@link RptWacAllowHandler}. */
export interface RptWacAllowHandlerArgs {
  /** Reads the credentials of the caller. */
  credentialsExtractor: CredentialsExtractor;
  /** Reads the modes that the request needs. */
  modesExtractor: ModesExtractor;
  /** Reads the permissions of the caller. */
  permissionReader: PermissionReader;
  /** Handles the request. */
  operationHandler: OperationHttpHandler;
}

/**
 * The server's `WAC-Allow`, also for requests with a requesting party token. The server treats credentials without an
 * agent as the public, so they get an agent here, for this header only.
 */
export class RptWacAllowHandler extends WacAllowHttpHandler {
  public constructor(args: RptWacAllowHandlerArgs) {
    super({
      ...args,
      credentialsExtractor: new NamingExtractor(args.credentialsExtractor),
      permissionReader: new UnnamingReader(args.permissionReader),
    });
  }
}

/** Credentials with an agent, which wrap the original ones. */
interface NamedCredentials extends Credentials {
  unnamed?: Credentials;
}

class NamingExtractor extends CredentialsExtractor {
  public constructor(private readonly source: CredentialsExtractor) {
    super();
  }

  public async handle(request: HttpRequest): Promise<NamedCredentials> {
    const credentials = await this.source.handleSafe(request);
    const rpt = rptOf(credentials);
    return rpt ? { agent: { webId: rpt.webId }, unnamed: credentials } : credentials;
  }
}

class UnnamingReader extends PermissionReader {
  public constructor(private readonly source: PermissionReader) {
    super();
  }

  public async handle({ credentials, requestedModes }: PermissionReaderInput): Promise<PermissionMap> {
    const { unnamed } = opened<NamedCredentials>(credentials);
    return this.source.handleSafe({ credentials: unnamed ?? credentials, requestedModes });
  }
}
