import { readFile, stat } from 'node:fs/promises';
import { schemaCompiler } from '../platform/jsonSchema';
import { NotEnabled } from '../problems';
import { parseEndpoint, parseSettings, settingsProblem } from '../sources/settings';
import type { Building, Buildings } from './Buildings';
import { FileBuildings } from './FileBuildings';
import { HttpBuildings } from './HttpBuildings';

const isHttpSettings = schemaCompiler().compile<{ kind: 'http'; endpoint: string; paths: string[] }>({
  type: 'object',
  properties: {
    kind: { const: 'http' },
    endpoint: { type: 'string', minLength: 1 },
    paths: { type: 'array', items: { type: 'string' }, minItems: 1 },
  },
  required: [ 'kind', 'endpoint', 'paths' ],
  additionalProperties: false,
});

/**
 * The building register that `--buildings` names: a folder, or a JSON file `{"kind": "http", "endpoint", "paths"}`,
 * where each of `paths` is a regular expression that the whole of a path without its first slash can match.
 *
 * Expressions are tested against paths of strangers: one that takes exponential time stops the server.
 *
 * @param setting - Path of the folder or file; without one, every document is the problem NotEnabled.
 *
 * @throws Error that names the flag, or file and member.
 */
export async function openBuildings(setting?: string): Promise<Buildings> {
  if (!setting) {
    return { find: async(): Promise<Building> => {
      throw new NotEnabled();
    } };
  }
  return await isFolder(setting) ? new FileBuildings(setting) : openFile(setting);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause: unknown) {
    throw new Error(`--buildings: ${path} cannot be read`, { cause });
  }
}

async function openFile(file: string): Promise<Buildings> {
  const settings = parseSettings(file, await readFile(file, 'utf8'));
  if (!isHttpSettings(settings)) {
    throw settingsProblem(file, isHttpSettings.errors);
  }
  const paths = settings.paths.map((path, at): RegExp => anchor(file, `paths/${at}`, path));
  return new HttpBuildings(parseEndpoint(file, 'endpoint', settings.endpoint), paths);
}

function anchor(file: string, member: string, pattern: string): RegExp {
  try {
    // First alone: wrapped, a pattern with unbalanced brackets could mean something else.
    new RegExp(pattern, 'u').test('');
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch (cause: unknown) {
    throw new Error(`${file}: /${member} is not a regular expression`, { cause });
  }
}
