/** An operator's command was not carried out. The message is for the operator, and contains no national number. */
export class Refused extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'Refused';
  }
}
