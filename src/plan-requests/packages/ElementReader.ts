import { posix } from 'node:path';
import type * as Libxml from 'libxml2-wasm' with { 'resolution-mode': 'import' };
import type { Position } from '../geometry/polygons';
import type { System } from '../geometry/systems';
import { systems } from '../geometry/systems';
import { decodeLeniently } from '../../platform/decodeLeniently';
import type { Line, NetworkElement, Reference } from './NetworkElement';
import type { OpenNetworkModel } from './NetworkModel';

/** The part of `libxml2-wasm` in use. The package is an ES module, imported within a thread of its own. */
export type Xml = typeof Libxml;
type Element = InstanceType<Xml['XmlElement']>;
type Node = InstanceType<Xml['XmlNode']>;

const defaultSystem: System = 'EPSG:31370';
const maxLine = 2 ** 31;

/** Reads the elements of one document that have an id, belong to a network, or refer to others. */
export class ElementReader {
  private readonly elements: NetworkElement[] = [];

  public constructor(
    private readonly xml: Xml,
    private readonly model: OpenNetworkModel,
    private readonly file: string,
  ) {}

  /** Lists the elements, each before those within it. */
  public read(root: Element): NetworkElement[] {
    this.visit(root, undefined, defaultSystem);
    return this.elements;
  }

  /** Visits an element and those within it. `owner` is the nearest one around it of a known kind or with an id. */
  private visit(element: Element, owner: NetworkElement | undefined, inherited: string): void {
    const attributes = new Map(element.attrs.map(({ name, value }): [string, string] => [ name, value ]));
    const srsName = attributes.get('srsName') ?? inherited;
    const holder = this.holderOf(element, attributes.get('id'), owner);
    if (holder) {
      this.describe(holder, element, attributes, srsName);
    }
    for (const child of this.childrenOf(element)) {
      this.visit(child, holder, srsName);
    }
  }

  /**
   * Returns the element to which attributes and coordinates belong: the enclosing one of a known kind, or the element
   * itself.
   */
  private holderOf(
    { line, name }: Element,
    id: string | undefined,
    owner: NetworkElement | undefined,
  ): NetworkElement | undefined {
    const kind = this.kindOf(name);
    if (kind === 'other' && id === undefined) {
      return owner;
    }
    const made: NetworkElement = { kind, id, file: this.file, line: line % maxLine, references: [], lines: []};
    this.elements.push(made);
    return kind === 'other' && owner ? owner : made;
  }

  private describe(
    holder: NetworkElement,
    element: Element,
    attributes: ReadonlyMap<string, string>,
    srsName: string,
  ): void {
    const reference = readReference(attributes.get('href') ?? '', this.file);
    if (reference) {
      holder.references.push(reference);
    }
    if (element.name === 'posList' || element.name === 'pos') {
      this.addPositions(holder, element, srsName);
    }
    if (this.kindOf(element.name) === 'attachment') {
      const { file, mediaType } = this.model.attachments;
      holder.attachment = {
        file: attributes.get(file) ?? this.childText(element, file),
        mediaType: attributes.get(mediaType) ?? this.childText(element, mediaType),
      };
    }
  }

  /** Adds the coordinates of an element. Several `pos` in a row are one line, as in GML. */
  private addPositions({ lines }: NetworkElement, element: Element, srsName: string): void {
    const line = { ...readPositions(element.content, srsName), file: this.file, line: element.line };
    const last = lines.at(-1);
    if (last?.srsName === srsName && last.positions.length > 0 && line.positions.length === 1 &&
      this.isPosAfterPos(element)) {
      last.positions.push(line.positions[0]);
    } else {
      lines.push(line);
    }
  }

  private isPosAfterPos(element: Element): boolean {
    let before = this.siblingOf(element, 'prev');
    while (before && !(before instanceof this.xml.XmlElement)) {
      before = this.siblingOf(before, 'prev');
    }
    return element.name === 'pos' && before?.name === 'pos';
  }

  private kindOf(name: string): NetworkElement['kind'] {
    const { attachments, links, networks } = this.model;
    const kinds = [ 'network', 'link', 'attachment' ] as const;
    return kinds.find((_kind, index): boolean => [ networks, links, attachments.elements ][index].includes(name)) ??
      'other';
  }

  private childText(element: Element, name: string): string {
    for (const child of this.childrenOf(element)) {
      if (child.name === name) {
        return child.content.trim();
      }
    }
    return '';
  }

  private* childrenOf(element: Element): Iterable<Element> {
    for (let child: Node | null = element.firstChild; child; child = this.siblingOf(child, 'next')) {
      if (child instanceof this.xml.XmlElement) {
        yield child;
      }
    }
  }

  /** Returns a sibling of any node. In the library, processing instructions have none, as if they were the last. */
  private siblingOf(node: Node, side: 'next' | 'prev'): Node | null {
    return node instanceof this.xml.XmlTreeNode ?
      node[side] :
        node.get(`${side === 'next' ? 'following' : 'preceding'}-sibling::node()[1]`);
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
