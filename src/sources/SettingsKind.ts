import type { JsonSchema } from '../platform/jsonSchema';

/** Location of an object in an operator's settings file. */
export interface SettingsPlace {
  /** Folder of the settings file. Paths in the file are relative to it. */
  folder: string;
  /** Environment variables, which hold the secrets that the settings file names. */
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Creates the error for an invalid member: `sources.json: /1/endpoint must be an http or https URL`.
   *
   * @param member - Path of the member in the object, without a leading slash: `oauth/issuer`.
   * @param message - The rest of the sentence.
   */
  mistake: (member: string, message: string) => Error;
}

/** A kind of object in a settings file. */
export interface SettingsKind {
  /** Value of the member `kind`. */
  readonly kind: string;
  /** JSON Schema of the other members of the object: `properties`, `required`. Unknown members are refused. */
  readonly schema: JsonSchema;
}
