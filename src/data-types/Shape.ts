import type { Term } from 'n3';
import type { DataType, I18nString } from './DataType';

/** Format of a property: one of the formats of a summary field, where `concept` is a coded `string`. */
export type FieldKind = 'string' | 'concept' | 'group' | 'date' | 'timestamp' | 'boolean' | 'number';

/** A property in a data type. */
export interface PropertyShape {
  /** IRI of the property. */
  path: string;
  /** Name of the field in a summary. */
  key: string;
  labels: I18nString[];
  order: number;
  mandatory: boolean;
  kind: FieldKind;
  /** Shape of the value of a `group`. */
  node?: NodeShape;
  /** Set when it is shown as the title or subtitle of the summary. */
  role?: 'title' | 'subtitle';
  inDetails: boolean;
  /** True when the citizen's national number may be its value. */
  nationalNumber: boolean;
}

/** A node in a data type. */
export interface NodeShape {
  term: Term;
  /** Properties in the order shown. */
  properties: PropertyShape[];
}

/** A data type with all content of its file. */
export interface ShapedDataType extends DataType {
  shape: NodeShape;
  /** Names of coded concepts, by IRI. */
  concepts: Map<string, I18nString[]>;
}

/** Lists all property shapes of a node shape, including those of nested shapes. */
export function allProperties(shape: NodeShape): PropertyShape[] {
  return shape.properties.flatMap((property): PropertyShape[] =>
    [ property, ...property.node ? allProperties(property.node) : [] ]);
}
