import {
  BadRequestHttpError,
  BasicRepresentation,
  InteractionHandler,
  readableToString,
} from '@solid/community-server';
import type { InteractionHandlerInput, Representation } from '@solid/community-server';
import { parseObject } from '../../platform/parseJson';
import { refusingInOutages } from '../outages/noticedOutages';
import { checkTexts } from './accountTexts';
import { checkClient } from './checkClient';

const podRoute = /^\/\.account\/account\/[^/]+\/pod\/$/u;

/**
 * Restricts account operations to JSON objects, with strings of bounded length where strings are expected, and to the
 * app that the page showed. The server's own handlers would return 500 for anything else, take the answer for
 * whichever app asked last, and an outage for a wrong password.
 */
export class CheckedJsonHandler extends InteractionHandler {
  private readonly source: InteractionHandler;

  /**
   * @param source - Reads the JSON and performs the operation.
   */
  public constructor(source: InteractionHandler) {
    super();
    this.source = source;
  }

  public async canHandle(input: InteractionHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }

  /**
   * @throws BadRequestHttpError when the body is not a JSON object in UTF-8, or a string in it is missing or too long.
   * @throws ConflictHttpError when its `client` is not the app whose log-in is in progress.
   */
  public async handle(input: InteractionHandlerInput): Promise<Representation> {
    const { operation } = input;
    const text = operation.body.isEmpty ? '' : await readableToString(operation.body.data);
    const json = readObject(text);
    checkTexts(json);
    const { pathname } = new URL(operation.target.path);
    if (pathname.startsWith('/.account/oidc/')) {
      checkClient(json.client, input.oidcInteraction);
    }
    // Without a name, the server would create the pod at the root of all pods.
    if (operation.method === 'POST' && podRoute.test(pathname) && !isName(json.name)) {
      throw new BadRequestHttpError('A pod has a name.');
    }
    const body = operation.body.isEmpty && text === '' ?
      operation.body :
        new BasicRepresentation(text === '' ? '{}' : text, operation.body.metadata);
    return refusingInOutages(async(): Promise<Representation> =>
      this.source.handle({ ...input, operation: { ...operation, body }}));
  }
}

function readObject(text: string): Record<string, unknown> {
  const value = parseObject(text === '' ? '{}' : text);
  if (!value) {
    throw new BadRequestHttpError('The body must be an object of JSON.');
  }
  return value;
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && name.trim() !== '';
}
