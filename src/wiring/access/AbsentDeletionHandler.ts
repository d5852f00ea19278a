import { NotFoundHttpError, ResponseDescription } from '@solid/community-server';
import type { CredentialsExtractor, OperationHttpHandler, OperationHttpHandlerInput } from '@solid/community-server';
import { containersOf, findResourceUri } from '../../pods/resourceUri';
import type { DataSharing } from '../DataSharing';
import { PassthroughHandler } from '../../server/PassthroughHandler';

/** Options of {@link AbsentDeletionHandler}. */
export interface AbsentDeletionHandlerArgs {
  /** Answers every request; removing what is not there may be answered here. */
  source: OperationHttpHandler;
  /** The service that knows who controls what. */
  dataSharing: DataSharing;
  /** Who calls. */
  credentialsExtractor: CredentialsExtractor;
}

/**
 * Answers DELETE of what is not there with 204 in place of 404, to those who control the container: the outcome is the
 * one they asked for. Clients that were made for Inrupt's server rely on it.
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
    const uri = method === 'DELETE' ? findResourceUri(target.path, baseUrl) : undefined;
    const [ container ] = uri ? containersOf(uri) : [];
    if (container === undefined) {
      return false;
    }
    const { agent } = await this.args.credentialsExtractor.handleSafe(request);
    return agent?.webId !== undefined && control.controls(agent.webId, container);
  }
}
