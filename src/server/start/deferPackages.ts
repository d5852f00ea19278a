import { Module } from 'node:module';
import { requireOfServer, serverManifest } from '../requireOfServer';

/**
 * Packages that the server loads at its start, although few requests or configurations use them: together, two
 * fifths of all modules. Each is compiled from ES modules, or its members are imported by name.
 */
const rarelyUsed = [
  '@comunica/query-sparql',
  '@solid/access-token-verifier',
  'ejs',
  'handlebars',
  'ioredis',
  'nodemailer',
  'rdf-dereference',
  'rdf-serialize',
  'sparqlalgebrajs',
];

/** Makes the server load these packages at their first use. Call it before the server is imported. */
export function deferPackages(): void {
  const { dependencies } = requireOfServer(serverManifest) as { dependencies: Record<string, string> };
  for (const name of rarelyUsed.filter((each): boolean => each in dependencies)) {
    defer(requireOfServer.resolve(name));
  }
}

function defer(path: string): void {
  const { cache } = requireOfServer;
  let exports: object | undefined;
  function load(): object {
    if (!exports) {
      delete cache[path];
      exports = requireOfServer(path) as object;
    }
    return exports;
  }
  const deferred = new Module(path);
  deferred.exports = new Proxy({}, {
    // Compiled code asks for this on import.
    get: (_, key): unknown => key === '__esModule' ? true : Reflect.get(load(), key),
  });
  deferred.loaded = true;
  cache[path] ??= deferred;
}
