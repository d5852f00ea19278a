// Fails if componentsjs is installed twice, at any depth, because the server could not start.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** The record that npm keeps of installed packages; `npm ls` would take two seconds. */
const { packages } = JSON.parse(readFileSync(join(__dirname, '../node_modules/.package-lock.json'), 'utf8'));
const installed = Object.entries(packages).filter(([ path ]) => path.endsWith('node_modules/componentsjs'));
const found = [ ...new Set(installed.flatMap(([ , { version }]) => version ?? [])) ];
if (found.length !== 1 || !found[0].startsWith('5.')) {
  console.error(`One componentsjs 5 must be installed, the one of the Solid server. Found: ${found.join(', ') || 'none'}`);
  process.exit(1);
}
console.log(`componentsjs ${found[0]}, once`);
