/**
 * A setting that a component cannot use. The message names the flag and is all that an operator needs. It is also the
 * stack, because the server's command prints the stack of errors in constructors.
 */
export class RefusedSetting extends Error {
  public constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RefusedSetting';
    this.stack = message;
  }
}
