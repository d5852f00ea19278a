import { AsyncResource } from 'node:async_hooks';
import { Readable } from 'node:stream';
import {
  AuthorizingHttpHandler,
  BasicRepresentation,
  OperationHttpHandler,
  ResponseDescription,
} from '@solid/community-server';
import type {
  Authorizer,
  CredentialsExtractor,
  ModesExtractor,
  OperationHttpHandlerInput,
  PermissionReader,
} from '@solid/community-server';
import { bytesOf } from '../../platform/bytesOf';
import { PassthroughHandler } from '../PassthroughHandler';
import { endAhead } from '../rows/RowsAhead';

/** Options of {@link LateBodyHandler}. */
export interface LateBodyHandlerArgs {
  /** Handles the request, once it is allowed. */
  source: OperationHttpHandler;
  /** Reads the credentials of a request anew, although its proof has been used. */
  credentialsExtractor: CredentialsExtractor;
  /** Reads the modes that a request needs. */
  modesExtractor: ModesExtractor;
  /** Reads the permissions of credentials. */
  permissionReader: PermissionReader;
  /** Decides by the permissions. */
  authorizer: Authorizer;
}

/** Handles requests that are allowed, by nothing. */
class Allowed extends OperationHttpHandler {
  public async handle(): Promise<ResponseDescription> {
    return new ResponseDescription(200);
  }
}

/**
 * Decides about a request again when its body has arrived, if that was not so when it was first decided: otherwise,
 * whoever has sent the beginning of a body could write for minutes after tokens, grants or rules have ended.
 *
 * Belongs between the first decision and the stores, which receive bodies in full before they change anything.
 */
export class LateBodyHandler extends PassthroughHandler {
  private readonly authorizing: OperationHttpHandler;

  public constructor(args: LateBodyHandlerArgs) {
    super(args.source);
    this.authorizing = new AuthorizingHttpHandler({ ...args, operationHandler: new Allowed() });
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const { operation, request } = input;
    const { body } = operation;
    if (request.complete || body.isEmpty || !body.binary) {
      return this.source.handle(input);
    }
    // Bound, because a stream goes on in the context of whoever reads it.
    const decideAgain = AsyncResource.bind(async(): Promise<void> => {
      endAhead();
      // A copy, because what is known of an operation and its target is remembered.
      const copy = { ...operation, target: { ...operation.target }};
      await this.authorizing.handleSafe({ ...input, operation: copy });
    });
    const data = Readable.from(followed(body.data, decideAgain), { objectMode: false });
    operation.body = new BasicRepresentation(data, body.metadata, body.binary);
    try {
      return await this.source.handle(input);
    } finally {
      data.destroy();
    }
  }
}

/** Yields a body, and does work before its end. The rest of a body that is not read on passes unread. */
async function* followed(body: Readable, work: () => Promise<void>): AsyncGenerator<Buffer> {
  try {
    // The response goes out on the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      yield bytesOf(chunk);
    }
    await work();
  } finally {
    body.resume();
  }
}
