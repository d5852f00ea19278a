import { NotFoundHttpError, ResponseDescription } from '@solid/community-server';
import type { CredentialsExtractor, OperationHttpHandler, OperationHttpHandlerInput } from '@solid/community-server';
import { containersOf } from '../../pods/resourceUri';
import type { DataSharing } from '../DataSharing';
import { PassthroughHandler } from '../../server/PassthroughHandler';
import { resourceUriOf } from './resourceUriOf';
import { agentOf } from './rpt';

/** Options of {@link AbsentDeletionHandler}. */
export interface AbsentDeletionHandlerArgs {
  /** Handles every request; this class takes over when there is nothing to remove. */
  source: OperationHttpHandler;
  /** The service that knows who controls a resource. */
  dataSharing: DataSharing;
  /** Reads the credentials of the caller. */
  credentialsExtractor: CredentialsExtractor;
}

/**
 * Returns 204 instead of 404 to DELETE of a missing resource, for callers who control the container. Clients made for
 * Inrupt's server rely on it.
 *
 * @see [RFC 9110, section 9.3.5](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.5)
 */
export class AbsentDeletionHandler extends PassthroughHandler {
  private readonly args: AbsentDeletionHandlerArgs;

  public constructor(args: AbsentDeletionHandlerArgs) {
    super(args.source);
    this.args = args;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    try {
      return await this.source.handle(input);
    } catch (error: unknown) {
      if (NotFoundHttpError.isInstance(error) && await this.isAsWanted(input)) {
        return new ResponseDescription(204);
      }
      throw error;
    }
  }

  private async isAsWanted({ operation: { method, target }, request }: OperationHttpHandlerInput): Promise<boolean> {
    const { baseUrl, control } = await this.args.dataSharing.get();
    const uri = method === 'DELETE' ? resourceUriOf(target, baseUrl) : undefined;
    const [ container ] = uri ? containersOf(uri) : [];
    if (container === undefined) {
      return false;
    }
    const caller = agentOf(await this.args.credentialsExtractor.handleSafe(request));
    return caller !== undefined && control.controls(caller, container);
  }
}
