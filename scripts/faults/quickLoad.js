'use strict';

// Preloaded: caches found, read and compiled modules for later processes, because loading them is most of the work of a
// short-lived server.

const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

const file = process.env.QUICK_LOAD_FILE;
const separator = '\n';

/** Files of an earlier process: source and compiled code by file name, and file names by request and its origin. */
function readLoaded() {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch {
    return;
  }
  const end = bytes.indexOf(separator);
  const { places, resolved } = JSON.parse(bytes.subarray(0, end).toString());
  const modules = new Map();
  let start = end + 1;
  for (const [ name, encoding, sourceLength, codeLength ] of places) {
    const middle = start + sourceLength;
    const code = bytes.subarray(middle, middle + codeLength);
    modules.set(name, { source: () => bytes.toString(encoding, middle - sourceLength, middle), code });
    start = middle + codeLength;
  }
  return { modules, resolved };
}

const loaded = readLoaded();
const resolved = loaded?.resolved ?? {};
const scripts = new Map();

function run(target, script, filename) {
  const require = Object.assign(id => target.require(id), {
    resolve: (request, options) => Module._resolveFilename(request, target, false, options),
    main: process.mainModule,
    extensions: Module._extensions,
    cache: Module._cache,
  });
  const wrapper = script.runInThisContext();
  return wrapper.call(target.exports, target.exports, require, target, filename, dirname(filename));
}

const loadScript = Module._extensions['.js'];
Module._extensions['.js'] = function(target, filename) {
  const known = loaded?.modules.get(filename);
  if (known) {
    run(target, new Script(known.source(), { filename, cachedData: known.code }), filename);
  } else {
    loadScript(target, filename);
  }
};

const compile = Module.prototype._compile;
Module.prototype._compile = function(content, filename, format) {
  // ES modules and dynamic imports need the loader of Node.js.
  if (loaded || format === 'module' || /^(?:import|export)\b|\bimport\(/mu.test(content) || content.startsWith('#!')) {
    return compile.call(this, content, filename, format);
  }
  const script = new Script(Module.wrap(content), { filename });
  scripts.set(filename, { content, script });
  return run(this, script, filename);
};

const resolve = Module._resolveFilename;
Module._resolveFilename = function(request, parent, isMain, options) {
  if (options || isMain || !parent?.filename) {
    return resolve.call(this, request, parent, isMain, options);
  }
  const key = `${dirname(parent.filename)} ${request}`;
  resolved[key] ??= resolve.call(this, request, parent, isMain, options);
  return resolved[key];
};

/** Writes the cache; called when everything has been loaded. */
function writeLoaded() {
  const places = [];
  const parts = [];
  for (const [ name, { content, script }] of scripts) {
    const wrapped = Module.wrap(content);
    const source = Buffer.from(wrapped);
    const code = script.createCachedData();
    // ASCII text need not be decoded.
    places.push([ name, source.length === wrapped.length ? 'latin1' : 'utf8', source.length, code.length ]);
    parts.push(source, code);
  }
  const head = Buffer.from(JSON.stringify({ places, resolved }) + separator);
  writeFileSync(`${file}.new`, Buffer.concat([ head, ...parts ]));
  renameSync(`${file}.new`, file);
}

module.exports = { writeLoaded };
