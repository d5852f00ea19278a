import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { freePort } from '../../demo/lib/freePort';
import { answerJson, textOf } from './loopback';

/** A record of a citizen, as an `http` source returns it. */
export interface ServedRecord {
  citizen: string;
  id: string;
  version: string;
  credentialSubject: Record<string, unknown>;
}

/**
 * A source like one of an organisation: records and their verification, for tokens of its own authorization server,
 * which has one client.
 */
export class RecordService {
  public static readonly clientId = 'the sharing server';
  public static readonly clientSecret = 's3cret/of the sharing server';

  public records: ServedRecord[] = [];
  /** Responds to authorized requests instead of the source. */
  public answer?: (response: ServerResponse, body: Record<string, unknown>) => void;
  /** Bodies of the authorized requests, by path. */
  public readonly asked: { path: string; body: Record<string, unknown> }[] = [];
  private readonly tokens = new Set<string>();
  private server?: Server;
  private port?: number;

  /** Starts it, on the same port as before: outgoing connections do not use such ports. */
  public async start(): Promise<void> {
    this.port ??= await freePort();
    // Idle connections stay open until the next request of a busy server.
    this.server = createServer({ keepAliveTimeout: 600_000 }, (request, response): void => {
      this.handle(request, response).catch((): unknown => response.destroy());
    }).listen(this.port, 'localhost');
    await once(this.server, 'listening');
  }

  public async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server) {
      server.closeAllConnections();
      await new Promise<unknown>((resolve): void => {
        server.close(resolve);
      });
    }
  }

  public get url(): string {
    return `http://localhost:${this.port}`;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const body = await textOf(request);
    if (path === '/.well-known/openid-configuration') {
      return answerJson(response, 200, { issuer: this.url, token_endpoint: `${this.url}/token` });
    }
    if (path === '/token') {
      return this.giveToken(request, response, body);
    }
    if (request.method !== 'POST' || !this.tokens.has(request.headers.authorization ?? '')) {
      return answerJson(response, 401, {});
    }
    const asked = JSON.parse(body) as Record<string, unknown>;
    this.asked.push({ path, body: asked });
    if (this.answer) {
      return this.answer(response, asked);
    }
    if (path === '/registry/records') {
      const records = this.records.filter(({ citizen }): boolean => citizen === asked.citizen);
      return answerJson(response, 200, { records: records.map(({ citizen, ...record }): object => record) });
    }
    const valid = this.records.some(({ id, version }): boolean => id === asked.id && version === asked.version);
    return path === '/registry/verify' ? answerJson(response, 200, { valid }) : answerJson(response, 404, {});
  }

  /** @see [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4) */
  private giveToken(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { clientId, clientSecret } = RecordService;
    const pair = [ clientId, clientSecret ]
      .map((part): string => new URLSearchParams({ part }).toString().slice('part='.length))
      .join(':');
    const isClient = request.headers.authorization === `Basic ${Buffer.from(pair).toString('base64')}`;
    if (!isClient || new URLSearchParams(body).get('grant_type') !== 'client_credentials') {
      return answerJson(response, 401, { error: 'invalid_client' });
    }
    const token = randomUUID();
    this.tokens.add(`Bearer ${token}`);

    answerJson(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
  }
}
