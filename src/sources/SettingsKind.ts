import type { JsonSchema } from '../platform/jsonSchema';

/** Place of an object in a settings file of the operator. */
export interface SettingsPlace {
  /** Folder of the file: paths in it are relative to this one. */
  folder: string;
  /** Environment variables, which hold the secrets that a settings file names. */
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Makes the error for a member that is wrong: `sources.json: /1/endpoint must be an http or https URL`.
   *
   * @param member - Path of the member in the object, without a slash in front: `oauth/issuer`.
   * @param message - The rest of the sentence.
   */
  mistake: (member: string, message: string) => Error;
}

/** A kind of objects in a settings file. */
export interface SettingsKind {
  /** Value of the member `kind`. */
  readonly kind: string;
  /**
   * JSON Schema of the other members of the object: `properties`, `required`. Members that it does not name are
   * refused.
   */
  readonly schema: JsonSchema;
}
