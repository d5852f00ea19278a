const suffix = '.acr';

/**
 * Returns the Turtle of an access control resource that does not exist yet, relative to it; nothing for other names.
 *
 * @see [Access Control Policy, section 4.1](https://solidproject.org/TR/acp#access-control-resource)
 */
export function unwrittenRules(path: string): string | undefined {
  if (path.endsWith(suffix)) {
    const [ type, resource ] = [ 'AccessControlResource', 'resource' ].map((name): string =>
      `<http://www.w3.org/ns/solid/acp#${name}>`);
    return `<> a ${type}; ${resource} <${path.slice(0, -suffix.length)}> .\n`;
  }
}
