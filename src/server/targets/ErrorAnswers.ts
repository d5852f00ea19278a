import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorHandler, HttpError, HttpRequest, ResponseWriter } from '@solid/community-server';

/** Responds with errors in the server's own form, before any of its handlers sees the request. */
export class ErrorAnswers {
  private readonly errorHandler: ErrorHandler;
  private readonly responseWriter: ResponseWriter;

  /**
   * @param errorHandler - Gives an error the form that the request prefers.
   * @param responseWriter - Sends it.
   */
  public constructor(errorHandler: ErrorHandler, responseWriter: ResponseWriter) {
    this.errorHandler = errorHandler;
    this.responseWriter = responseWriter;
  }

  /** Responds to a request with an error. */
  public async answer(request: IncomingMessage, response: ServerResponse, error: HttpError): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- only headers are read
    const result = await this.errorHandler.handleSafe({ error, request: request as HttpRequest });
    if (request.method === 'HEAD') {
      result.data?.destroy();
      delete result.data;
    }
    await this.responseWriter.handleSafe({ response, result });
  }
}
