const usualMethods = new Set([ 'GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS' ]);

/** A method for logs and metrics. Callers may send any; an unusual one is not repeated. */
export function usualMethod(method = ''): string {
  return usualMethods.has(method) ? method : '_OTHER';
}
