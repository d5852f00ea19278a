import type { Problem } from '../problems';
import { MethodNotAllowed } from '../problems';

/**
 * Creates the problem of a path that does not support a method.
 *
 * @param method - A method that Node supports.
 * @param allowed - Supported methods in the form of the `Allow` header.
 */
export function wrongMethod(method: string, allowed: string): Problem {
  return new MethodNotAllowed(`${method} is not among its methods: ${allowed}`, { headers: { Allow: allowed }});
}
