import { HttpError, HttpHandler, InternalServerError } from '@solid/community-server';
import type { HttpHandlerInput } from '@solid/community-server';
import { messageOf } from '../../platform/errors';
import type { ErrorAnswers } from './ErrorAnswers';

/** Turns errors of a handler without error handling into a status, without details. */
export class ErrorAnsweringHandler extends HttpHandler {
  private readonly source: HttpHandler;
  private readonly errors: ErrorAnswers;

  /**
   * @param source - Handles requests.
   * @param errors - Errors in the server's own form.
   */
  public constructor(source: HttpHandler, errors: ErrorAnswers) {
    super();
    this.source = source;
    this.errors = errors;
  }

  public async handle(input: HttpHandlerInput): Promise<void> {
    try {
      await this.source.handleSafe(input);
    } catch (error: unknown) {
      const { request, response } = input;
      if (response.headersSent) {
        throw error;
      }
      await this.errors.answer(request, response, HttpError.isInstance(error) ?
        error :
          new InternalServerError(messageOf(error), { cause: error }));
    }
  }
}
