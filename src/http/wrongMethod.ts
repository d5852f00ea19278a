import type { Problem } from '../problems';
import { MethodNotAllowed } from '../problems';

/**
 * The problem of a path that does not take a method.
 *
 * @param method - One that Node knows, as it knows no other.
 * @param allowed - Methods that the path takes, as the `Allow` header lists them.
 */
export function wrongMethod(method: string, allowed: string): Problem {
  return new MethodNotAllowed(`${method} is not among its methods: ${allowed}`, { headers: { Allow: allowed }});
}
