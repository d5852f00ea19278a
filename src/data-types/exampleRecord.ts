import { DataFactory } from 'n3';
import type { Store, Term } from 'n3';
import { RDF, SH, SKOS, XSD } from '../vocabulary';
import type { ShapedDataType } from './Shape';
import { readTerms } from './termsOfCredentials';
import { parseTurtle } from './turtle';

/** A value in the members of a record, with its definition in the context if needed. */
interface Value {
  json: unknown;
  definition?: Record<string, string>;
}

/** JSON forms of literals by datatype. Literals of other datatypes are strings, with the datatype in the context. */
const natives = new Map<string, unknown>([
  [ `${XSD.prefix}string`, 'Example' ],
  [ XSD.boolean, true ],
  [ `${XSD.prefix}integer`, 1 ],
  [ `${XSD.prefix}double`, 1.5 ],
]);

const texts = new Map<string, string>([
  [ XSD.date, '2026-01-15' ],
  [ XSD.dateTime, '2026-01-15T09:30:00Z' ],
  [ `${XSD.prefix}gYear`, '2026' ],
  [ `${XSD.prefix}time`, '09:30:00' ],
  [ `${XSD.prefix}anyURI`, 'https://example.org/' ],
]);

/**
 * Generates the subject of an example record of a data type, with a value for each property. Ignores patterns, lengths
 * and bounds of values: `check record` names the values that violate them.
 *
 * @param type - The data type.
 * @param base - Base URL of the server.
 *
 * @returns JSON-LD with its context.
 */
export function makeExampleRecord(type: ShapedDataType, base: string): Record<string, unknown> {
  const store = parseTurtle(type.turtle, base);
  return new ExampleMaker(store).make(DataFactory.namedNode(type.iri), type.targetClass);
}

class ExampleMaker {
  private readonly vocabulary: string;
  private readonly context: Record<string, unknown> = {};
  private readonly reserved = readTerms();

  public constructor(private readonly store: Store) {
    this.vocabulary = commonNamespace(store.getObjects(null, `${SH.prefix}path`, null));
  }

  public make(shape: Term, type: string): Record<string, unknown> {
    const members = this.members(shape);
    return { '@context': { '@vocab': this.vocabulary, ...this.context }, '@type': this.name(type), ...members };
  }

  private members(shape: Term): Record<string, unknown> {
    return Object.fromEntries(this.values(shape, 'property').map((property): [string, unknown] => {
      const name = this.name(this.values(property, 'path')[0].value);
      const { definition, json } = this.value(property);
      if (definition) {
        this.context[name] = name.includes(':') ? { '@id': name, ...definition } : definition;
      }
      return [ name, json ];
    }));
  }

  private value(property: Term): Value {
    const [ node ] = this.values(property, 'node');
    if (node) {
      const [ type ] = this.values(node, 'class');
      return { json: { ...type && { '@type': this.name(type.value) }, ...this.members(node) }};
    }
    const [ list ] = this.values(property, 'in');
    const code = list ? this.store.getObjects(list, RDF.first, null)[0] : this.concept(property);
    if (code) {
      return code.termType === 'NamedNode' ? { json: code.value, definition: { '@type': '@id' }} : { json: code.value };
    }
    return literal(this.values(property, 'datatype')[0]?.value ?? `${XSD.prefix}string`);
  }

  private concept(property: Term): Term | undefined {
    return this.values(property, 'class').some(({ value }): boolean => value === SKOS.Concept) ?
        this.store.getSubjects(RDF.type, SKOS.Concept, null)
          .find((concept): boolean => this.values(concept, 'targetClass').length === 0) :
      undefined;
  }

  /** Shortens an IRI by `@vocab` if possible. */
  private name(iri: string): string {
    const local = iri.slice(this.vocabulary.length);
    return iri.startsWith(this.vocabulary) && /^\w+$/u.test(local) && !this.reserved.has(local) ? local : iri;
  }

  private values(subject: Term, name: string): Term[] {
    return this.store.getObjects(subject, SH.prefix + name, null);
  }
}

function literal(datatype: string): Value {
  if (datatype === `${RDF.prefix}langString`) {
    return { json: { en: 'Example' }, definition: { '@container': '@language' }};
  }
  const native = natives.get(datatype);
  return native === undefined ?
      { json: texts.get(datatype) ?? '1', definition: { '@type': datatype }} :
      { json: native };
}

/** Returns the namespace of most properties. */
function commonNamespace(paths: Term[]): string {
  const counts = new Map<string, number>();
  for (const { value } of paths) {
    const namespace = value.replace(/[^#/]*$/u, '');
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  return [ ...counts ].sort(([ , left ], [ , right ]): number => right - left)[0][0];
}
