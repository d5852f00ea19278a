import { Agent as HttpAgent } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { FetchFailed } from '../../platform/fetchErrors';
import { opened } from '../../platform/opened';

/** The untyped method by which an agent of Node takes a request. */
interface OpenAgent {
  addRequest: (request: ClientRequest, ...rest: unknown[]) => void;
}

/**
 * Creates an agent for libraries that accept a response of any size. It requests uncompressed responses, and ends those
 * that are compressed or too large. Each request has its own connection.
 *
 * @param protocol - `http:` or `https:`.
 * @param maxBytes - Maximum bytes of a body.
 */
export function createBoundedAgent(protocol: string, maxBytes: number): HttpAgent {
  const agent = protocol === 'http:' ? new HttpAgent() : new HttpsAgent();
  const open = opened<OpenAgent>(agent);
  const addRequest = open.addRequest.bind(agent);
  open.addRequest = (request, ...rest): void => {
    request.setHeader('accept-encoding', 'identity');
    request.prependOnceListener('response', (answer: IncomingMessage): void => bound(answer, maxBytes));
    addRequest(request, ...rest);
  };
  return agent;
}

function bound(answer: IncomingMessage, maxBytes: number): void {
  const push = answer.push.bind(answer);
  let size = 0;
  let isEnding = false;
  function end(reason: string): boolean {
    if (!isEnding) {
      isEnding = true;
      // After the reader of the response has added its listener for errors.
      setImmediate((): unknown => answer.destroy(new FetchFailed(reason)));
    }
    return false;
  }
  const isPlain = (answer.headers['content-encoding'] ?? 'identity') === 'identity';
  answer.push = (chunk: Buffer | null, ...rest): boolean => {
    size += chunk?.length ?? 0;
    if (!isPlain) {
      return end('the answer is compressed');
    }
    return size > maxBytes ? end('the answer is too large') : push(chunk, ...rest);
  };
}
