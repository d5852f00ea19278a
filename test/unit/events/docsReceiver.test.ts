import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CloudEvent } from '../../../src/events/Event';
import { writeSecret } from '../../../src/events/webhook';
import { Webhooks } from '../../../src/events/Webhooks';
import { createGuardedFetch } from '../../../src/platform/guardedFetch';

const root = join(__dirname, '../../..');
const [ , receiver ] = /```js\n(import[\s\S]*?)```/u.exec(readFileSync(join(root, 'docs/api/events.md'), 'utf8'))!;
const secret = randomBytes(32);
const { privateKey } = generateKeyPairSync('ed25519');
const event: CloudEvent = {
  specversion: '1.0',
  id: '5f1c1f0e-8c1c-4e53-9d3a-2c1f0f6f4b7a',
  source: 'https://pod.example/v1/events',
  type: 'AccessRevoked',
  time: '2026-11-21T12:55:36.459Z',
  datacontenttype: 'application/json',
  data: { accessGrant: 'https://pod.example/.access/vc/1' },
};

describe('The receiver in the documentation', (): void => {
  let child: ChildProcess;
  let endpoint: string;
  let said = '';

  beforeAll(async(): Promise<void> => {
    // The documented code, with another port and a handler of events.
    const listening = '.listen(0, "127.0.0.1", function() { console.log(this.address().port); })';
    const code = `${receiver.replace('.listen(8080)', listening)}
      async function handle({ type, data }) { console.log(type, data.accessGrant); }`;
    child = spawn(process.execPath, [ '--input-type=module', '--eval', code ], {
      cwd: root,
      env: { PATH: process.env.PATH, SECRET: writeSecret(secret) },
      stdio: [ 'ignore', 'pipe', 'inherit' ],
    });
    const [ port ] = await once(child.stdout!, 'data') as [Buffer];
    endpoint = `http://127.0.0.1:${port.toString().trim()}/`;
    child.stdout!.on('data', (data: Buffer): void => {
      said += data.toString();
    });
  }, 60_000);

  afterAll((): void => {
    child.kill();
  });

  async function send(sent: CloudEvent, key = secret, now = new Date()): ReturnType<Webhooks['send']> {
    return new Webhooks({
      fetch: createGuardedFetch({ allowLoopback: true, timeoutMs: 20_000 }),
      keys: {
        signing: async(): Promise<[typeof privateKey]> => [ privateKey ],
        secret: async(): Promise<Buffer> => key,
      },
      source: sent.source,
      now: (): Date => now,
    }).send({ endpoint, id: 'subscription' }, sent);
  }

  it('answers the challenge, accepts signed events, and survives unsigned ones.', async(): Promise<void> => {
    await expect(send({ ...event, type: 'SubscriptionChallenge', data: { challenge: 'xyz' }})).resolves
      .toMatchObject({ status: 200, body: Buffer.from('{"challenge":"xyz"}') });
    await expect(send(event, randomBytes(32))).resolves.toMatchObject({ status: 400 });
    await expect(send(event, secret, new Date(Date.now() - 3_600_000))).resolves.toMatchObject({ status: 400 });
    expect(said).toBe('');
    const handled = once(child.stdout!, 'data');
    await expect(send(event)).resolves.toMatchObject({ status: 200 });
    await handled;
    expect(said).toBe('AccessRevoked https://pod.example/.access/vc/1\n');
  });
});
