/* eslint-disable jest/require-top-level-describe -- a describe that is skipped where the tools are missing */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../support/world';

const deploy = join(__dirname, '../../deploy');

function isThere(command: string, version = '--version'): boolean {
  return spawnSync(command, [ version ]).status === 0;
}

const describeWithSystemd = isThere('systemd-analyze') ? describe : describe.skip;
const describeWithNginx = isThere('nginx', '-v') && isThere('openssl', 'version') ? describe : describe.skip;

let folder: string;

beforeEach(async(): Promise<void> => {
  folder = await temporaryFolder();
});

afterEach(async(): Promise<void> => removeFolder(folder));

describeWithSystemd('The unit for systemd', (): void => {
  test('is valid, and gives the service few rights.', (): void => {
    const unit = join(folder, 'css-data-sharing.service');
    // The Node.js of whoever runs this.
    writeFileSync(unit, readFileSync(join(deploy, 'css-data-sharing.service'), 'utf8')
      .replace('/usr/bin/node', process.execPath));
    const verified = spawnSync('systemd-analyze', [ 'verify', unit ], { encoding: 'utf8' });
    expect([ verified.status, verified.stderr ]).toEqual([ 0, '' ]);
    // Tenths: 100 is a service without any restriction.
    const rated = spawnSync('systemd-analyze', [ 'security', '--offline=true', '--threshold=25', unit ]);
    expect(rated.status).toBe(0);
  });
});

describeWithNginx('The configurations for nginx', (): void => {
  test.each([ 'nginx.conf', 'nginx-tls.conf' ])('are valid: %s.', (name): void => {
    const [ key, certificate ] = [ join(folder, 'privkey.pem'), join(folder, 'fullchain.pem') ];
    const self = [ 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=data.example' ];
    expect(spawnSync('openssl', [ ...self, '-keyout', key, '-out', certificate ]).status).toBe(0);
    const file = join(folder, name);
    // Names that are known in the network of the containers only, and what the test can't write to.
    writeFileSync(file, readFileSync(join(deploy, name), 'utf8')
      .replaceAll(/node-\d:/gu, '127.0.0.1:')
      .replaceAll('/etc/nginx/tls', folder)
      .replace('/dev/stdout', join(folder, 'access.log'))
      .replace('pid /tmp/nginx.pid;\n', '')
      .replace('worker_processes auto;', `worker_processes auto;\npid ${join(folder, 'nginx.pid')};`));
    const { status, stderr } = spawnSync('nginx', [ '-t', '-c', file ], { encoding: 'utf8' });
    expect([ status, status === 0 ? '' : stderr ]).toEqual([ 0, '' ]);
  });
});
