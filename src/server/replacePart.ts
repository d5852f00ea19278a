import { opened } from '../platform/opened';

/**
 * Replaces a part of one of the server's own objects for which there is no setting.
 *
 * @throws Error when there is no such part: with a later version of the server, the start fails instead of losing the
 * replacement.
 */
export function replacePart(target: object, name: string, part: unknown): void {
  if (!(name in target)) {
    throw missing(target, name);
  }
  Object.assign(target, { [name]: part });
}

/**
 * Replaces a method of one of the server's own objects by one that calls it.
 *
 * @param target - The object.
 * @param name - Name of the method.
 * @param wrap - Makes the new method from the server's own.
 *
 * @throws Error when there is no such method, as {@link replacePart} does.
 */
export function wrapMethod<TArgs extends unknown[], TResult>(
  target: object,
  name: string,
  wrap: (own: (...args: TArgs) => TResult) => (...args: TArgs) => TResult,
): void {
  const own = opened<Record<string, ((...args: TArgs) => TResult) | undefined>>(target)[name];
  if (!own) {
    throw missing(target, name);
  }
  replacePart(target, name, wrap(own.bind(target)));
}

function missing(target: object, name: string): Error {
  return new Error(`css-data-sharing needs another version of the server: no ${target.constructor.name}.${name}`);
}
