/**
 * A value of a plan. Strings, numbers and the like stand for themselves; everything else says how it is made:
 * another instance by its place in the plan, the value of a variable, an object, a list, a JSON value, or `undefined`.
 */
export type PlannedValue =
  | string |
  number |
  boolean |
  { instance: number } |
  { variable: string } |
  { hash: ([ string, PlannedValue ] | null)[] } |
  { array: PlannedValue[] } |
  { json: unknown } |
  { nothing: true };

/** An object to make, or an element of a module to take as it is. */
export interface PlannedInstance {
  module: string;
  element?: string;
  /** False for elements that are not constructed. */
  construct: boolean;
  args: PlannedValue[];
  /** IRI in the configuration. */
  id: string;
}

/** An object that the server asks for, once all instances before `end` are made. */
export interface PlannedRoot {
  value: PlannedValue;
  end: number;
}

/**
 * The objects that a configuration describes, in the order in which Components.js makes them: all that is left of a
 * configuration once it is read and resolved, but for the values of its variables.
 */
export interface Plan {
  instances: PlannedInstance[];
  /** By IRI. */
  roots: Record<string, PlannedRoot>;
  /** Names of classes that cannot be used with several worker processes. */
  singleThreaded: string[];
}
