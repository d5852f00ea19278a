import type { ErrorObject } from 'ajv';
import type { NotJson } from '../platform/parseJson';
import { parseJson } from '../platform/parseJson';

/**
 * Names a mistake in a settings file, by file and member: `sources.json: /1/endpoint must be string`.
 *
 * @param file - Its path.
 * @param errors - Of the validation that failed.
 */
export function settingsProblem(file: string, errors: ErrorObject[] | null | undefined): Error {
  // The first error in document order is often that of a branch of `oneOf`: the deepest one says most.
  const [ error ] = [ ...errors ?? [] ].sort((one, other): number => depth(other) - depth(one));
  const { missingProperty, additionalProperty } = error.params as Record<string, string | undefined>;
  const member = [ error.instancePath.slice(1), missingProperty ?? additionalProperty ].filter(Boolean).join('/');
  return new Error(`${file}: ${member === '' ? 'the document' : `/${member}`} ${explain(error)}`);
}

/** Parses the JSON text of a settings file. */
export function parseSettings(file: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause: unknown) {
    throw new Error(`${(cause as NotJson).in(file)}: ${(cause as NotJson).message}`, { cause });
  }
}

/**
 * Checks a URL that an operator gives: http or https, without credentials, query or fragment. Answers it without a
 * slash at the end.
 */
export function parseEndpoint(file: string, member: string, text: string): string {
  if (/^https?:\/\/[^\s?#@]+$/u.test(text) && URL.canParse(text)) {
    return text.replace(/\/+$/u, '');
  }
  throw new Error(`${file}: /${member} must be an http or https URL without credentials, query and fragment`);
}

function depth({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length;
}

function explain({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'enum') {
    return `must be ${(params as { allowedValues: string[] }).allowedValues.join(' or ')}`;
  }
  if (keyword === 'const') {
    return `must be ${(params as { allowedValue: string }).allowedValue}`;
  }
  if (keyword === 'required') {
    return 'is missing';
  }
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' ?
    'is not a member that belongs here' :
    message ?? 'is not right';
}
