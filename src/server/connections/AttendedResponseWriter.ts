import { ResponseWriter } from '@solid/community-server';
import type { HttpResponse, ResponseDescription } from '@solid/community-server';

/**
 * Closes bodies that nobody reads: the client left before its response began, or the response could not be written.
 * Otherwise, they would keep the lock of their resource, and a file open, until the lock expires.
 */
export class AttendedResponseWriter extends ResponseWriter {
  private readonly source: ResponseWriter;

  /**
   * @param source - Writes the response.
   */
  public constructor(source: ResponseWriter) {
    super();
    this.source = source;
  }

  public override async canHandle(input: { response: HttpResponse; result: ResponseDescription }): Promise<void> {
    await this.source.canHandle(input);
  }

  public async handle(input: { response: HttpResponse; result: ResponseDescription }): Promise<void> {
    const { response, result: { data }} = input;
    try {
      await this.source.handle(input);
    } catch (error: unknown) {
      data?.destroy();
      throw error;
    }
    if (response.destroyed) {
      // Since before the body was piped to it: a pipe is not told of that.
      data?.destroy();
    }
  }
}
