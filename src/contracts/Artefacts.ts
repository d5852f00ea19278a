import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compact, fromRDF } from 'jsonld';
import type { Quad, Store } from 'n3';
import type { DataType, DataTypeCatalogue, I18nString } from '../data-types/DataType';
import { shippedArtefacts } from '../data-types/ShaclDataTypes';
import type { TurtleFile } from '../data-types/turtle';
import { parseTurtle, readTurtle } from '../data-types/turtle';
import type { Mistakes } from '../platform/Mistakes';
import { ownIris, SKOS } from '../vocabulary';
import type { DataUsers } from './DataUsers';
import { loadPurposes } from './Purposes';

/** A form in which an artefact is served. */
export interface ArtefactForm {
  contentType: 'text/turtle' | 'application/ld+json';
  body: Buffer;
  /** Strong entity tag, with its quotes. */
  etag: string;
}

/** Dependencies and settings of {@link Artefacts}. */
export interface ArtefactsOptions {
  /** The server's base URL. */
  base: string;
  dataTypes: DataTypeCatalogue;
  dataUsers: Pick<DataUsers, 'list'>;
  /** `--purposes`: folder of purpose documents; may be absent. */
  purposes: string;
}

/** The linked data that this server publishes about itself: vocabulary, contract context, data types and purposes. */
export class Artefacts {
  private constructor(
    private artefacts: Map<string, ArtefactForm[]>,
    private labels: Map<string, I18nString[]>,
  ) {}

  /** Number of purposes. */
  public get purposes(): number {
    return this.labels.size;
  }

  /**
   * Reads and checks all artefacts.
   *
   * @param options - Content of the artefacts.
   * @param options.base - The server's base URL.
   * @param options.dataTypes - Data types of the server.
   * @param options.dataUsers - Data users that the operator describes.
   * @param options.purposes - `--purposes`.
   * @param mistakes - Collects mistakes, naming the file and the wrong member.
   */
  public static async load(
    { base, dataTypes, dataUsers, purposes }: ArtefactsOptions,
    mistakes: Mistakes,
  ): Promise<Artefacts> {
    const graphs = new Map<string, Omit<TurtleFile, 'file'>>([
      [ '/v1/ns/core', await readTurtle(join(shippedArtefacts, 'ns/core.ttl'), base) ],
      [ '/v1/data-types/base', await baseScheme(base, dataTypes) ],
      ...dataTypes.list().map(({ slug, turtle }: DataType): [string, Omit<TurtleFile, 'file'>] =>
        [ `/v1/data-types/${slug}`, { turtle, store: parseTurtle(turtle, base) }]),
      ...dataUsers.list().map(({ uri, turtle }): [string, Omit<TurtleFile, 'file'>] =>
        [ new URL(uri).pathname, { turtle, store: parseTurtle(turtle, base) }]),
    ]);
    const labels = new Map<string, I18nString[]>();
    for (const [ name, purpose ] of await loadPurposes(purposes, base, mistakes)) {
      graphs.set(`/v1/purposes/${name}`, purpose);
      labels.set(`${base}v1/purposes/${name}`, purpose.labels);
    }
    const artefacts = new Map([[ '/v1/contexts/contract/2024-10-08', [ await contractContext(base) ]]]);
    for (const [ path, { turtle, store }] of graphs) {
      artefacts.set(path, [ representation('text/turtle', turtle), await jsonLd(store, base) ]);
    }
    return new Artefacts(artefacts, labels);
  }

  /** Replaces the documents by those of another instance. */
  public adopt({ artefacts, labels }: Artefacts): void {
    this.artefacts = artefacts;
    this.labels = labels;
  }

  /**
   * Returns the forms in which the artefact at a path can be served, the preferred one first.
   *
   * @param path - Path of the URL, decoded, without query: `/v1/ns/core`.
   */
  public find(path: string): ArtefactForm[] | undefined {
    return this.artefacts.get(path);
  }

  /** Returns the names of a purpose, if it is one of this server's. */
  public purposeLabels(iri: string): I18nString[] | undefined {
    return this.labels.get(iri);
  }
}

/** Builds the scheme of all data types: shipped ones and those of the operator. */
async function baseScheme(base: string, dataTypes: DataTypeCatalogue): Promise<Omit<TurtleFile, 'file'>> {
  const { turtle } = await readTurtle(join(shippedArtefacts, 'data-types/base.ttl'), base);
  const concepts = dataTypes.list().map(({ iri }: DataType): string => `<${iri}>`);
  const listed = `${turtle}\n</v1/data-types/base> <${SKOS.hasTopConcept}> ${concepts.join(', ')} .\n`;
  return { turtle: listed, store: parseTurtle(listed, base) };
}

function representation(contentType: ArtefactForm['contentType'], text: string): ArtefactForm {
  const body = Buffer.from(text);
  return { contentType, body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** Turns paths in the shipped context into URLs: relative IRIs in a remote context have no base. */
async function contractContext(base: string): Promise<ArtefactForm> {
  const text = await readFile(join(shippedArtefacts, 'contexts/contract/2024-10-08.jsonld'), 'utf8');
  return representation('application/ld+json', text.replaceAll('"/v1/', `"${base}v1/`));
}

async function jsonLd(store: Store, base: string): Promise<ArtefactForm> {
  const context = {
    core: ownIris(base).core,
    oidc: 'http://www.w3.org/ns/solid/oidc#',
    owl: 'http://www.w3.org/2002/07/owl#',
    rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
    rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
    sh: 'http://www.w3.org/ns/shacl#',
    skos: 'http://www.w3.org/2004/02/skos/core#',
    xsd: 'http://www.w3.org/2001/XMLSchema#',
  };
  const quads: Quad[] = store.getQuads(null, null, null, null);
  const document = await compact(await fromRDF(quads), context, { graph: true });
  return representation('application/ld+json', JSON.stringify(document));
}
