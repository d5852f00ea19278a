import { join, posix } from 'node:path';
import type { Position } from '../geometry/polygons';
import type { System } from '../geometry/systems';
import { systems } from '../geometry/systems';
import { decodeLeniently } from '../../platform/decodeLeniently';
import { messageOf } from '../../platform/errors';
import { readRegularFileSync } from '../../platform/readRegularFile';
import { isRecord } from '../../platform/isRecord';
import { opened } from '../../platform/opened';
import { keepFirstErrors } from './keepFirstErrors';
import type { OpenNetworkModel } from './NetworkModel';
import type { PackageFinding } from './Report';

/** An error of the library, with details when a document violates its schema. */
interface FailedCheck {
  details?: { message: string; line: number }[];
}

/** A place in a package. */
export interface PackagePlace {
  file: string;
  line: number;
}

/** Coordinates of an element. */
export interface Line extends PackagePlace {
  /** System that `srsName` names; absent when it is unknown. */
  srs?: System;
  srsName: string;
  positions: Position[];
}

/** A reference to an element. */
export interface Reference {
  id: string;
  /** Name in the package of the document that has the element; any when absent. */
  file?: string;
}

/** An element that has an id, belongs to a network, or refers to others. */
export interface NetworkElement extends PackagePlace {
  kind: 'attachment' | 'link' | 'network' | 'other';
  id?: string;
  /** The elements that it refers to. */
  references: Reference[];
  lines: Line[];
  /** File of an attachment. */
  attachment?: { file: string; mediaType: string };
}

/** A document of a package, parsed. */
export interface NetworkDocument {
  elements: NetworkElement[];
  findings: PackageFinding[];
}

/** Maximum bytes of a document, which is in memory as a tree. */
export const maxDocumentBytes = 16 * 1024 * 1024;

/** The part of `libxml2-wasm` in use. The package is an ES module, imported within a thread of its own. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-assignment -- the rule takes the attribute for a value
type Xml = typeof import('libxml2-wasm', { with: { 'resolution-mode': 'import' }});
type Element = InstanceType<Xml['XmlElement']>;
type Node = InstanceType<Xml['XmlNode']>;

const defaultSystem: System = 'EPSG:31370';
const maxLine = 2 ** 31;

/** Reads documents of packages, and checks them against the schema of a model. */
export class DocumentReader {
  private constructor(
    private readonly xml: Xml,
    private readonly validator: InstanceType<Xml['XsdValidator']>,
    private readonly model: OpenNetworkModel,
  ) {}

  /**
   * Loads the schema of a model.
   *
   * @throws Error when it is not a schema.
   */
  public static async open(model: OpenNetworkModel): Promise<DocumentReader> {
    const xml: Xml = await import('libxml2-wasm');
    const { xmlRegisterFsInputProviders } = await import('libxml2-wasm/lib/nodejs.mjs');
    keepFirstErrors(await import('libxml2-wasm/lib/libxml2.mjs'));
    const path = join(model.folder, model.schema);
    // Only the schema may read files: a document that refers to files gets none.
    xmlRegisterFsInputProviders();
    try {
      const schema = xml.XmlDocument.fromBuffer(readRegularFileSync(path), { url: path });
      return new DocumentReader(xml, xml.XsdValidator.fromDoc(schema), model);
    } finally {
      xml.xmlCleanupInputProvider();
    }
  }

  /**
   * Reads a document. It may have no document type, and so no entities; nothing is fetched; its depth is limited to the
   * library's 256.
   */
  public read(file: string, bytes: Buffer): NetworkDocument {
    const findings: PackageFinding[] = [];
    const fault = findTextFault(bytes);
    if (fault) {
      return { elements: [], findings: [{ step: 'Schema', file, ...fault }]};
    }
    let document: InstanceType<Xml['XmlDocument']>;
    try {
      const { XML_PARSE_BIG_LINES: bigLines, XML_PARSE_NO_XXE: noOutside, XML_PARSE_NONET: noNetwork } =
        this.xml.ParseOption;
      document = this.xml.XmlDocument.fromBuffer(bytes, { option: noOutside | noNetwork | bigLines });
    } catch (error: unknown) {
      return { elements: [], findings: findingsOf(error, file, 'xml-malformed') };
    }
    try {
      if (document.root.namespaceUri !== this.model.namespace) {
        const message = `It does not follow version ${this.model.version} of the model, whose namespace is ` +
          `${this.model.namespace}.`;
        return { elements: [], findings: [{ step: 'Schema', rule: 'model-version', message, file, line: 1 }]};
      }
      try {
        this.validator.validate(document);
      } catch (error: unknown) {
        findings.push(...findingsOf(error, file, 'schema-invalid'));
      }
      return { elements: findings.length > 0 ? [] : this.listElements(document.root, file), findings };
    } finally {
      document.dispose();
    }
  }

  private listElements(root: Element, file: string): NetworkElement[] {
    const elements: NetworkElement[] = [];
    const { links, networks, attachments } = this.model;
    const { XmlElement: elementClass, XmlTreeNode: nodeClass } = this.xml;
    function kindOf(name: string): NetworkElement['kind'] {
      const kinds = [ 'network', 'link', 'attachment' ] as const;
      return kinds.find((_kind, index): boolean => [ networks, links, attachments.elements ][index].includes(name)) ??
        'other';
    }
    /**
     * Visits elements. Attributes and coordinates belong to the enclosing element of a known kind, or to the element
     * itself.
     */
    function visit(element: Element, owner: NetworkElement | undefined, inherited: string): void {
      const attributes = new Map(element.attrs.map(({ name, value }): [string, string] => [ name, value ]));
      const srsName = attributes.get('srsName') ?? inherited;
      const kind = kindOf(element.name);
      const id = attributes.get('id');
      let holder = owner;
      if (kind !== 'other' || id !== undefined) {
        const made: NetworkElement = { kind, id, file, line: element.line % maxLine, references: [], lines: []};
        elements.push(made);
        holder = kind === 'other' && owner ? owner : made;
      }
      const reference = readReference(attributes.get('href') ?? '', file);
      if (holder && reference) {
        holder.references.push(reference);
      }
      if (holder && (element.name === 'posList' || element.name === 'pos')) {
        const line = { ...readPositions(element.content, srsName), file, line: element.line };
        const last = holder.lines.at(-1);
        if (last?.srsName === srsName && last.positions.length > 0 && line.positions.length === 1 &&
          isPosAfterPos(element)) {
          last.positions.push(line.positions[0]);
        } else {
          holder.lines.push(line);
        }
      }
      if (holder && kind === 'attachment') {
        holder.attachment = {
          file: attributes.get(attachments.file) ?? childText(element, attachments.file),
          mediaType: attributes.get(attachments.mediaType) ?? childText(element, attachments.mediaType),
        };
      }
      for (let child: Node | null = element.firstChild; child; child = siblingOf(child, 'next')) {
        if (child instanceof elementClass) {
          visit(child, holder, srsName);
        }
      }
    }
    /** Returns a sibling of any node. In the library, processing instructions have none, as if they were the last. */
    function siblingOf(node: Node, side: 'next' | 'prev'): Node | null {
      return node instanceof nodeClass ?
        node[side] :
          node.get(`${side === 'next' ? 'following' : 'preceding'}-sibling::node()[1]`);
    }
    /** Checks whether an element is one of several `pos` in a row, which GML reads as one line. */
    function isPosAfterPos(element: Element): boolean {
      let before = siblingOf(element, 'prev');
      while (before && !(before instanceof elementClass)) {
        before = siblingOf(before, 'prev');
      }
      return element.name === 'pos' && before?.name === 'pos';
    }
    function childText(element: Element, name: string): string {
      for (let child: Node | null = element.firstChild; child; child = siblingOf(child, 'next')) {
        if (child instanceof elementClass && child.name === name) {
          return child.content.trim();
        }
      }
      return '';
    }
    visit(root, undefined, defaultSystem);
    return elements;
  }
}

/** Reads a reference to an element of the package; none for other URLs, such as those of code lists. */
function readReference(href: string, from: string): Reference | undefined {
  const [ , document, id ] = /^([^#]*)#(.+)$/su.exec(href) ?? [];
  if (id === undefined || /^(?:[a-z][a-z\d+.-]*:|\/)/iu.test(document)) {
    return;
  }
  return document === '' ? { id } : { id, file: posix.join(posix.dirname(from), decodeLeniently(document)) };
}

/** Parses coordinates; none when the text is not a list of pairs of numbers. */
function readPositions(text: string, srsName: string): Pick<Line, 'positions' | 'srs' | 'srsName'> {
  const numbers = text.trim().split(/\s+/u).map(Number);
  const positions = numbers.length % 2 === 0 ?
      Array.from({ length: numbers.length / 2 }, (_, at): Position => [ numbers[2 * at], numbers[(2 * at) + 1] ]) :
      [];
  const [ code ] = /(?<!\d)\d+$/u.exec(srsName) ?? [];
  const srs = systems.find((system): boolean => system === `EPSG:${code}`);
  return { positions, srsName, ...srs && { srs }};
}

const notUtf8 = { rule: 'encoding', message: 'A document must be in UTF-8.', line: 1 };

/** Refuses a text that is not in UTF-8, declares another encoding, or has a document type. */
function findTextFault(bytes: Buffer): Pick<PackageFinding, 'line' | 'message' | 'rule'> | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return notUtf8;
  }
  // UTF-16 without a byte order mark.
  if (text.includes('\0')) {
    return notUtf8;
  }
  const [ , declared ] = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/u.exec(text) ?? [];
  if (declared !== undefined && !/^utf-?8$|^us-ascii$/iu.test(declared)) {
    return { rule: 'encoding', message: `A document must be in UTF-8, not in ${declared}.`, line: 1 };
  }
  const at = text.search(/<!(?:DOCTYPE|ENTITY)/u);
  return at === -1 ?
    undefined :
      {
        rule: 'document-type',
        message: 'A document must not have a document type or entities.',
        line: text.slice(0, at).split('\n').length,
      };
}

function findingsOf(error: unknown, file: string, rule: string): PackageFinding[] {
  const details = isRecord(error) ? opened<FailedCheck>(error).details : undefined;
  const told = details ?? [{ message: messageOf(error), line: 1 }];
  return told.slice(0, 100).map(({ message, line }): PackageFinding =>
    ({ step: 'Schema', rule, message: message.trim().slice(0, 500), file, line: Math.max(1, line) }));
}
