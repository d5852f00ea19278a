import { dirname } from 'node:path';
import type { ErrorObject } from 'ajv';
import type { JsonSchema } from '../platform/jsonSchema';
import { NotJson, parseJson } from '../platform/parseJson';
import { isRecord } from '../platform/isRecord';
import type { SettingsKind, SettingsPlace } from './SettingsKind';

/**
 * Makes the location of an object in a settings file.
 *
 * @param file - Path of the file.
 * @param pointer - JSON Pointer of the object; empty for the whole document.
 * @param env - Environment variables.
 */
export function placeIn(file: string, pointer: string, env: SettingsPlace['env']): SettingsPlace {
  return {
    folder: dirname(file),
    env,
    mistake: (member, message): Error => new Error(`${file}: ${pointer}/${member} ${message}`),
  };
}

/**
 * Returns the schema of an object of any of several kinds.
 *
 * @param kinds - The kinds.
 * @param common - Schema of the members that all kinds share, besides `kind`.
 */
export function schemaOfKinds(kinds: readonly SettingsKind[], common: JsonSchema = {}): JsonSchema {
  const kind = { enum: kinds.map((one): string => one.kind).sort() };
  return {
    type: 'object',
    // Checked separately, because the other members depend on the kind.
    allOf: [
      { required: [ 'kind' ], properties: { kind }},
      common,
      ...kinds.map(({ kind: name, schema }): JsonSchema => ({
        if: { properties: { kind: { const: name }}},
        // eslint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: {
          ...schema,
          properties: {
            kind: true,
            ...mapToTrue(common.properties),
            ...isRecord(schema.properties) && schema.properties,
          },
          additionalProperties: false,
        },
      })),
    ],
  };
}

function mapToTrue(properties: unknown): Record<string, true> {
  return Object.fromEntries(Object.keys(properties ?? {}).map((name): [string, true] => [ name, true ]));
}

/** @throws Error when two kinds have the same name, because a settings file could mean either. */
export function requireDistinct(flag: string, kinds: readonly SettingsKind[]): void {
  const names = kinds.map(({ kind }): string => kind);
  const twice = names.find((name, at): boolean => names.indexOf(name) < at);
  if (twice !== undefined) {
    throw new Error(`--${flag}: the configuration has two kinds called ${twice}`);
  }
}

/**
 * Describes a mistake in a settings file by file and member: `sources.json: /1/endpoint must be string`.
 *
 * @param file - Path of the file.
 * @param errors - Errors of the failed validation.
 */
export function settingsProblem(file: string, errors: ErrorObject[] | null | undefined): Error {
  // The first error in document order is often that of a branch of `oneOf`; the deepest one is the most specific.
  const [ error ] = [ ...errors ?? [] ].sort((one, other): number => depth(other) - depth(one));
  const { missingProperty, additionalProperty }: Record<string, string | undefined> = error.params;
  const member = [ error.instancePath.slice(1), missingProperty ?? additionalProperty ].filter(Boolean).join('/');
  return new Error(`${file}: ${member === '' ? 'the document' : `/${member}`} ${explain(error)}`);
}

/** Parses the JSON text of a settings file. */
export function parseSettings(file: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause: unknown) {
    throw cause instanceof NotJson ? new Error(`${cause.in(file)}: ${cause.message}`, { cause }) : cause;
  }
}

/**
 * Checks a URL from an operator: http or https, without credentials, query or fragment. Returns it without a trailing
 * slash.
 *
 * @param text - The URL.
 * @param member - Path of its member.
 * @param place - Location of the object.
 */
export function parseEndpoint(text: string, member: string, place: Pick<SettingsPlace, 'mistake'>): string {
  if (/^https?:\/\/[^\s?#@]+$/u.test(text) && URL.canParse(text)) {
    return text.replace(/\/+$/u, '');
  }
  throw place.mistake(member, 'must be an http or https URL without credentials, query and fragment');
}

function depth({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length;
}

function explain({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'enum') {
    const { allowedValues }: { allowedValues?: string[] } = params;
    return `must be ${oneOf(allowedValues ?? [])}`;
  }
  if (keyword === 'const') {
    return `must be ${String(params.allowedValue)}`;
  }
  if (keyword === 'required') {
    return 'is missing';
  }
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' ?
    'is not a member that is allowed here' :
    message ?? 'is invalid';
}

function oneOf(values: string[]): string {
  return [ values.slice(0, -1).join(', '), values.at(-1) ].filter(Boolean).join(' or ');
}
