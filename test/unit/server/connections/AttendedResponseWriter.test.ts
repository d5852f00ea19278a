import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import type { Guarded, MetadataWriter } from '@solid/community-server';
import {
  BasicResponseWriter,
  guardedStreamFrom,
  OkResponseDescription,
  RepresentationMetadata,
} from '@solid/community-server';
import { AttendedResponseWriter } from '../../../../src/server/connections/AttendedResponseWriter';

/** Writes no headers; work comes before. */
function metadataWriter(work: () => Promise<void>): MetadataWriter {
  return { handleSafe: work } as unknown as MetadataWriter;
}

describe('The body of a response', (): void => {
  let server: Server;
  let body: Guarded<Readable>;

  beforeEach(async(): Promise<void> => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    body = guardedStreamFrom([ 'a body' ]);
  });

  afterEach(async(): Promise<void> => {
    server.close();
    await once(server, 'close');
  });

  /** Writes a response by work that runs before the headers, for a client that may be sent away. */
  async function write(work: (response: ServerResponse, leave: () => void) => Promise<void>): Promise<string> {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const received = (async(): Promise<string> => {
      let text = '';
      for await (const chunk of client) {
        text += String(chunk);
      }
      return text;
    })().catch((): string => '');
    const [ , response ] = await once(server, 'request') as [unknown, ServerResponse];
    const writer = new AttendedResponseWriter(new BasicResponseWriter(metadataWriter(async(): Promise<void> =>
      work(response, (): unknown => client.destroy()))));
    const result = new OkResponseDescription(new RepresentationMetadata('text/plain'), body);
    try {
      await writer.handleSafe({ response, result });
    } catch (error: unknown) {
      response.destroy();
      throw error;
    } finally {
      await received;
    }
    return received;
  }

  it('is sent.', async(): Promise<void> => {
    await expect(write(async(): Promise<void> => undefined)).resolves.toMatch(/a body/u);
  });

  it('is closed when the client has left before.', async(): Promise<void> => {
    await write(async(response, leave): Promise<void> => {
      const closed = once(response, 'close');
      leave();
      await closed;
    });
    expect(body.destroyed).toBe(true);
  });

  it('is closed when the response cannot be written.', async(): Promise<void> => {
    await expect(write(async(): Promise<void> => {
      throw new Error('no such header');
    })).rejects.toThrow('no such header');
    expect(body.destroyed).toBe(true);
  });
});
