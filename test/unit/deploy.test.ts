/* eslint-disable jest/require-top-level-describe -- a describe that is skipped where the tools are missing */
/* eslint-disable no-console -- tests that are skipped say so */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProgram, flattenDiagnosticMessageText, getPreEmitDiagnostics, ModuleKind } from 'typescript';
import { parseAllDocuments } from 'yaml';
import { serverFlags, variableOf } from '../../src/cli/serverSettings';
import { removeFolder, temporaryFolder } from '../support/world';

const deploy = join(__dirname, '../../deploy');

/** Modules of `kubernetes-types` by the version of the API that they describe. */
const modules: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'networking.k8s.io/v1': 'networking/v1',
  'policy/v1': 'policy/v1',
};

function isThere(command: string, version = '--version'): boolean {
  return spawnSync(command, [ version ]).status === 0;
}

function namesOf(list: { name: string }[]): string[] {
  return list.map(({ name }): string => name);
}

function describeWith(tool: string, isInstalled: boolean): typeof describe.skip {
  if (!isInstalled) {
    console.warn(`${tool} is not installed: its files in deploy/ are not checked here.`);
  }
  return isInstalled ? describe : describe.skip;
}

const describeWithSystemd = describeWith('systemd', isThere('systemd-analyze'));
const describeWithNginx = describeWith('nginx', isThere('nginx', '-v') && isThere('openssl', 'version'));

let folder: string;

beforeEach(async(): Promise<void> => {
  folder = await temporaryFolder();
});

afterEach(async(): Promise<void> => removeFolder(folder));

describeWithSystemd('The unit for systemd', (): void => {
  test('is valid, and gives the service few rights.', (): void => {
    const unit = join(folder, 'css-data-sharing.service');
    // The Node.js of this process.
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
    // Names that only resolve in the containers' network, and paths that the test cannot write to.
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

describe('The manifests for Kubernetes', (): void => {
  interface Manifest extends Record<string, unknown> {
    apiVersion: string;
    kind: string;
  }

  const text = readFileSync(join(deploy, 'kubernetes.yaml'), 'utf8');
  const documents = parseAllDocuments(text, { merge: true });
  const manifests = documents.map((document): Manifest => document.toJS() as Manifest);

  /** Returns the manifest of a kind, whatever its shape. */
  function find(kind: string): any {
    return manifests.find((manifest): boolean => manifest.kind === kind);
  }

  it('have the members that the API has, and no others.', (): void => {
    expect(documents.flatMap(({ errors, warnings }): unknown[] => [ ...errors, ...warnings ])).toEqual([]);
    // The types of the API, made from its OpenAPI document, refuse what they do not know in a literal.
    const lines = manifests.flatMap(({ apiVersion, kind, ...rest }, index): string[] => [
      `import type { ${kind} as Kind${index} } from 'kubernetes-types/${modules[apiVersion]}';`,
      `export const manifest${index}: Kind${index} = ${JSON.stringify({ apiVersion, kind, ...rest })};`,
    ]);
    const file = join(__dirname, 'kubernetes-manifests.ts');
    writeFileSync(file, lines.join('\n'));
    try {
      const program = createProgram([ file ], { strict: true, noEmit: true, module: ModuleKind.CommonJS, types: []});
      expect(getPreEmitDiagnostics(program).map(({ messageText }): string =>
        flattenDiagnosticMessageText(messageText, '; '))).toEqual([]);
    } finally {
      rmSync(file);
    }
  });

  it('start two nodes with existing settings, secrets as files, and probes.', (): void => {
    const variables = new Set(serverFlags().map(({ name }): string => variableOf(name)));
    expect(Object.keys(find('ConfigMap').data).filter((name): boolean => !variables.has(name))).toEqual([]);
    const { replicas, selector, template: { metadata, spec }} = find('Deployment').spec;
    expect(replicas).toBe(2);
    expect(metadata.labels).toEqual(selector.matchLabels);
    expect(find('Service').spec.selector).toEqual(selector.matchLabels);
    const [ server ] = spec.containers;
    expect([ server.env, server.envFrom ]).toEqual([ undefined, [{ configMapRef: find('ConfigMap').metadata }]]);
    expect(server.livenessProbe.httpGet.path).toBe('/.health/live');
    expect(server.readinessProbe.httpGet.path).toBe('/.health/ready');
    const drainSeconds = Number(find('ConfigMap').data.CSS_DRAIN_SECONDS);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + 30);
    expect(drainSeconds).toBeGreaterThan(server.readinessProbe.periodSeconds * server.readinessProbe.failureThreshold);
    const volumes = namesOf(spec.volumes);
    for (const { securityContext, volumeMounts } of [ ...spec.initContainers, server ]) {
      expect(volumes).toEqual(expect.arrayContaining(namesOf(volumeMounts)));
      expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
    }
  });

  it('give the server keys that only their owner can read, and addresses from files.', (): void => {
    const { containers: [ server ], initContainers: [ keys ] } = find('Deployment').spec.template.spec;
    function run([ shell, flag, script ]: string[]): string {
      const here = script.replaceAll('/secrets', join(folder, 'secrets')).replaceAll('/data', join(folder, 'data'))
        .replace('exec node /app/bin/css-data-sharing.js', 'exec printenv CSS_RECORDS REDIS_URL #');
      const { status, stderr, stdout } = spawnSync(shell, [ flag, here ], { encoding: 'utf8' });
      expect([ status, stderr ]).toEqual([ 0, '' ]);
      return stdout;
    }
    for (const path of [ 'secrets/keys', 'secrets/urls', 'data/keys' ]) {
      mkdirSync(join(folder, path), { recursive: true });
    }
    // Before there are any.
    run(keys.command);
    writeFileSync(join(folder, 'secrets/keys/encryption.key'), 'a key', { mode: 0o440 });
    writeFileSync(join(folder, 'secrets/urls/records'), 'postgres://a:b c@db/records');
    writeFileSync(join(folder, 'secrets/urls/redis'), 'redis://:$HOME@redis');
    run(keys.command);
    const copied = join(folder, 'data/keys/encryption.key');
    expect([ readFileSync(copied, 'utf8'), statSync(copied).mode & 0o777 ]).toEqual([ 'a key', 0o600 ]);
    expect(run(server.command)).toBe('postgres://a:b c@db/records\nredis://:$HOME@redis\n');
  });
});

describe('The documents of an operator', (): void => {
  const folders = [ 'contracts', 'purposes', 'dataUsers', 'sources' ];

  it.each([ 'compose.yaml', 'deploy/kubernetes.yaml' ])('have a place in %s.', (file): void => {
    const text = readFileSync(join(__dirname, '../..', file), 'utf8');
    for (const variable of folders.map(variableOf)) {
      const [ , folder = '' ] = new RegExp(`^ +${variable}: /data/([a-z-]+)`, 'mu').exec(text) ?? [];
      expect([ variable, folder ]).not.toContain('');
      expect(text).toMatch(new RegExp(`:/data/${folder}:ro|mountPath: /data/${folder}, readOnly: true`, 'u'));
    }
  });
});
