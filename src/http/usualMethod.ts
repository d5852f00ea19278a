const usualMethods = new Set([ 'GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS' ]);

/** Returns a method for logs and metrics. Clients may send any text as method, so unusual ones are replaced. */
export function usualMethod(method = ''): string {
  return usualMethods.has(method) ? method : '_OTHER';
}
