import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const componentsContext =
  'https://linkedsoftwaredependencies.org/bundles/npm/componentsjs/^5.0.0/components/context.jsonld';
const moduleIri = 'https://linkedsoftwaredependencies.org/bundles/npm/small-server';
const small = `${moduleIri}/^1.0.0/components/App.jsonld#`;
const singleThreaded = 'https://linkedsoftwaredependencies.org/bundles/npm/@solid/community-server/^7.0.0/' +
  'dist/init/cluster/SingleThreaded.jsonld#SingleThreaded';

/** The object that a start makes last, with the options of its constructor. */
export interface SmallApp {
  options: Record<string, unknown>;
}

const code = `
class Part {
  constructor(options) { this.options = options; }
}
class Extractor {
  async handleSafe(argv) { return { words: argv }; }
}
class Resolver {
  constructor({ variables }) { this.variables = variables; }
  async handleSafe() { return this.variables; }
}
class CliResolver {
  constructor(options) { Object.assign(this, options); }
}
class App extends Part {
  constructor(options) {
    super(options);
    if (options.failure) { throw new Error(options.failure); }
    this.clusterManager = { isSingleThreaded: () => options.workers !== 2 };
  }
}
module.exports = { App, CliResolver, Extractor, Part, Resolver, standing: { element: [ 'as', 'it', 'is' ] } };
`;

const parameters: Record<string, Record<string, unknown>> = {
  Part: { name: 'xsd:string', next: undefined },
  App: {
    name: 'xsd:string',
    workers: 'xsd:integer',
    isOpen: 'xsd:boolean',
    share: 'xsd:double',
    settings: 'rdf:JSON',
    first: undefined,
    second: undefined,
    parts: { '@type': 'ParameterRangeArray', parameterRangeValue: 'xsd:string' },
    failure: 'xsd:string',
    late: undefined,
  },
  Resolver: { variables: 'rdf:JSON' },
  CliResolver: { cliExtractor: undefined, shorthandResolver: undefined },
  Extractor: {},
};

function describeClass(name: string): object {
  const fields = Object.entries(parameters[name]);
  return {
    '@id': `small:${name}`,
    '@type': 'Class',
    requireElement: name,
    parameters: fields.map(([ field, range ]): object => ({
      '@id': `small:${name}_${field}`,
      ...range === undefined ? {} : { range },
      ...field === 'late' ? { lazy: true } : {},
    })),
    constructorArguments: [{
      fields: fields.map(([ field ]): object => ({ keyRaw: field, value: { '@id': `small:${name}_${field}` }})),
    }],
  };
}

/** A package in its own folder, with classes for Components.js and configurations that use them. */
export class SmallServer {
  public readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Writes the package to an existing folder. */
  public static async write(parent: string): Promise<SmallServer> {
    const server = new SmallServer(join(await realpath(parent), 'small-server'));
    await mkdir(join(server.folder, 'components'), { recursive: true });
    await mkdir(join(server.folder, 'node_modules'));
    await server.writeManifest();
    await writeFile(join(server.folder, 'index.js'), code);
    await server.writeComponents();
    await server.writeConfig('resolver.json', [
      {
        '@id': 'urn:solid-server-app-setup:default:CliResolver',
        '@type': 'small:CliResolver',
        'small:CliResolver_cliExtractor': { '@type': 'small:Extractor' },
        'small:CliResolver_shorthandResolver': {
          '@type': 'small:Resolver',
          'small:Resolver_variables': { '@type': '@json', '@value': { 'urn:small:variable:name': 'of a variable' }},
        },
      },
    ]);
    return server;
  }

  /** Path of a configuration. */
  public config(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a configuration, which may import others. */
  public async writeConfig(name: string, graph: object[], context: object | string = {}, imported: string[] = []):
  Promise<string> {
    const terms = { small, 'small:App_settings': { '@id': 'small:App_settings', '@type': '@json' }};
    const document = { '@context': [ componentsContext, terms, context ], import: imported, '@graph': graph };
    await writeFile(this.config(name), JSON.stringify(document));
    return this.config(name);
  }

  /** Writes a configuration of the object that a start makes last. */
  public async writeApp(options: Record<string, unknown>, context?: object | string): Promise<string> {
    const members = Object.entries(options)
      .map(([ name, value ]): [ string, unknown ] => [ `small:App_${name}`, value ]);
    return this.writeConfig('app.json', [
      { '@id': 'urn:solid-server:default:App', '@type': 'small:App', ...Object.fromEntries(members) },
    ], context);
  }

  public async writeManifest(version = '1.0.0'): Promise<void> {
    await writeFile(join(this.folder, 'package.json'), JSON.stringify({
      name: 'small-server',
      version,
      main: './index.js',
      'lsd:module': moduleIri,
      'lsd:components': 'components/components.jsonld',
      'lsd:importPaths': { [`${moduleIri}/^1.0.0/components/`]: 'components/' },
    }));
  }

  /** Describes the classes; those of one name as unsuitable for several processes. */
  public async writeComponents(unfit?: string): Promise<void> {
    await writeFile(join(this.folder, 'components/components.jsonld'), JSON.stringify({
      '@context': [ componentsContext ],
      '@id': moduleIri,
      '@type': 'Module',
      requireName: 'small-server',
      import: [ `${moduleIri}/^1.0.0/components/App.jsonld` ],
    }));
    const base = { '@id': singleThreaded, '@type': 'AbstractClass', requireElement: 'SingleThreaded' };
    const classes = Object.keys(parameters).map(describeClass)
      .map((described): object => ({
        ...described,
        ...(described as { requireElement: string }).requireElement === unfit && { extends: [ singleThreaded ]},
      }));
    await writeFile(join(this.folder, 'components/App.jsonld'), JSON.stringify({
      '@context': [ componentsContext, { small, rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#' }],
      '@id': moduleIri,
      components: [
        ...classes,
        ...unfit === undefined ? [] : [ base ],
      ],
    }));
  }
}
