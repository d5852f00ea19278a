import type { Store, Term } from 'n3';
import type { OwnIris } from '../vocabulary';
import { RDF, RDFS, SH, SKOS, XSD } from '../vocabulary';
import type { I18nString } from './DataType';
import { checkTerms, nameOf } from './checkTerms';
import type { FieldKind, NodeShape, PropertyShape, ShapedDataType } from './Shape';
import { allProperties } from './Shape';
import type { TurtleFile } from './turtle';
import { findMissingLanguage, translations } from './turtle';

const numeric = [
  'integer',
  'decimal',
  'double',
  'float',
  'nonNegativeInteger',
  'positiveInteger',
  'nonPositiveInteger',
  'negativeInteger',
  'int',
  'long',
  'short',
  'byte',
  'unsignedInt',
  'unsignedLong',
  'unsignedShort',
  'unsignedByte',
];

const kinds = new Map<string, FieldKind>([
  [ XSD.date, 'date' ],
  [ XSD.dateTime, 'timestamp' ],
  [ `${XSD.prefix}dateTimeStamp`, 'timestamp' ],
  [ XSD.boolean, 'boolean' ],
  ...numeric.map((name): [string, FieldKind] => [ XSD.prefix + name, 'number' ]),
]);

/**
 * Reads a data type from its Turtle file.
 *
 * @throws Error naming the file and the wrong member.
 */
export function readDataType(source: TurtleFile, iris: OwnIris): ShapedDataType {
  return new DataTypeReader(source, iris).read();
}

class DataTypeReader {
  private readonly store: Store;
  private readonly concepts = new Map<string, I18nString[]>();

  public constructor(private readonly source: TurtleFile, private readonly iris: OwnIris) {
    this.store = source.store;
  }

  public read(): ShapedDataType {
    const wrong = checkTerms(this.store);
    if (wrong.length > 0) {
      throw new Error(wrong.map((line): string => `${this.source.file}: ${line}`).join('\n'));
    }
    const subject = this.subject();
    const iri = subject.value;
    if (!this.values(subject, SKOS.inScheme).some(({ value }): boolean => value === this.iris.dataTypes)) {
      this.refuse(iri, 'skos:inScheme', `must name ${this.iris.dataTypes}`);
    }
    const labels = this.labels(subject, 'skos:prefLabel', SKOS.prefLabel);
    const targetClass = this.oneIri(subject, 'targetClass');
    this.readConcepts(subject);
    const shape = this.nodeShape(subject, []);
    this.checkRoles(iri, shape);
    const { concepts, source: { turtle }} = this;
    return { iri, slug: this.slug(iri), labels, targetClass, turtle, shape, concepts };
  }

  private subject(): Term {
    const subjects = this.store.getSubjects(RDF.type, SH.NodeShape, null)
      .filter((term): boolean => this.store.countQuads(term, RDF.type, SKOS.Concept, null) > 0);
    if (subjects.length !== 1 || subjects[0].termType !== 'NamedNode') {
      throw new Error(`${this.source.file}: exactly one IRI must be both sh:NodeShape and skos:Concept, there are ${
        subjects.length}`);
    }
    return subjects[0];
  }

  private slug(iri: string): string {
    const prefix = `${this.iris.base}v1/data-types/`;
    const path = iri.startsWith(prefix) ?
        iri.slice(prefix.length) :
        iri.replace(/^[a-z]+:\/\/[^/]*/u, '').split(/[/#]/u).filter(Boolean).slice(-2).join('/');
    if (!/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/u.test(path) || path === 'base') {
      this.refuse(iri, 'IRI', 'must end in path segments of A-Z a-z 0-9 . _ - that can name a folder');
    }
    return path;
  }

  private readConcepts(type: Term): void {
    for (const concept of this.store.getSubjects(RDF.type, SKOS.Concept, null)) {
      if (!concept.equals(type)) {
        this.concepts.set(concept.value, this.labels(concept, 'skos:prefLabel', SKOS.prefLabel));
      }
    }
  }

  private nodeShape(term: Term, parents: Term[]): NodeShape {
    if (parents.some((parent): boolean => parent.equals(term))) {
      this.refuse(nameOf(this.store, term), 'sh:node', 'leads back to the shape itself');
    }
    const properties = this.values(term, `${SH.prefix}property`)
      .map((property): PropertyShape => this.propertyShape(property, [ ...parents, term ]))
      .sort((left, right): number => left.order - right.order);
    if (properties.length === 0) {
      this.refuse(nameOf(this.store, term), 'sh:property', 'is missing');
    }
    for (const member of [ 'path', 'key' ] as const) {
      const seen = properties.map((property): string => property[member]);
      const twice = seen.find((value, index): boolean => seen.indexOf(value) !== index);
      if (twice) {
        this.refuse(nameOf(this.store, term), member === 'key' ? 'sh:name' : 'sh:path', `has ${twice} twice`);
      }
    }
    return { term, properties };
  }

  private propertyShape(term: Term, parents: Term[]): PropertyShape {
    const path = this.oneIri(term, 'path');
    const kind = this.kind(term, path);
    return {
      path,
      kind,
      key: this.key(term, path),
      labels: this.propertyLabels(term, path),
      order: this.integer(term, path, 'order') ?? Number.MAX_SAFE_INTEGER,
      mandatory: (this.integer(term, path, 'minCount') ?? 0) > 0,
      node: kind === 'group' ? this.nodeShape(this.values(term, `${SH.prefix}node`)[0], parents) : undefined,
      role: this.role(term, path, kind),
      inDetails: this.flag(term, path, 'inDetails') ?? true,
      nationalNumber: this.flag(term, path, 'nationalNumber') ?? false,
    };
  }

  private kind(term: Term, path: string): FieldKind {
    if (this.values(term, `${SH.prefix}node`).length > 0) {
      return 'group';
    }
    const codes = this.values(term, `${SH.prefix}in`).flatMap((list): Term[] => this.list(list));
    const unnamed = codes.find((code): boolean => code.termType === 'NamedNode' && !this.concepts.has(code.value));
    if (unnamed) {
      this.refuse(path, 'sh:in', `names ${unnamed.value}, which this file does not describe as a skos:Concept`);
    }
    const classes = this.values(term, `${SH.prefix}class`).map(({ value }): string => value);
    if (codes.length > 0 || classes.includes(SKOS.Concept)) {
      return 'concept';
    }
    const [ datatype ] = this.values(term, `${SH.prefix}datatype`);
    return kinds.get(datatype?.value) ?? 'string';
  }

  private list(head: Term): Term[] {
    const items: Term[] = [];
    let rest: Term | undefined = head;
    while (rest && rest.value !== RDF.nil && items.length < 10_000) {
      items.push(...this.values(rest, RDF.first));
      [ rest ] = this.values(rest, RDF.rest);
    }
    return items;
  }

  private key(term: Term, path: string): string {
    const name = this.values(term, `${SH.prefix}name`)
      .find((value): boolean => value.termType === 'Literal' && !value.language);
    const key = name?.value ?? path.replace(/^.*[/#]/su, '');
    if (!/^[A-Za-z][\w-]*$/u.test(key)) {
      this.refuse(path, 'sh:name', `gives the field name '${key}', which must be a letter and then A-Z a-z 0-9 _ -`);
    }
    return key;
  }

  private propertyLabels(term: Term, path: string): I18nString[] {
    const names = translations(this.store, term, `${SH.prefix}name`);
    const labels = names.length > 0 ? names : translations(this.store, term, RDFS.label);
    return this.checkLabels(path, 'sh:name', labels);
  }

  private labels(subject: Term, member: string, predicate: string): I18nString[] {
    return this.checkLabels(subject.value, member, translations(this.store, subject, predicate));
  }

  private checkLabels(subject: string, member: string, labels: I18nString[]): I18nString[] {
    const lacking = findMissingLanguage(labels);
    if (lacking) {
      this.refuse(subject, member, `must occur once in language '${lacking}'`);
    }
    return labels;
  }

  private role(term: Term, path: string, kind: FieldKind): PropertyShape['role'] {
    const [ value ] = this.values(term, `${this.iris.core}summaryRole`);
    if (!value) {
      return undefined;
    }
    const role = ([ 'title', 'subtitle' ] as const).find((name): boolean => value.value === this.iris.core + name);
    if (!role || kind === 'group') {
      this.refuse(path, 'core:summaryRole', 'must be core:title or core:subtitle, and not on a group');
    }
    return role;
  }

  private checkRoles(iri: string, shape: NodeShape): void {
    for (const role of [ 'title', 'subtitle' ]) {
      if (allProperties(shape).filter((property): boolean => property.role === role).length > 1) {
        this.refuse(iri, 'core:summaryRole', `has core:${role} on more than one property`);
      }
    }
  }

  private integer(term: Term, path: string, name: string): number | undefined {
    const values = this.values(term, SH.prefix + name);
    if (values.length > 1 || values.some(({ value }): boolean => !/^\d{1,9}$/u.test(value))) {
      this.refuse(path, `sh:${name}`, 'must be one whole number');
    }
    return values.length === 0 ? undefined : Number(values[0].value);
  }

  private flag(term: Term, path: string, name: string): boolean | undefined {
    const values = this.values(term, this.iris.core + name);
    if (values.length > 1 || values.some(({ value }): boolean => value !== 'true' && value !== 'false')) {
      this.refuse(path, `core:${name}`, 'must be true or false');
    }
    return values.length === 0 ? undefined : values[0].value === 'true';
  }

  private oneIri(term: Term, name: string): string {
    const values = this.values(term, SH.prefix + name);
    if (values.length !== 1 || values[0].termType !== 'NamedNode') {
      this.refuse(nameOf(this.store, term), `sh:${name}`, 'must be one IRI');
    }
    return values[0].value;
  }

  private values(subject: Term, predicate: string): Term[] {
    return this.store.getObjects(subject, predicate, null);
  }

  private refuse(subject: string, member: string, reason: string): never {
    throw new Error(`${this.source.file}: ${member} of ${subject} ${reason}`);
  }
}
