import type { RunningApi } from '../http/server';
import { startApi } from '../http/server';

describe('The documentation', (): void => {
  let running: RunningApi;

  beforeAll(async(): Promise<void> => {
    running = await startApi();
  });

  afterAll(async(): Promise<void> => running.stop());

  it('is a page without scripts of its own and without anything from elsewhere.', async(): Promise<void> => {
    const { headers, text } = await running.call('GET', '/v1/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain(`script-src 'self';`);
    expect(text).not.toMatch(/https?:|<script>|\son\w+=/u);
    const links = [ ...text.matchAll(/(?:src|href)="([^"]+)"/gu) ].map(([ , link ]): string => link);
    expect(links).toHaveLength(4);
    for (const link of links) {
      await expect(running.call('GET', link)).resolves.toMatchObject({ status: 200 });
    }
  });

  it('has a style sheet and scripts with their media types.', async(): Promise<void> => {
    for (const [ asset, type ] of [
      [ 'swagger-ui.css', 'text/css; charset=utf-8' ],
      [ 'swagger-ui-bundle.js', 'text/javascript; charset=utf-8' ],
      [ 'initializer.js', 'text/javascript; charset=utf-8' ],
    ]) {
      const { headers } = await running.call('GET', `/v1/docs/${asset}`);
      expect(headers['content-type']).toBe(type);
    }
  });

  it.each([ 'package.json', 'index.html', 'swagger-initializer.js', 'constructor', '__proto__', '%2e%2e', '.' ])(
    'has no %s.',
    async(asset): Promise<void> => {
      const { status } = await running.call('GET', `/v1/docs/${asset}`);
      expect([ 400, 404 ]).toContain(status);
    },
  );

  it('explains a problem type.', async(): Promise<void> => {
    const { headers, text } = await running.call('GET', '/v1/problems/grant-revoked');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('<h1>grant-revoked</h1>');
    expect(text).toContain('<strong>The access grant was revoked</strong> (403)');
  });

  it('describes the interface with the version of the build.', async(): Promise<void> => {
    const reply = await running.call('GET', '/v1/openapi.json');
    expect(reply.json()).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3+abc' },
      servers: [{ url: 'https://pods.example' }],
    });
    expect(reply.headers['content-type']).toBe('application/json');
  });
});
