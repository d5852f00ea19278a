import {
  BadRequestHttpError,
  BasicRepresentation,
  InteractionHandler,
  readableToString,
} from '@solid/community-server';
import type { InteractionHandlerInput, Operation, Representation } from '@solid/community-server';

/** Lets account operations see JSON objects only: the server's own handlers answer 500 to all else. */
export class CheckedJsonHandler extends InteractionHandler {
  private readonly source: InteractionHandler;

  /**
   * @param source - Reads the JSON, and does what it asks for.
   */
  public constructor(source: InteractionHandler) {
    super();
    this.source = source;
  }

  public async canHandle(input: InteractionHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }

  /**
   * @throws BadRequestHttpError when the body is no object of JSON in UTF-8.
   */
  public async handle(input: InteractionHandlerInput): Promise<Representation> {
    const { operation } = input;
    return this.source.handle(operation.body.isEmpty ? input : { ...input, operation: await checked(operation) });
  }
}

async function checked(operation: Operation): Promise<Operation> {
  const text = await readableToString(operation.body.data);
  if (text !== '' && !isObject(text)) {
    throw new BadRequestHttpError('The body must be an object of JSON.');
  }
  return { ...operation, body: new BasicRepresentation(text === '' ? '{}' : text, operation.body.metadata) };
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
