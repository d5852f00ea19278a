import { inspect } from 'node:util';

/**
 * A text protected from accidental output: as a string, in JSON and in `util.inspect` it appears as its name in
 * brackets. Only {@link reveal} returns it.
 */
export class Concealed {
  readonly #text: string;
  readonly #name: string;

  /**
   * @param text - The text.
   * @param name - Name to print instead, in brackets.
   */
  public constructor(text: string, name: string) {
    this.#text = text;
    this.#name = name;
  }

  /** Returns the text. Use it for a comparison, a digest, encryption, or the body of a request. */
  public reveal(): string {
    return this.#text;
  }

  public toString(): string {
    return `[${this.#name}]`;
  }

  public toJSON(): string {
    return this.toString();
  }

  public [inspect.custom](): string {
    return this.toString();
  }
}
