import { ConflictHttpError } from '@solid/community-server';
import type { Literal, NamedNode, Quad, Term } from '@rdfjs/types';

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const plainTypes = new Set([ 'http://www.w3.org/2001/XMLSchema#string', `${rdf}langString` ]);
/** Names with a meaning of their own as elements, so that they cannot be properties there. */
const reserved = new Set(
  'RDF ID about parseType resource nodeID datatype Description li aboutEach aboutEachPrefix bagID'.split(' ')
    .map((name): string => rdf + name),
);
const unboundNamespaces = new Set([ 'http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2000/xmlns/' ]);

/** Code points that begin a name in XML. */
const nameStarts = rangesOf('41-5A 5F-5F 61-7A C0-D6 D8-F6 F8-2FF 370-37D 37F-1FFF 200C-200D 2070-218F 2C00-2FEF ' +
  '3001-D7FF F900-FDCF FDF0-FFFD 10000-EFFFF');
/** Code points that can only follow. */
const nameRests = rangesOf('2D-2E 30-39 B7-B7 300-36F 203F-2040');
const unwritable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/**
 * Writes RDF/XML, one triple after the other.
 *
 * @see [RDF 1.1 XML Syntax](https://www.w3.org/TR/rdf-syntax-grammar/)
 */
export class RdfXmlWriter {
  private readonly blankNodes = new Map<string, string>();
  private subject?: Term;

  /** Begins the document. */
  public begin(): string {
    return `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF xmlns:rdf="${rdf}">\n`;
  }

  /**
   * Writes a triple. Those of one subject are best written together.
   *
   * @throws ConflictHttpError for what RDF/XML cannot express.
   */
  public write({ subject, predicate, object }: Quad): string {
    const property = this.property(predicate as NamedNode, object);
    if (this.subject?.equals(subject)) {
      return property;
    }
    const end = this.endSubject();
    this.subject = subject;
    return `${end}  <rdf:Description ${this.node(subject, 'rdf:about')}>\n${property}`;
  }

  /** Ends the document. */
  public end(): string {
    return `${this.endSubject()}</rdf:RDF>\n`;
  }

  private endSubject(): string {
    return this.subject ? '  </rdf:Description>\n' : '';
  }

  private property(predicate: NamedNode, object: Term): string {
    const { namespace, name } = splitName(predicate.value);
    const tag = namespace === rdf ? `rdf:${name}` : `p:${name}`;
    const begin = namespace === rdf ? `    <${tag}` : `    <${tag} xmlns:p="${escape(namespace)}"`;
    return object.termType === 'Literal' ?
      `${begin}${attributesOf(object)}>${escape(object.value)}</${tag}>\n` :
      `${begin} ${this.node(object, 'rdf:resource')}/>\n`;
  }

  private node({ termType, value }: Term, attribute: string): string {
    if (termType === 'NamedNode') {
      return `${attribute}="${escape(value)}"`;
    }
    if (termType !== 'BlankNode') {
      throw new ConflictHttpError('RDF/XML has no terms of this kind.');
    }
    const label = this.blankNodes.get(value) ?? `b${this.blankNodes.size}`;
    this.blankNodes.set(value, label);
    return `rdf:nodeID="${label}"`;
  }
}

function attributesOf({ language, datatype }: Literal): string {
  if (language !== '') {
    return ` xml:lang="${escape(language)}"`;
  }
  return plainTypes.has(datatype.value) ? '' : ` rdf:datatype="${escape(datatype.value)}"`;
}

/** Splits the IRI of a property: its longest end that is a name in XML is the name of its element. */
function splitName(iri: string): { namespace: string; name: string } {
  let start: number | undefined;
  let at = 0;
  for (const character of iri) {
    if (isIn(nameStarts, character)) {
      start ??= at;
    } else if (!isIn(nameRests, character)) {
      start = undefined;
    }
    at += character.length;
  }
  const namespace = iri.slice(0, start);
  if (!start || reserved.has(iri) || unboundNamespaces.has(namespace)) {
    throw new ConflictHttpError('RDF/XML cannot express a triple with this property.');
  }
  return { namespace, name: iri.slice(start) };
}

type Range = [first: number, last: number];

/** Reads ranges of hexadecimal code points. */
function rangesOf(text: string): Range[] {
  return text.split(' ').map((range): Range => {
    const [ first, last ] = range.split('-').map((code): number => Number.parseInt(code, 16));
    return [ first, last ];
  });
}

function isIn(ranges: Range[], character: string): boolean {
  const code = character.codePointAt(0)!;
  return ranges.some(([ first, last ]): boolean => first <= code && code <= last);
}

function escape(text: string): string {
  if (unwritable.test(text)) {
    throw new ConflictHttpError('XML cannot express a character of a triple.');
  }
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
    .replaceAll('\r', '&#xD;');
}
