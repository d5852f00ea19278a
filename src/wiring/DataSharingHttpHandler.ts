import { randomUUID } from 'node:crypto';
import { HttpHandler } from '@solid/community-server';
import type { HttpHandlerInput } from '@solid/community-server';
import type { DataSharing } from './DataSharing';

const correlationHeader = 'X-Correlation-Id';
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/**
 * First handler of every request: answers those on this package's own paths, and hands all others to the server.
 */
export class DataSharingHttpHandler extends HttpHandler {
  private readonly dataSharing: DataSharing;
  private readonly cors: HttpHandler;
  private readonly source: HttpHandler;

  /**
   * @param dataSharing - The service that answers.
   * @param cors - The server's own handler of CORS.
   * @param source - The server's own handler of everything else.
   */
  public constructor(dataSharing: DataSharing, cors: HttpHandler, source: HttpHandler) {
    super();
    this.dataSharing = dataSharing;
    this.cors = cors;
    this.source = source;
  }

  public async handle(input: HttpHandlerInput): Promise<void> {
    const { request, response } = input;
    const { api } = await this.dataSharing.get();
    response.setHeader(correlationHeader, correlationId(request.headers[correlationHeader.toLowerCase()]));
    if (!api.owns(request)) {
      return this.source.handleSafe(input);
    }
    // OPTIONS is answered there, and the promise never resolves.
    const cors = this.cors.handleSafe(input);
    if (request.method === 'OPTIONS') {
      return;
    }
    await cors;
    await api.handle(request, response);
  }
}

function correlationId(given: string | string[] | undefined): string {
  return typeof given === 'string' && uuid.test(given) ? given : randomUUID();
}
