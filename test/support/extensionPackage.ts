import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');
const run = promisify(execFile);

/**
 * Builds a package that extends this one, as its author would: compiled against the exports of this package, with its
 * components described by the generator.
 *
 * @param folder - Folder to create.
 */
export async function buildExtensionPackage(folder: string): Promise<void> {
  await cp(join(root, 'test/fixtures/extension-package'), folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  for (const [ name, target ] of [
    [ 'css-data-sharing', root ],
    [ '@solid/community-server', join(root, 'node_modules/@solid/community-server') ],
    [ '@types/node', join(root, 'node_modules/@types/node') ],
  ]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(target, join(modules, name));
  }
  await build(folder, 'typescript/bin/tsc', []);
  await build(folder, 'componentsjs-generator/bin/componentsjs-generator.js', [
    '-s',
    'dist',
    '-c',
    'components',
    '-r',
    'example',
    '-l',
    'error',
  ]);
}

async function build(folder: string, tool: string, words: string[]): Promise<void> {
  const { JEST_WORKER_ID: _, ...env } = process.env;
  const program = join(root, 'node_modules', tool);
  const { stdout, stderr } = await run(process.execPath, [ program, ...words ], { cwd: folder, env });
  expect([ tool, stdout, stderr ]).toEqual([ tool, '', '' ]);
}
