import { messageOf } from './errors';

/** Something in the operator's files is wrong: a line says where, what, and what would be right. */
export class Mistakes {
  /** Those with which no server starts. */
  public readonly errors: string[] = [];
  /** Those that something is left out for. */
  public readonly warnings: string[] = [];

  /** All lines, the worst first. */
  public get lines(): string[] {
    return [ ...this.errors, ...this.warnings ];
  }

  /** Does some of the work, and notes what it throws. */
  public async during<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error: unknown) {
      this.errors.push(...messageOf(error).split('\n'));
      return undefined;
    }
  }

  /** @throws Error that has a line for each error. */
  public throwErrors(): void {
    if (this.errors.length > 0) {
      throw new Error(this.errors.join('\n'));
    }
  }
}
