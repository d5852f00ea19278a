import { messageOf } from './errors';

/** Mistakes in the operator's files. Each line says where, what is wrong, and how to correct it. */
export class Mistakes {
  /** Mistakes that prevent the start. */
  public readonly errors: string[] = [];
  /** Mistakes because of which something is ignored. */
  public readonly warnings: string[] = [];

  /** All lines, errors first. */
  public get lines(): string[] {
    return [ ...this.errors, ...this.warnings ];
  }

  /** Runs work, and records its errors. */
  public async during<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error: unknown) {
      this.errors.push(...messageOf(error).split('\n'));
      return undefined;
    }
  }

  /** @throws Error with a line for each error. */
  public throwErrors(): void {
    if (this.errors.length > 0) {
      throw new Error(this.errors.join('\n'));
    }
  }
}
