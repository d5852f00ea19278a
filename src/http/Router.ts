import type { Method } from './Operation';

/** A mount: a method and a path. */
export interface Mountable {
  method: Method;
  /** `{name}` stands for one segment, a final `**` for any number of them. */
  path: string;
}

/** Mounts at one path by method, and the values of the path's parameters. */
export interface Match<T> {
  operations: ReadonlyMap<Method, T>;
  params: Record<string, string>;
}

interface Node<T> {
  literals: Map<string, Node<T>>;
  parameter?: { name: string; node: Node<T> };
  /** Mounts under `**` in this place. */
  rest?: Map<Method, T>;
  operations: Map<Method, T>;
}

/** Finds the operations at a path by walking its segments: literals before parameters before `**`. */
export class Router<T extends Mountable> {
  private readonly root = newNode<T>();

  /** @throws Error when two operations share a method and path, or name one parameter in two ways. */
  public constructor(operations: readonly T[]) {
    for (const operation of operations) {
      const place = this.place(operation.path);
      if (place.has(operation.method)) {
        throw new Error(`Two operations at ${operation.method} ${operation.path}`);
      }
      place.set(operation.method, operation);
    }
  }

  /**
   * @param segments - Decoded path segments.
   *
   * @returns `undefined` when there is nothing at this path.
   */
  public match(segments: readonly string[]): Match<T> | undefined {
    const params: Record<string, string> = {};
    const operations = walk(this.root, segments, 0, params);
    return operations && { operations, params };
  }

  private place(template: string): Map<Method, T> {
    let node = this.root;
    for (const segment of template.split('/').slice(1)) {
      if (segment === '**') {
        node.rest ??= new Map();
        return node.rest;
      }
      node = segment.startsWith('{') ? parameterNode(node, segment.slice(1, -1)) : literalNode(node, segment);
    }
    return node.operations;
  }
}

function newNode<T>(): Node<T> {
  return { literals: new Map(), operations: new Map() };
}

function literalNode<T>(parent: Node<T>, segment: string): Node<T> {
  const node = parent.literals.get(segment) ?? newNode<T>();
  parent.literals.set(segment, node);
  return node;
}

function parameterNode<T>(parent: Node<T>, name: string): Node<T> {
  parent.parameter ??= { name, node: newNode() };
  if (parent.parameter.name !== name) {
    throw new Error(`One path parameter with two names: ${parent.parameter.name} and ${name}`);
  }
  return parent.parameter.node;
}

function walk<T>(
  node: Node<T>,
  segments: readonly string[],
  at: number,
  params: Record<string, string>,
): Map<Method, T> | undefined {
  if (at === segments.length) {
    return node.operations.size > 0 ? node.operations : takeRest(node, [], params);
  }
  const literal = node.literals.get(segments[at]);
  const found = literal && walk(literal, segments, at + 1, params);
  if (found) {
    return found;
  }
  if (node.parameter && segments[at] !== '') {
    const below = walk(node.parameter.node, segments, at + 1, params);
    if (below) {
      params[node.parameter.name] = segments[at];
      return below;
    }
  }
  return takeRest(node, segments.slice(at), params);
}

function takeRest<T>(node: Node<T>, rest: string[], params: Record<string, string>): Map<Method, T> | undefined {
  if (node.rest) {
    params['**'] = rest.join('/');
  }
  return node.rest;
}
