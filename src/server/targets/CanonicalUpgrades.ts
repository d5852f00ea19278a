import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { ServerConfigurator } from '@solid/community-server';
import { afterResponse } from '../../platform/afterResponse';
import { refuseHeavyHeader } from '../headers/refuseHeavyHeader';
import type { RequestTargets } from './RequestTargets';

/** Prefix of the paths that have WebSockets. */
const sockets = '/.notifications/';

/**
 * Normalises the targets of WebSocket requests, as {@link RequestTargets} does for all others. Requests for a WebSocket
 * elsewhere, or for another protocol, such as HTTP/2 in clear text, are served as if they had not asked for it.
 *
 * Earlier requests on the connection get their responses first: Node has detached it already, and would mix them up.
 */
export class CanonicalUpgrades extends ServerConfigurator {
  private readonly targets: RequestTargets;
  private readonly source: ServerConfigurator;

  /**
   * @param targets - The rule.
   * @param source - The server's own configurator of WebSockets.
   */
  public constructor(targets: RequestTargets, source: ServerConfigurator) {
    super();
    this.targets = targets;
    this.source = source;
  }

  public async handle(server: Server): Promise<void> {
    // Collects the server's own listeners.
    const upgrades = new EventEmitter();
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- listening is all it does
    await this.source.handleSafe(upgrades as Server);
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      afterResponse(socket, (): void => {
        const { httpVersion, method, rawHeaders, url } = request;
        if (this.isForSocket(request)) {
          upgrades.emit('upgrade', request, socket, head);
        } else {
          serveWithoutUpgrade(server, { httpVersion, method, rawHeaders, url }, socket, head);
        }
      });
    });
  }

  /** Checks for a request for a WebSocket, on a path that has any. If so, its target is then in canonical form. */
  private isForSocket(request: IncomingMessage): boolean {
    return /\bwebsocket\b/iu.test(request.headers.upgrade ?? '') && !refuseHeavyHeader(request.headers) &&
      !this.targets.read(request) && request.url?.startsWith(sockets) === true;
  }
}

/**
 * Makes the server read a request again without its wish for another protocol, which a server may ignore. Node has
 * detached the connection by then; it is the last request on it.
 *
 * @see [RFC 9110, section 7.8](https://www.rfc-editor.org/rfc/rfc9110#section-7.8)
 */
function serveWithoutUpgrade(
  server: Server,
  { httpVersion, method, rawHeaders, url }: Pick<IncomingMessage, 'httpVersion' | 'method' | 'rawHeaders' | 'url'>,
  socket: Duplex,
  head: Buffer,
): void {
  const lines = [ `${method} ${url} HTTP/${httpVersion}` ];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!/^(?:connection|http2-settings|upgrade)$/iu.test(rawHeaders[at])) {
      lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
    }
  }
  lines.push('Connection: close', '', '');
  socket.unshift(Buffer.concat([ Buffer.from(lines.join('\r\n'), 'latin1'), head ]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
