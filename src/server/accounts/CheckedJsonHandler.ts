import {
  BadRequestHttpError,
  BasicRepresentation,
  InteractionHandler,
  readableToString,
  UnauthorizedHttpError,
} from '@solid/community-server';
import type { CookieStore, InteractionHandlerInput, Representation } from '@solid/community-server';
import { parseObject } from '../../platform/parseJson';
import { refusingInOutages } from '../outages/noticedOutages';
import { checkTexts } from './accountTexts';
import { checkClient } from './checkClient';
import { cookieOf } from './cookieOf';

const podRoute = /^\/\.account\/account\/[^/]+\/pod\/$/u;

/**
 * Restricts account operations to JSON objects, with strings of bounded length where strings are expected, to the app
 * that the page showed, and to log-ins that have not ended while the body arrived. The server's own handlers would
 * return 500 for anything else, apply an answer to whichever app asked last, and report an outage as a wrong password.
 */
export class CheckedJsonHandler extends InteractionHandler {
  private readonly source: InteractionHandler;
  private readonly cookies: CookieStore;

  /**
   * @param source - Reads the JSON and performs the operation.
   * @param cookieStore - Log-ins.
   */
  public constructor(source: InteractionHandler, cookieStore: CookieStore) {
    super();
    this.source = source;
    this.cookies = cookieStore;
  }

  public async canHandle(input: InteractionHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }

  /**
   * @throws BadRequestHttpError when the body is not a JSON object in UTF-8, or a string in it is missing or too long.
   * @throws ConflictHttpError when its `client` is not the app whose log-in is in progress.
   * @throws UnauthorizedHttpError when the log-in has ended since the request began.
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
    if (text !== '') {
      await this.requireLogin(input);
    }
    const body = operation.body.isEmpty && text === '' ?
      operation.body :
        new BasicRepresentation(text === '' ? '{}' : text, operation.body.metadata);
    return refusingInOutages(async(): Promise<Representation> =>
      this.source.handle({ ...input, operation: { ...operation, body }}));
  }

  private async requireLogin({ accountId, operation }: InteractionHandlerInput): Promise<void> {
    const cookie = cookieOf(operation.body);
    if (accountId !== undefined && (cookie === undefined || await this.cookies.get(cookie) !== accountId)) {
      throw new UnauthorizedHttpError('The log-in has ended.');
    }
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
