// A second componentsjs at any depth breaks the start of the server: fail early.
const { execFileSync } = require('node:child_process');

/** Finds the versions of a package in the installed tree. */
function versions(tree, name, found = new Set()) {
  for (const [ key, child ] of Object.entries(tree.dependencies ?? {})) {
    if (key === name && child.version) {
      found.add(child.version);
    }
    versions(child, name, found);
  }
  return found;
}

const tree = JSON.parse(execFileSync('npm', [ 'ls', 'componentsjs', '--all', '--json' ], { encoding: 'utf8' }));
const found = [ ...versions(tree, 'componentsjs') ];
if (found.length !== 1 || !found[0].startsWith('5.')) {
  console.error(`One componentsjs 5 must be installed, the one of the Solid server. Found: ${found.join(', ') || 'none'}`);
  process.exit(1);
}
console.log(`componentsjs ${found[0]}, once`);
