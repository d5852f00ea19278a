/**
 * A value of a plan. Strings, numbers and the like are used as they are. Everything else says how it is made: another
 * instance by its index in the plan, the value of a variable, an object, a list, a JSON value, or `undefined`.
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

/** An object to make, or an element of a module to use as it is. */
export interface PlannedInstance {
  module: string;
  element?: string;
  /** False for elements that are not constructed. */
  construct: boolean;
  args: PlannedValue[];
  /** IRI in the configuration. */
  id: string;
}

/** An object that the server requests, available once all instances before `end` are made. */
export interface PlannedRoot {
  value: PlannedValue;
  end: number;
}

/**
 * The objects that a configuration describes, in the order in which Components.js makes them: the result of reading and
 * resolving a configuration, except for the values of its variables.
 */
export interface Plan {
  instances: PlannedInstance[];
  /** Requested objects by IRI. */
  roots: Record<string, PlannedRoot>;
  /** Names of classes that cannot be used with several worker processes. */
  singleThreaded: string[];
}
