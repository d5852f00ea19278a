import type { SettingsPlace } from '../sources/SettingsKind';
import { parseEndpoint } from '../sources/settings';
import type { BuildingKind } from './BuildingKind';
import type { Buildings } from './Buildings';
import { HttpBuildings } from './HttpBuildings';

/**
 * Registers behind HTTP: `{"kind": "http", "endpoint", "paths"}`, where each of `paths` is a regular expression for a
 * whole path without its first slash.
 *
 * Any caller can choose the tested paths: an expression that takes exponential time stops the server.
 */
export class HttpBuildingKind implements BuildingKind {
  public readonly kind = 'http';
  public readonly schema = {
    properties: {
      endpoint: { type: 'string', minLength: 1 },
      paths: { type: 'array', items: { type: 'string' }, minItems: 1 },
    },
    required: [ 'endpoint', 'paths' ],
  };

  public open({ endpoint, paths }: { endpoint: string; paths: string[] }, place: SettingsPlace): Buildings {
    const patterns = paths.map((path, at): RegExp => anchor(path, `paths/${at}`, place));
    return new HttpBuildings(parseEndpoint(endpoint, 'endpoint', place), patterns);
  }
}

function anchor(pattern: string, member: string, { mistake }: SettingsPlace): RegExp {
  try {
    // First alone: wrapped, a pattern with unbalanced brackets could mean something else.
    new RegExp(pattern, 'u').test('');
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch {
    throw mistake(member, 'is not a regular expression');
  }
}
