import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { ComponentsManager } from 'componentsjs';

const seeAlso = 'http://www.w3.org/2000/01/rdf-schema#seeAlso';
/** Contexts that come with Components.js. */
const ownContexts = new Set([ 3, 4, 5 ].map((major): string =>
  `https://linkedsoftwaredependencies.org/bundles/npm/componentsjs/^${major}.0.0/components/context.jsonld`));

type Manifest = Record<string, Record<string, string> | undefined>;
type Read = Pick<ComponentsManager<unknown>, 'moduleState' | 'objectLoader'>;

/**
 * Lists the files that Components.js read: configurations, descriptions of components with all their imports, and
 * JSON-LD contexts.
 *
 * @returns Undefined when something was read over the network, because changes there go unnoticed.
 */
export function listReadFiles(manager: Read, configs: readonly string[]): string[] | undefined {
  const { moduleState: { packageJsons, componentModules, contexts, importPaths }, objectLoader } = manager;
  const imported = Object.values(objectLoader.resources)
    .flatMap(({ propertiesUri }): { value: string }[] => propertiesUri[seeAlso] ?? [])
    .map(({ value }): string => pathOf(value, importPaths));
  const contextFiles = Object.entries<Manifest>(packageJsons)
    .flatMap(([ folder, manifest ]): string[] => Object.values(manifest['lsd:contexts'] ?? {})
      .map((file): string => posix.join(folder, file)));
  const files = [ ...configs, ...Object.values(componentModules), ...imported, ...contextFiles ]
    .map((file): string => file.startsWith('file://') ? file.slice('file://'.length) : file);
  const isLocal = files.every((file): boolean => !/^https?:\/\//u.test(file) && hasKnownContexts(file, contexts));
  return isLocal ? files : undefined;
}

/** Returns the file of an import, as Components.js finds it. */
function pathOf(iri: string, importPaths: Record<string, string>): string {
  const target = decodeURI(iri);
  const prefix = Object.keys(importPaths).find((candidate): boolean => target.startsWith(candidate));
  return prefix === undefined ? target : join(importPaths[prefix], target.slice(prefix.length));
}

/** Returns false when a document may refer to a context that Components.js would fetch. */
function hasKnownContexts(file: string, contexts: Record<string, unknown>): boolean {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('@context') && !text.includes('@import')) {
    return true;
  }
  return namesOfContexts(JSON.parse(text)).every((name): boolean => name in contexts || ownContexts.has(name));
}

function namesOfContexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([ key, member ]): string[] => [
    ...key === '@context' || key === '@import' ? [ member ].flat().filter(isString) : [],
    ...namesOfContexts(member),
  ]);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
