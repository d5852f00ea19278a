/**
 * Replaces a part of one of the server's own objects for which there is no setting.
 *
 * @throws Error when there is no such part: with a later version of the server, the start fails instead of losing the
 * replacement.
 * what the replacement is for.
 */
export function replacePart(target: object, name: string, part: unknown): void {
  if (!(name in target)) {
    throw new Error(`css-data-sharing needs another version of the server: no ${target.constructor.name}.${name}`);
  }
  Object.assign(target, { [name]: part });
}
