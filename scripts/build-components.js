// Describes the classes of the package for Components.js. The generator takes 8 s of CPU, so it runs only if a file that
// it reads or writes has changed since it last ran.
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const root = join(__dirname, '..');
const described = 'components';
const generator = [
  require.resolve('componentsjs-generator/bin/componentsjs-generator.js'),
  '-s',
  'dist',
  '-c',
  described,
  '-r',
  'data-sharing',
  '-i',
  '.componentsignore',
  '-l',
  'error',
];
const stamp = join(root, 'node_modules/.cache/css-data-sharing/components');

/** Lists files of a folder of the package, by their paths in the package. */
function list(folder, ending) {
  return existsSync(join(root, folder)) ?
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith(ending))
        .map(name => join(folder, name)) :
      [];
}

/** Returns a digest of everything that the generator reads and writes, with the lock file for all other packages. */
function digest() {
  const hash = createHash('sha256');
  const files = [
    'package.json',
    '.componentsignore',
    'node_modules/.package-lock.json',
    join('scripts', 'build-components.js'),
    ...list('dist', '.d.ts'),
    ...list(described, '.jsonld'),
  ];
  for (const file of files.sort()) {
    const content = readFileSync(join(root, file));
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest()) {
  execFileSync(process.execPath, generator, { cwd: root, stdio: 'inherit' });
  mkdirSync(dirname(stamp), { recursive: true });
  // Replaces the file instead of overwriting it, because copies of the folder may share it by hard links.
  writeFileSync(`${stamp}.new`, digest());
  renameSync(`${stamp}.new`, stamp);
}
