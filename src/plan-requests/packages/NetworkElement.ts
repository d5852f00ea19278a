import type { Position } from '../geometry/polygons';
import type { System } from '../geometry/systems';

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
