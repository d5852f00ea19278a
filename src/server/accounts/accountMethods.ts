/**
 * Account routes below `/.account/`, and their methods: the server's own, and those of log-in at other identity
 * providers. `*` is an id. GET implies HEAD.
 */
const routes: readonly [path: string, methods: string][] = [
  [ '', 'GET' ],
  [ 'logout/', 'GET, POST' ],
  [ 'login/', 'GET' ],
  [ 'login/password/', 'GET, POST' ],
  [ 'login/password/register/', 'GET' ],
  [ 'login/password/forgot/', 'GET, POST' ],
  [ 'login/password/reset/', 'GET, POST' ],
  [ 'login/national/', 'GET, POST' ],
  [ 'login/national/*/', 'GET, POST' ],
  [ 'login/welcome/', 'POST' ],
  [ 'oidc/cancel/', 'POST' ],
  [ 'oidc/consent/', 'GET, POST' ],
  [ 'oidc/forget-webid/', 'POST' ],
  [ 'oidc/pick-webid/', 'GET, POST' ],
  [ 'oidc/prompt/', 'GET, POST' ],
  [ 'account/', 'GET, POST' ],
  [ 'account/*/', 'GET' ],
  [ 'account/*/logout/', 'POST' ],
  [ 'account/*/login/password/', 'GET, POST' ],
  [ 'account/*/login/password/*/', 'GET, POST, DELETE' ],
  [ 'account/*/pod/', 'GET, POST' ],
  [ 'account/*/pod/*/', 'GET, POST' ],
  [ 'account/*/webid/', 'GET, POST' ],
  [ 'account/*/webid/*/', 'DELETE' ],
  [ 'account/*/client-credentials/', 'GET, POST' ],
  [ 'account/*/client-credentials/*/', 'GET, DELETE' ],
];

/** Paths of account routes, each with its methods. */
export const accountRoutes: readonly { path: string; methods: string[] }[] = routes
  .map(([ path, methods ]): { path: string; methods: string[] } =>
    ({ path: `/.account/${path}`, methods: methods.replace('GET', 'GET, HEAD').split(', ') }));

const patterns = accountRoutes.map(({ path, methods }): [RegExp, string[]] => [ patternOf(path), methods ]);

/**
 * Returns the methods of an account route.
 *
 * @param path - Path of a request.
 *
 * @returns `undefined` for other paths, such as those of log-in methods that the operator added.
 */
export function findAccountMethods(path: string): string[] | undefined {
  return patterns.find(([ pattern ]): boolean => pattern.test(path))?.[1];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]+')}$`, 'u');
}
