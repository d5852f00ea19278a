/**
 * Replaces a part of one of the server's own objects that has no setting of its own.
 *
 * @throws Error when there is no such part: in a later version of the server, that stops the start rather than lose
 * what the replacement is for.
 */
export function replacePart(target: object, name: string, part: unknown): void {
  if (!(name in target)) {
    throw new Error(`css-data-sharing needs another version of the server: no ${target.constructor.name}.${name}`);
  }
  Object.assign(target, { [name]: part });
}
