import { valueOf } from './valuesOf';

const flags = [ '-b', '--baseUrl', '--base-url' ];

/**
 * Checks that the base URL is one, before the server is loaded: its own message is `Invalid URL`, without the flag.
 * The configuration decides about a path in it.
 *
 * @param argv - Arguments of the start.
 * @param environment - Environment; `CSS_BASE_URL` applies when no flag is given.
 *
 * @throws Error that names the flag.
 */
export function requireBaseUrl(argv: string[], environment: NodeJS.ProcessEnv): void {
  const text = valueOf(argv, flags, environment.CSS_BASE_URL);
  // For an empty one, the server takes its default. A scheme without slashes could be a host, with its port.
  if (text && !(/^https?:\/\//iu.test(text) && URL.canParse(text))) {
    throw new Error(`--baseUrl must begin with https:// or http://, as in https://pods.example/, not ${
      JSON.stringify(text)}`);
  }
}
