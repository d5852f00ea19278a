import { join } from 'node:path';
import { schemaCompiler } from '../../platform/jsonSchema';
import { readSettingFile } from '../../platform/readSettingFile';
import { parseSettings, settingsProblem } from '../../sources/settings';

/** A data model for networks, as described by `model.json` in its folder. */
export interface NetworkModel {
  /** At least 2.3. */
  version: string;
  /** Namespace of the root element of every document, different for each version. */
  namespace: string;
  /** XSD file in the folder. */
  schema: string;
  /** Local names of network elements, such as cables and pipes. */
  networks: string[];
  /** Local names of link elements: a network element refers to each of them by `href="#id"`. */
  links: string[];
  /** Elements that name files, and their attributes or children with the name and the media type. */
  attachments: { elements: string[]; file: string; mediaType: string };
}

/** A data model and its folder. */
export interface OpenNetworkModel extends NetworkModel {
  folder: string;
}

const text = { type: 'string', minLength: 1, maxLength: 500 };
const names = { type: 'array', items: text };
const isModel = schemaCompiler().compile<NetworkModel>({
  type: 'object',
  properties: {
    version: { type: 'string', pattern: '^\\d{1,3}\\.\\d{1,3}(?:\\.\\d{1,3})?$' },
    namespace: text,
    schema: { ...text, pattern: '^[\\w.-]+\\.xsd$' },
    networks: { ...names, minItems: 1 },
    links: names,
    attachments: {
      type: 'object',
      properties: { elements: names, file: text, mediaType: text },
      required: [ 'elements', 'file', 'mediaType' ],
      additionalProperties: false,
    },
  },
  required: [ 'version', 'namespace', 'schema', 'networks', 'links', 'attachments' ],
  additionalProperties: false,
});

/**
 * Reads `model.json` of a folder.
 *
 * @throws Error that names the flag, or the file and the member.
 */
export async function readNetworkModel(folder: string): Promise<OpenNetworkModel> {
  const file = join(folder, 'model.json');
  const model = parseSettings(file, await readSettingFile('--networkModel', file));
  if (!isModel(model)) {
    throw settingsProblem(file, isModel.errors);
  }
  const [ major, minor ] = model.version.split('.').map(Number);
  if (major < 2 || (major === 2 && minor < 3)) {
    throw new Error(`${file}: /version must be at least 2.3`);
  }
  await readSettingFile('--networkModel', join(folder, model.schema));
  return { ...model, folder };
}
