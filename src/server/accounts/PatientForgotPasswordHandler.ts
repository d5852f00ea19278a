import { ForgotPasswordHandler } from '@solid/community-server';
import type {
  ForgotPasswordHandlerArgs,
  JsonInteractionHandlerInput,
  JsonRepresentation,
} from '@solid/community-server';

type Sent = { email: string };

/** Mails that one address gets in an hour, and for how many addresses that is remembered. */
const mostMails = 3;
const windowMs = 3_600_000;
const mostRemembered = 10_000;

/**
 * Mails a link for a new password. The answer says the same, and as soon, whether somebody has the address or not; an
 * address gets a few such mails in an hour.
 */
export class PatientForgotPasswordHandler extends ForgotPasswordHandler {
  /** Times by address. */
  private readonly asked = new Map<string, number[]>();

  public constructor(args: ForgotPasswordHandlerArgs) {
    super(args);
  }

  public override async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation<Sent>> {
    const { email } = input.json as { email?: unknown };
    if (typeof email !== 'string' || !/^[^\s@]+@[^\s@]+$/u.test(email.trim())) {
      // Refused there, in the server's own words.
      return super.handle(input);
    }
    const address = email.trim();
    if (this.count(address.toLowerCase(), Date.now())) {
      // Whoever asks does not wait for it: how long it takes would tell whether there is such an address.
      setImmediate((): void => {
        super.handle(input).catch((error: unknown): void => {
          this.logger.error(`A mail for a new password was not sent: ${(error as Error).message}`);
        });
      });
    }
    return { json: { email: address }};
  }

  /** False when there were enough. */
  private count(address: string, now: number): boolean {
    const times = (this.asked.get(address) ?? []).filter((time): boolean => time > now - windowMs);
    const isLeft = times.length < mostMails;
    this.asked.delete(address);
    this.asked.set(address, isLeft ? [ ...times, now ] : times);
    if (this.asked.size > mostRemembered) {
      const [ oldest ] = this.asked.keys();
      this.asked.delete(oldest);
    }
    return isLeft;
  }
}
