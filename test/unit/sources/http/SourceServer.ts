import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Loopback } from '../../../support/loopback';
import { answerJson, startLoopback, textOf } from '../../../support/loopback';

/** A request that the source received. */
export interface Got {
  url: string;
  token?: string;
  body: string;
}

/** How the source answers, given the number of the request. */
export type Behaviour = (response: ServerResponse, at: number) => void;

/** A source with its own authorization server, which can be told to misbehave. */
export class SourceServer {
  public readonly got: Got[] = [];
  public tokens = 0;
  public expiresIn: number | undefined = 3600;
  public metadata: Record<string, unknown> = {};
  public tokenAnswer?: (response: ServerResponse) => void;
  public behaviour: Behaviour = (response): void => answerJson(response, 200, { records: []});
  private server!: Loopback;

  public static async start(): Promise<SourceServer> {
    const source = new SourceServer();
    source.server = await startLoopback((request, response): void => {
      source.handle(request, response).catch((error: unknown): unknown => response.destroy(error as Error));
    });
    return source;
  }

  public get url(): string {
    return this.server.url;
  }

  public get settings(): { issuer: string; clientId: string; clientSecret: string } {
    return { issuer: this.url, clientId: 'server one', clientSecret: 'secret/one' };
  }

  public async stop(): Promise<void> {
    await this.server.stop();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url!;
    const body = await textOf(request);
    if (url === '/.well-known/oauth-authorization-server') {
      return answerJson(response, 200, { issuer: this.url, token_endpoint: `${this.url}/token`, ...this.metadata });
    }
    if (url.startsWith('/.well-known/')) {
      return answerJson(response, 404, {});
    }
    if (url === '/token') {
      return this.giveToken(request, response, body);
    }
    this.got.push({ url, token: request.headers.authorization, body });
    this.behaviour(response, this.got.length);
  }

  private giveToken(request: IncomingMessage, response: ServerResponse, body: string): void {
    if (this.tokenAnswer) {
      return this.tokenAnswer(response);
    }
    const basic = `Basic ${Buffer.from('server+one:secret%2Fone').toString('base64')}`;
    const parameters = new URLSearchParams(body);
    const isKnown = request.headers.authorization === basic || parameters.get('client_secret') === 'secret/one';
    if (!isKnown || parameters.get('grant_type') !== 'client_credentials') {
      return answerJson(response, 400, { error: 'invalid_client' });
    }
    this.tokens += 1;
    answerJson(response, 200, {
      access_token: `token-${this.tokens}`,
      token_type: 'Bearer',
      expires_in: this.expiresIn,
    });
  }
}
