import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../support/world';

const deploy = join(__dirname, '../../deploy');

function isThere(command: string, version = '--version'): boolean {
  return spawnSync(command, [ version ]).status === 0;
}

const withSystemd = isThere('systemd-analyze') ? it : it.skip;
const withNginx = isThere('nginx', '-v') && isThere('openssl', 'version') ? it : it.skip;

describe('The files of deploy/', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
  });

  afterEach(async(): Promise<void> => removeFolder(folder));

  withSystemd('give the service of systemd few rights.', (): void => {
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

  withNginx.each([ 'nginx.conf', 'nginx-tls.conf' ])('are configurations that nginx takes: %s.', (name): void => {
    const [ key, certificate ] = [ join(folder, 'privkey.pem'), join(folder, 'fullchain.pem') ];
    const self = [ 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=data.example' ];
    expect(spawnSync('openssl', [ ...self, '-keyout', key, '-out', certificate ]).status).toBe(0);
    const file = join(folder, name);
    copyFileSync(join(deploy, name), file);
    // Names that are known in the network of the containers only.
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/node-\d:/gu, '127.0.0.1:')
      .replaceAll('/etc/nginx/tls', folder)
      .replace('worker_processes auto;', `worker_processes auto;\npid ${join(folder, 'nginx.pid')};`)
      .replace('pid /tmp/nginx.pid;\n', ''));
    const { status, stderr } = spawnSync('nginx', [ '-t', '-c', file ], { encoding: 'utf8' });
    expect([ status, status === 0 ? '' : stderr ]).toEqual([ 0, '' ]);
  });
});
