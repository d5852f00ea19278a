import { valueOf } from './valuesOf';

const flags = [ '-w', '--workers' ];

/**
 * Checks that the number of workers is a whole number, before the server is loaded: it would start none for any other
 * text, and end without a word.
 *
 * @param argv - Arguments of the start.
 * @param environment - Environment; `CSS_WORKERS` applies when no flag is given.
 *
 * @throws Error that names the flag.
 */
export function requireWholeWorkers(argv: string[], environment: NodeJS.ProcessEnv): void {
  // A negative number counts down from the number of cores. As a word of its own, it looks like a flag.
  const text = valueOf(argv, flags, environment.CSS_WORKERS);
  if (text !== undefined && !/^-?\d+$/u.test(text)) {
    throw new Error(`--workers must be a whole number, not ${JSON.stringify(text)}`);
  }
}
