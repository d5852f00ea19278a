import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseOwn } from '../../platform/ownJson';

/**
 * Returns a digest of every package that Components.js would find from a folder: paths and content of their
 * `package.json`.
 *
 * Components.js searches the `node_modules` of the folder, of the folders above, and of every package found there.
 *
 * @param mainModulePath - Absolute path without symbolic links.
 */
export function digestPackages(mainModulePath: string): string {
  const packages = new Map<string, Buffer | undefined>();
  for (let folder = mainModulePath; folder !== dirname(folder); folder = dirname(folder)) {
    addPackage(folder, packages);
  }
  const hash = createHash('sha256');
  for (const [ folder, manifest ] of [ ...packages ].sort(([ a ], [ b ]): number => a < b ? -1 : 1)) {
    if (manifest) {
      hash.update(`${folder} ${manifest.length} ${describeBuilt(folder, manifest)}\n`).update(manifest);
    }
  }
  return hash.digest('hex');
}

/**
 * Returns a digest of files: their paths and content.
 *
 * @throws Error when a file cannot be read.
 */
export function digestOfFiles(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function addPackage(folder: string, packages: Map<string, Buffer | undefined>): void {
  if (packages.has(folder)) {
    return;
  }
  packages.set(folder, readManifest(folder));
  const modules = join(folder, 'node_modules');
  for (const entry of listFolder(modules)) {
    const path = realFolder(modules, entry);
    if (path === undefined) {
      continue;
    }
    if (!entry.name.startsWith('@')) {
      addPackage(path, packages);
      continue;
    }
    for (const scoped of listFolder(path)) {
      const scopedPath = realFolder(path, scoped);
      if (scopedPath !== undefined) {
        addPackage(scopedPath, packages);
      }
    }
  }
}

function readManifest(folder: string): Buffer | undefined {
  const file = join(folder, 'package.json');
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : undefined;
}

function listFolder(folder: string): Dirent[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

/** Returns undefined for files, hidden folders and broken links. */
function realFolder(parent: string, entry: Dirent): string | undefined {
  if (entry.name.startsWith('.')) {
    return;
  }
  const path = join(parent, entry.name);
  if (entry.isDirectory()) {
    return path;
  }
  return entry.isSymbolicLink() && existsSync(path) ? realpathSync(path) : undefined;
}

/** Lists the folders that Components.js looks for when `lsd:module` is true, one character for each. */
function describeBuilt(folder: string, manifest: Buffer): string {
  if (!manifest.includes('"lsd:module"')) {
    return '';
  }
  const { 'lsd:basePath': base = '' } = parseOwn<Record<string, string>>(manifest.toString());
  return [ 'components/components.jsonld', 'components/context.jsonld', 'components', 'config' ]
    .map((name): string => existsSync(join(folder, base, name)) ? '1' : '0').join('');
}
