/** Why a command of the operator was not carried out. The message is for the operator, and names no number. */
export class Refused extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'Refused';
  }
}
