import { request as sendRequest } from 'node:http';
import { Readable } from 'node:stream';
import type { PodResource } from '../../../src/platform/PodResource';
import type { Reply, RunningApi } from './server';
import { startApi } from './server';

const text = '0123456789abcdefghij';
const modified = new Date('2026-01-02T03:04:05.678Z');
const lastModified = 'Fri, 02 Jan 2026 03:04:05 GMT';
const earlier = 'Fri, 02 Jan 2026 03:04:04 GMT';
const path = '/v1/resources?resource=https://pods.example/a';
const basic = { authorization: 'Bearer token', 'x-access-grant': 'https://pods.example/.access/vc/1' };

/** The text in chunks of three bytes. */
function pieces(): Readable {
  const chunks = text.match(/.{1,3}/gu)!.map((piece): Buffer => Buffer.from(piece));
  return Readable.from(chunks, { objectMode: false });
}

describe('A resource', (): void => {
  let running: RunningApi;
  let resource: PodResource & { body: Readable };

  beforeAll(async(): Promise<void> => {
    running = await startApi({ resources: { read: async(): Promise<PodResource> => resource }});
  });

  beforeEach((): void => {
    resource = { contentType: 'text/plain', etag: '"v1"', modified, size: 20, body: pieces() };
  });

  afterAll(async(): Promise<void> => running.stop());

  async function get(headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
    return running.call(method, path, { headers: { ...basic, ...headers }});
  }

  it('is sent as stored, for its caller only, and so that no browser runs it.', async(): Promise<void> => {
    const reply = await get();
    expect(reply).toMatchObject({ status: 200, text });
    expect(reply.headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '20',
      etag: '"v1"',
      'last-modified': lastModified,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      vary: 'Authorization, DPoP, X-Access-Grant, Origin',
      'x-content-type-options': 'nosniff',
      'content-security-policy': `sandbox; default-src 'none'`,
    });
  });

  it('is an octet stream if its content type is unknown.', async(): Promise<void> => {
    resource.contentType = '';
    expect((await get()).headers['content-type']).toBe('application/octet-stream');
  });

  it('of unknown size is streamed in full.', async(): Promise<void> => {
    resource.size = Number.NaN;
    const reply = await get({ range: 'bytes=0-1' });
    expect(reply).toMatchObject({ status: 200, text });
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(reply.headers).not.toHaveProperty('accept-ranges');
  });

  it('has the same headers, without body, for HEAD.', async(): Promise<void> => {
    const reply = await get({ range: 'bytes=0-1' }, 'HEAD');
    expect(reply).toMatchObject({ status: 200, text: '' });
    expect(reply.headers).toMatchObject({ 'content-length': '20', etag: '"v1"' });
    expect(resource.body.destroyed).toBe(true);
  });

  it.each([
    [{ 'if-none-match': '"v1"' }],
    [{ 'if-none-match': '"v0", W/"v1"' }],
    [{ 'if-none-match': '*' }],
    [{ 'if-modified-since': lastModified }],
    [{ 'if-none-match': '"v1"', 'if-modified-since': earlier }],
    [{ 'if-match': '"v1"', 'if-none-match': '"v1"' }],
  ])('is not sent again: %j.', async(headers): Promise<void> => {
    const reply = await get(headers);
    expect(reply).toMatchObject({ status: 304, text: '' });
    expect(reply.headers).toMatchObject({ etag: '"v1"', 'cache-control': 'private, no-cache' });
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(resource.body.destroyed).toBe(true);
  });

  it.each([
    [{ 'if-none-match': '"v0"', 'if-modified-since': lastModified }],
    [{ 'if-modified-since': earlier }],
    [{ 'if-modified-since': 'soon' }],
    [{ 'if-modified-since': '2199-01-01' }],
    [{ 'if-modified-since': '2199' }],
    [{ 'if-modified-since': 'Sat, 30 Feb 2199 03:04:05 GMT' }],
    [{ 'if-modified-since': 'Fri, 02 Jan 2026 24:00:00 GMT' }],
    [{ 'if-unmodified-since': 'Tue Feb 30 03:04:05 1999' }],
    [{ 'if-unmodified-since': '1999' }],
    [{ 'if-match': '"v0", "v1"' }],
    [{ 'if-match': '*' }],
    [{ 'if-unmodified-since': lastModified }],
    [{ 'if-match': '"v1"', 'if-unmodified-since': earlier }],
  ])('is sent: %j.', async(headers): Promise<void> => {
    await expect(get(headers as Record<string, string>)).resolves.toMatchObject({ status: 200, text });
  });

  it.each([
    [{ 'if-match': '"v0"' }],
    [{ 'if-match': 'W/"v1"' }],
    [{ 'if-unmodified-since': earlier }],
  ])('fails a precondition: %j.', async(headers): Promise<void> => {
    const reply = await get(headers);
    expect(reply.json()).toMatchObject({ status: 412, type: 'https://pods.example/v1/problems/precondition-failed' });
    expect(resource.body.destroyed).toBe(true);
  });

  it.each([
    [ 'bytes=0-0', '0', '0-0' ],
    [ 'bytes=2-7', '234567', '2-7' ],
    [ 'bytes=17-', 'hij', '17-19' ],
    [ 'bytes=-4', 'ghij', '16-19' ],
    [ 'bytes=-400', text, '0-19' ],
    [ 'bytes=18-400', 'ij', '18-19' ],
    [ 'Bytes= 0-2', '012', '0-2' ],
  ])('is sent in part: %s.', async(range, part, bytes): Promise<void> => {
    const reply = await get({ range });
    expect(reply).toMatchObject({ status: 206, text: part });
    expect(reply.headers['content-range']).toBe(`bytes ${bytes}/20`);
    expect(reply.headers['content-length']).toBe(String(part.length));
  });

  it.each([ 'bytes=0-1,3-4', 'bytes=5-2', 'lines=0-1', 'bytes=-', 'bytes=a-b' ])(
    'is sent in full for Range: %s.',
    async(range): Promise<void> => {
      await expect(get({ range })).resolves.toMatchObject({ status: 200, text });
    },
  );

  it.each([ 'bytes=20-', 'bytes=400-500', 'bytes=-0' ])('cannot satisfy %s.', async(range): Promise<void> => {
    const reply = await get({ range });
    expect(reply.status).toBe(416);
    expect(reply.headers['content-range']).toBe('bytes */20');
    expect(resource.body.destroyed).toBe(true);
  });

  it('that is empty is sent in full for its last bytes, and has no others.', async(): Promise<void> => {
    resource = { ...resource, size: 0, body: Readable.from([]) };
    const last = await get({ range: 'bytes=-5' });
    expect(last).toMatchObject({ status: 200, text: '' });
    expect(last.headers['content-length']).toBe('0');
    for (const range of [ 'bytes=0-', 'bytes=0-4', 'bytes=-0' ]) {
      await expect(get({ range })).resolves.toMatchObject({ status: 416 });
    }
  });

  it.each([
    [ '"v1"', 206 ],
    [ '"v0"', 200 ],
    [ 'W/"v1"', 200 ],
    [ lastModified, 206 ],
    [ earlier, 200 ],
    [ 'soon', 200 ],
  ])('is sent in part only if it is unchanged: If-Range %s.', async(ifRange, status): Promise<void> => {
    await expect(get({ range: 'bytes=0-1', 'if-range': ifRange })).resolves.toMatchObject({ status });
  });

  it('that fails half-way ends the connection.', async(): Promise<void> => {
    resource.body = Readable.from((function* fail(): Generator<Buffer> {
      yield Buffer.from('012');
      throw new Error('disk');
    })());
    await expect(get()).rejects.toThrow(/aborted|hang up|ECONNRESET/u);
    expect(running.logs.join('\n')).not.toContain('rejected');
  });

  it('is closed when the client disconnects.', async(): Promise<void> => {
    const closed = new Promise<void>((resolve): void => {
      resource.body = new Readable({
        read(): void {
          this.push(Buffer.alloc(65_536));
        },
        destroy(error, callback): void {
          resolve();
          callback(error);
        },
      });
    });
    resource.size = Number.MAX_SAFE_INTEGER;
    const request = sendRequest({ port: running.port, host: '127.0.0.1', path, headers: basic, agent: false });
    request.on('error', (): void => {
      // This side closed the connection.
    });
    request.on('response', (response): void => {
      response.once('data', (): void => {
        request.destroy();
      });
    });
    request.end();
    await expect(closed).resolves.toBeUndefined();
  });
});
