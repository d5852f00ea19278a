import type { Store, Term } from 'n3';
import { didYouMean } from '../platform/nearest';
import { RDF, SH, XSD } from '../vocabulary';

/** Terms of SHACL and of its advanced features. The validator ignores any other term. */
const shaclTerms = new Set(`
  AbstractResult BlankNode BlankNodeOrIRI BlankNodeOrLiteral Function IRI IRIOrLiteral Info JSConstraint JSExecutable
  JSFunction JSLibrary JSRule JSTarget JSTargetType JSValidator Literal NodeKind NodeShape Parameter Parameterizable
  PrefixDeclaration PropertyGroup PropertyShape ResultAnnotation Rule SPARQLAskExecutable SPARQLAskValidator
  SPARQLConstraint SPARQLConstructExecutable SPARQLExecutable SPARQLFunction SPARQLRule SPARQLSelectExecutable
  SPARQLSelectValidator SPARQLTarget SPARQLTargetType SPARQLUpdateExecutable Severity Shape Target TargetType TripleRule
  ValidationReport ValidationResult Validator Violation Warning alternativePath and annotationProperty annotationValue
  annotationVarName ask class closed condition conforms construct datatype deactivated declare defaultValue description
  detail disjoint entailment equals expression filterShape flags focusNode group hasValue ignoredProperties in
  intersection inversePath js jsFunctionName jsLibrary jsLibraryURL labelTemplate languageIn lessThan lessThanOrEquals
  maxCount maxExclusive maxInclusive maxLength message minCount minExclusive minInclusive minLength name namespace node
  nodeKind nodeValidator nodes not object oneOrMorePath optional or order parameter path pattern predicate prefix
  prefixes property propertyValidator qualifiedMaxCount qualifiedMinCount qualifiedValueShape
  qualifiedValueShapesDisjoint result resultAnnotation resultMessage resultPath resultSeverity returnType rule select
  severity shapesGraph shapesGraphWellFormed sourceConstraint sourceShape sparql subject suggestedShapesGraph target
  targetClass targetNode targetObjectsOf targetSubjectsOf this union uniqueLang update validator value xone
  zeroOrMorePath zeroOrOnePath
`.trim().split(/\s+/u));

/** Namespaces in which all datatypes are known: prefix, IRI and names. */
const datatypes: readonly [prefix: string, namespace: string, names: Set<string>][] = [
  [ 'xsd:', XSD.prefix, new Set(`
    string normalizedString token language Name NCName NMTOKEN anyURI boolean decimal integer nonNegativeInteger
    positiveInteger nonPositiveInteger negativeInteger int unsignedInt long unsignedLong short unsignedShort byte
    unsignedByte float double duration dayTimeDuration yearMonthDuration dateTime dateTimeStamp date time gYear
    gYearMonth gMonth gMonthDay gDay base64Binary hexBinary
  `.trim().split(/\s+/u)) ],
  [ 'rdf:', RDF.prefix, new Set([ 'langString', 'HTML', 'XMLLiteral', 'JSON' ]) ],
];

/**
 * Finds statements of a shape without effect: unknown SHACL terms and datatypes, and properties that no shape has. Also
 * finds lists without an end, which the validator would read forever.
 *
 * @param store - Graph of one file.
 *
 * @returns A message for each, without the name of the file.
 *
 * @see [SHACL, Shapes and Constraints](https://www.w3.org/TR/shacl/#shapes)
 */
export function checkTerms(store: Store): string[] {
  const quads = store.getQuads(null, null, null, null);
  const unknown = new Set(quads.flatMap(({ predicate, object }): string[] => [ predicate.value, object.value ])
    .filter((iri): boolean => iri.startsWith(SH.prefix)).map((iri): string => iri.slice(SH.prefix.length))
    .filter((name): boolean => name !== '' && !shaclTerms.has(name)));
  return [
    ...[ ...unknown ].map((name): string => `sh:${name} is not a term of SHACL${didYouMean(name, shaclTerms, 'sh:')}`),
    ...quads.filter(({ predicate }): boolean => predicate.value === `${SH.prefix}datatype`)
      .flatMap(({ subject, object }): string[] => checkDatatype(nameOf(store, subject), object)),
    ...loosePaths(store),
    ...endlessLists(store),
  ];
}

/** Describes a node of the file: a blank node by its path, if it has one. */
export function nameOf(store: Store, term: Term): string {
  if (term.termType !== 'BlankNode') {
    return term.value;
  }
  const [ path ] = store.getObjects(term, `${SH.prefix}path`, null);
  if (path?.termType === 'NamedNode') {
    return path.value;
  }
  const [ shape ] = store.getSubjects(`${SH.prefix}property`, term, null);
  const at = shape && store.getObjects(shape, `${SH.prefix}property`, null)
    .findIndex((property): boolean => property.equals(term));
  return shape ? `sh:property number ${at + 1} of ${nameOf(store, shape)}` : 'a node without a name';
}

function checkDatatype(subject: string, { termType, value }: Term): string[] {
  for (const [ prefix, namespace, names ] of datatypes) {
    const name = value.slice(namespace.length);
    if (value.startsWith(namespace) && !names.has(name)) {
      return [ `sh:datatype of ${subject}: ${prefix}${name} is not a datatype${didYouMean(name, names, prefix)}` ];
    }
  }
  return termType === 'NamedNode' ? [] : [ `sh:datatype of ${subject} must be an IRI, such as xsd:string` ];
}

function loosePaths(store: Store): string[] {
  return store.getSubjects(`${SH.prefix}path`, null, null)
    .filter((property): boolean => store.countQuads(null, `${SH.prefix}property`, property, null) === 0)
    .map((property): string => `sh:path of ${nameOf(store, property)} is of no shape: name it by sh:property of one`);
}

function endlessLists(store: Store): string[] {
  const ending = new Set<string>();
  for (let ends: Term[] = store.getSubjects(RDF.rest, RDF.nil, null); ends.length > 0;) {
    for (const { id } of ends) {
      ending.add(id);
    }
    ends = ends.flatMap((end): Term[] => store.getSubjects(RDF.rest, end, null))
      .filter(({ id }): boolean => !ending.has(id));
  }
  return store.getQuads(null, null, null, null)
    .filter(({ object, predicate }): boolean => predicate.value !== RDF.rest && !ending.has(object.id) &&
      store.countQuads(object, RDF.rest, null, null) > 0)
    .map(({ predicate: { value }, subject }): string =>
      `${value.replace(SH.prefix, 'sh:')} of ${nameOf(store, subject)} is a list that does not end in rdf:nil`);
}
