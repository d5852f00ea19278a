import { join } from 'node:path';
import type { Quad as RdfQuad } from '@rdfjs/types';
import type { Quad, Store, Term } from 'n3';
import { DataFactory } from 'n3';
import ShaclValidator from 'rdf-validate-shacl';
import type { ValidationResult } from 'rdf-validate-shacl/src/validation-report';
import type { NationalNumber } from '../identity/NationalNumber';
import type { Mistakes } from '../platform/Mistakes';
import type { OwnIris } from '../vocabulary';
import { ownIris, RDF, SCHEMA, SKOS } from '../vocabulary';
import { messageOf } from '../platform/errors';
import type { Claims } from './Claims';
import type { DataType, DataTypeCatalogue, Inspection } from './DataType';
import { containsNationalNumber } from './containsNationalNumber';
import { IndexedDataset } from './IndexedDataset';
import { message } from './messages';
import { readDataType } from './readDataType';
import type { PropertyShape, ShapedDataType } from './Shape';
import { allProperties } from './Shape';
import type { Violation } from './summarise';
import { componentName, summarise } from './summarise';
import { listFiles, readTurtle } from './turtle';

/** Folder of the Turtle and JSON-LD that ship with the package. */
export const shippedArtefacts = join(__dirname, '../../templates/artefacts');

/** RDF terms and data sets for the validator. */
const factory = { ...DataFactory, dataset: (quads?: RdfQuad[]): IndexedDataset => new IndexedDataset(quads) };
type Validator = ShaclValidator<typeof factory>;

/** Options of {@link ShaclDataTypes}. */
export interface DataTypesOptions {
  /** The server's base URL. */
  base: string;
  /** `--dataTypes`: folder of further data types. */
  folder?: string;
}

/**
 * Maximum number of statements in a record: validation takes a tenth of a millisecond for each wrong one. An ordinary
 * record, within the limit on blank nodes, has fewer.
 */
const maxDescribed = 1000;

/** A data type and the validator for it. */
interface CompiledType {
  type: ShapedDataType;
  shapes: IndexedDataset;
  /** Coded concepts, which the validator reads in addition to the record. */
  concepts: Quad[];
  /** IRIs in the file, including those of properties. */
  mentioned: ReadonlySet<string>;
  validator: Validator;
}

/**
 * The data types of this server: shipped ones, and those in a folder of the operator.
 *
 * Claims are validated against the SHACL shape, and shown in the order of the shape.
 */
export class ShaclDataTypes implements DataTypeCatalogue {
  private constructor(private entries: Map<string, CompiledType>) {}

  /**
   * Reads and checks all data types.
   *
   * @param options - Locations.
   * @param options.base - The server's base URL.
   * @param options.folder - `--dataTypes`.
   * @param mistakes - Collects mistakes, naming the file and the wrong member.
   */
  public static async load({ base, folder }: DataTypesOptions, mistakes: Mistakes): Promise<ShaclDataTypes> {
    const shipped = await turtleFiles(join(shippedArtefacts, 'data-types'), 'the package');
    const own = folder ? await mistakes.during(async(): Promise<string[]> => turtleFiles(folder, '--dataTypes')) : [];
    const entries = new Map<string, CompiledType>();
    for (const file of [ ...shipped.filter((name): boolean => !name.endsWith('base.ttl')), ...own ?? [] ]) {
      await mistakes.during(async(): Promise<void> => addEntry(entries, await readEntry(file, ownIris(base)), file));
    }
    return new ShaclDataTypes(entries);
  }

  /** Replaces the data types by those of another catalogue. Unchanged ones stay the same objects. */
  public adopt({ entries }: ShaclDataTypes): void {
    this.entries = new Map([ ...entries ].map(([ iri, entry ]): [string, CompiledType] => {
      const known = this.entries.get(iri);
      return [ iri, known?.type.turtle === entry.type.turtle ? known : entry ];
    }));
  }

  /** Lists all data types with their shapes. */
  public shaped(): ShapedDataType[] {
    return [ ...this.entries.values() ].map(({ type }): ShapedDataType => type);
  }

  public list(): DataType[] {
    return [ ...this.entries.values() ].map(({ type }): DataType => type);
  }

  public find(iri: string): DataType | undefined {
    return this.entries.get(iri)?.type;
  }

  public inspect(iri: string, claims: Claims, nationalNumber: NationalNumber): Inspection {
    const entry = this.entries.get(iri);
    if (!entry) {
      throw new Error(`There is no data type ${iri}`);
    }
    const { type } = entry;
    const { data, json, others, subject } = claims;
    if (data.countQuads(subject, RDF.type, type.targetClass, null) === 0) {
      return { summary: null, errors: message('wrongType') };
    }
    const described = describedBy(entry, data);
    const violations = described.length > maxDescribed ? undefined : validate(entry, described);
    if (!violations) {
      return { summary: null, errors: message('tooLarge') };
    }
    const inspection = summarise(type, claims, violations);
    const properties = allProperties(type.shape);
    if (others.some((quad): boolean => isClaim(quad, type, properties))) {
      inspection.errors.push(...message('notDescribed'));
    }
    const allowed = properties.filter((property): boolean => property.nationalNumber).map(({ path }): string => path);
    const quads = [ ...data.getQuads(null, null, null, null), ...others ];
    if (containsNationalNumber(json, quads, nationalNumber, new Set(allowed))) {
      inspection.errors.push(...message('nationalNumber'));
    }
    return inspection;
  }
}

function addEntry(entries: Map<string, CompiledType>, entry: CompiledType, file: string): void {
  const same = [ ...entries.values() ].find(({ type }): boolean => type.slug === entry.type.slug);
  if (same) {
    throw new Error(`${file}: there is another data type at ${same.type.slug}`);
  }
  entries.set(entry.type.iri, entry);
}

async function turtleFiles(folder: string, flag: string): Promise<string[]> {
  const files = await listFiles(folder, '.ttl', flag);
  if (!files) {
    throw new Error(`${flag}: there is no folder ${folder}`);
  }
  return files;
}

async function readEntry(file: string, iris: OwnIris): Promise<CompiledType> {
  const source = await readTurtle(file, iris.base);
  const type = readDataType(source, iris);
  try {
    const shapes = new IndexedDataset(source.store);
    const concepts = source.store.getQuads(null, RDF.type, SKOS.Concept, null);
    const mentioned = new Set(source.store.getObjects(null, null, null).map(({ value }): string => value));
    return { type, shapes, concepts, mentioned, validator: new ShaclValidator(shapes, { factory }) };
  } catch (error: unknown) {
    throw new Error(`${file}: the shape cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns true for a statement that would be shown if it were about the subject. */
function isClaim({ predicate, object }: Quad, { targetClass }: ShapedDataType, properties: PropertyShape[]): boolean {
  if (predicate.value === RDF.type) {
    return object.value === targetClass;
  }
  return predicate.value !== SCHEMA.name && predicate.value !== SCHEMA.description &&
    properties.some(({ path }): boolean => path === predicate.value);
}

/**
 * Returns the statements that validation needs. All others violate a closed shape, and one for each node is enough to
 * show that.
 */
function describedBy({ mentioned }: CompiledType, data: Store): Quad[] {
  const strange = new Set<string>();
  return data.getQuads(null, null, null, null).filter(({ subject, predicate }): boolean => {
    if (mentioned.has(predicate.value) || predicate.value === RDF.type) {
      return true;
    }
    const isFirst = !strange.has(subject.id);
    strange.add(subject.id);
    return isFirst;
  });
}

/**
 * Validates a record; coded concepts are those in the data type.
 *
 * @returns `undefined` when the validator cannot follow the record: it looks for subclasses of subclasses, even in
 * circles.
 */
function validate(entry: CompiledType, data: Quad[]): Violation[] | undefined {
  const known = new IndexedDataset([ ...data, ...entry.concepts ]);
  try {
    return entry.validator.validate(known).results.flatMap(violationsOf);
  } catch (error: unknown) {
    // The validator keeps count of its nesting, which is wrong after an error.
    entry.validator = new ShaclValidator(entry.shapes, { factory });
    if (error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

function violationsOf(result: ValidationResult): Violation[] {
  const { focusNode, path, sourceConstraintComponent, detail } = result;
  const violation: Violation = {
    // A term of the data, made by N3. The validator declares other types for terms.
    focus: focusNode as Term,
    path: path?.value,
    component: componentName(sourceConstraintComponent?.value ?? ''),
  };
  return [ violation, ...detail.flatMap(violationsOf) ];
}
