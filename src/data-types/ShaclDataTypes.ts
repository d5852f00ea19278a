import { join } from 'node:path';
import type { Quad as RdfQuad } from '@rdfjs/types';
import type { Quad, Store, Term } from 'n3';
import { DataFactory } from 'n3';
import ShaclValidator from 'rdf-validate-shacl';
import type { ValidationResult } from 'rdf-validate-shacl/src/validation-report';
import type { OwnIris } from '../vocabulary';
import { ownIris, RDF, SKOS } from '../vocabulary';
import type { DataType, DataTypeCatalogue, Inspection } from './DataType';
import { holdsNationalNumber } from './holdsNationalNumber';
import { IndexedDataset } from './IndexedDataset';
import type { MessageName } from './messages';
import { message } from './messages';
import { readDataType } from './readDataType';
import type { ContextLoader, JsonLdReader } from './readSubject';
import { readSubject, RecordTooLarge, subjectIri } from './readSubject';
import type { ShapedDataType } from './Shape';
import { allProperties } from './Shape';
import type { Violation } from './summarise';
import { componentName, summarise } from './summarise';
import { listFiles, readTurtle } from './turtle';

/** Folder of the Turtle and JSON-LD that ship with the package. */
export const shippedArtefacts = join(__dirname, '../../templates/artefacts');

/** RDF terms and data sets for the validator. */
const factory = { ...DataFactory, dataset: (quads?: RdfQuad[]): IndexedDataset => new IndexedDataset(quads) };
type Validator = ShaclValidator<typeof factory>;

/** What {@link ShaclDataTypes} needs. */
export interface DataTypesOptions {
  /** The server's base URL. */
  base: string;
  /** Finds JSON-LD contexts among those that ship with the package. */
  contexts: ContextLoader;
  /** What jsonld is to resolve contexts with instead of its own resolver. */
  resolver?: object;
  /** `--dataTypes`: folder of further data types. */
  folder?: string;
}

/** A data type and the validator for it. */
interface Entry {
  type: ShapedDataType;
  shapes: IndexedDataset;
  /** Which coded concepts there are: the validator looks for them beside the record. */
  concepts: Quad[];
  validator: Validator;
}

/**
 * The data types of this server: those that ship with the package, and those in a folder of the operator.
 *
 * A record is read within limits, validated against the SHACL shape, and shown in the order the shape gives.
 */
export class ShaclDataTypes implements DataTypeCatalogue {
  private constructor(private readonly entries: Map<string, Entry>, private readonly jsonLd: JsonLdReader) {}

  /**
   * Reads and checks all data types.
   *
   * @throws Error naming the file and the member that is wrong.
   */
  public static async load({ base, contexts, resolver, folder }: DataTypesOptions): Promise<ShaclDataTypes> {
    const shipped = await turtleFiles(join(shippedArtefacts, 'data-types'), 'the package');
    const own = folder ? await turtleFiles(folder, '--dataTypes') : [];
    const entries = new Map<string, Entry>();
    for (const file of [ ...shipped.filter((name): boolean => !name.endsWith('base.ttl')), ...own ]) {
      const entry = await readEntry(file, ownIris(base));
      const same = [ ...entries.values() ].find(({ type }): boolean => type.slug === entry.type.slug);
      if (same) {
        throw new Error(`${file}: there is another data type at ${same.type.slug}`);
      }
      entries.set(entry.type.iri, entry);
    }
    return new ShaclDataTypes(entries, { contexts, resolver });
  }

  public list(): DataType[] {
    return [ ...this.entries.values() ].map(({ type }): DataType => type);
  }

  public find(iri: string): DataType | undefined {
    return this.entries.get(iri)?.type;
  }

  public async inspect(iri: string, subject: object, nationalNumber: string): Promise<Inspection> {
    const entry = this.entries.get(iri);
    if (!entry) {
      throw new Error(`There is no data type ${iri}`);
    }
    try {
      return inspectData(entry, subject, await readSubject(subject, this.jsonLd), nationalNumber);
    } catch (error: unknown) {
      return rejected(error instanceof RecordTooLarge ? 'tooLarge' : 'unreadable');
    }
  }
}

async function turtleFiles(folder: string, flag: string): Promise<string[]> {
  const files = await listFiles(folder, '.ttl', flag);
  if (!files) {
    throw new Error(`${flag}: there is no folder ${folder}`);
  }
  return files;
}

async function readEntry(file: string, iris: OwnIris): Promise<Entry> {
  const source = await readTurtle(file, iris.base);
  const type = readDataType(source, iris);
  try {
    const shapes = new IndexedDataset(source.store);
    const concepts = source.store.getQuads(null, RDF.type, SKOS.Concept, null);
    return { type, shapes, concepts, validator: new ShaclValidator(shapes, { factory }) };
  } catch (error: unknown) {
    throw new Error(`${file}: the shape cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

function rejected(name: MessageName): Inspection {
  return { summary: null, errors: message(name) };
}

function inspectData(entry: Entry, json: object, data: Store, nationalNumber: string): Inspection {
  const { type } = entry;
  if (data.countQuads(subjectIri, RDF.type, type.targetClass, null) === 0) {
    return rejected('wrongType');
  }
  const inspection = summarise(type, data, validate(entry, data));
  const allowed = allProperties(type.shape).filter((property): boolean => property.nationalNumber);
  if (holdsNationalNumber(json, data, nationalNumber, new Set(allowed.map(({ path }): string => path)))) {
    inspection.errors.push(...message('nationalNumber'));
  }
  return inspection;
}

/** Validates a record; its coded concepts are those that the data type describes. */
function validate(entry: Entry, data: Store): Violation[] {
  const known = new IndexedDataset([ ...data, ...entry.concepts ] as Quad[]);
  try {
    return entry.validator.validate(known).results.flatMap(violations);
  } catch (error: unknown) {
    // The validator keeps count of its nesting, which is off after an error.
    entry.validator = new ShaclValidator(entry.shapes, { factory });
    throw error;
  }
}

function violations(result: ValidationResult): Violation[] {
  const { focusNode, path, sourceConstraintComponent, detail } = result;
  const violation: Violation = {
    focus: focusNode as Term,
    path: path?.value,
    component: componentName(sourceConstraintComponent?.value ?? ''),
  };
  return [ violation, ...detail.flatMap(violations) ];
}
