/**
 * A setting that a component can't work with. The message names the flag and is all that an operator needs; the command
 * of the server prints the stack of what a constructor throws, so the message stands there, too.
 */
export class RefusedSetting extends Error {
  public constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RefusedSetting';
    this.stack = message;
  }
}
