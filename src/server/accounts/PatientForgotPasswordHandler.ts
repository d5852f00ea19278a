import { BadRequestHttpError, getLoggerFor, JsonInteractionHandler } from '@solid/community-server';
import type {
  ForgotPasswordStore,
  InteractionRoute,
  JsonInteractionHandlerInput,
  JsonRepresentation,
  JsonView,
  PasswordStore,
} from '@solid/community-server';
import { systemClock } from '../../platform/clock';
import { HeavyMap } from '../../platform/HeavyMap';
import type { MailSender } from '../mail/MailSender';
import type { ServicePages } from '../pages/ServicePages';
import { messageOf } from '../../platform/errors';
import { textOf } from './accountTexts';
import { findMailAddress } from './mailAddress';
import type { PasswordRule } from './PasswordRule';

type Sent = { email: string };

/** Options of {@link PatientForgotPasswordHandler}. */
export interface PatientForgotPasswordHandlerArgs {
  /** Passwords of accounts. */
  passwordStore: PasswordStore;
  /** Passwords that may be replaced. */
  forgotPasswordStore: ForgotPasswordStore;
  /** Decides which accounts may have passwords. */
  rule: PasswordRule;
  /** Sends the link. */
  mail: MailSender;
  /** Words of the mail. */
  pages: ServicePages;
  /** URL that the link leads to. */
  resetRoute: InteractionRoute;
}

/** Maximum mails per hour to one address and to one account, and the number of both that are remembered. */
const maxMails = 3;
const windowMs = 3_600_000;
const maxRemembered = 10_000;

/**
 * Mails a link for a new password. The response and its time are the same for unknown addresses. Mails are limited per
 * hour, for an address and for all addresses of an account.
 */
export class PatientForgotPasswordHandler extends JsonInteractionHandler<Sent> implements JsonView {
  private readonly logger = getLoggerFor(this);
  private readonly args: PatientForgotPasswordHandlerArgs;
  /** Times of recent mails by address and account. */
  private readonly asked = new HeavyMap<number[]>(
    { weight: maxRemembered, ageMilliseconds: windowMs },
    systemClock,
  );

  public constructor(args: PatientForgotPasswordHandlerArgs) {
    super();
    this.args = args;
  }

  public async getView(): Promise<JsonRepresentation> {
    return { json: { fields: { email: { required: true, type: 'string' }}}};
  }

  public async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation<Sent>> {
    const address = findMailAddress(textOf(input, 'email'));
    if (address === undefined) {
      throw new BadRequestHttpError('email must be a valid email');
    }
    if (this.count(address.toLowerCase())) {
      // Not awaited: the response time would reveal whether the address is known.
      setImmediate((): void => {
        this.send(address).catch((error: unknown): void => {
          this.logger.error(`A mail for a new password was not sent: ${messageOf(error)}`);
        });
      });
    }
    return { json: { email: address }};
  }

  private async send(address: string): Promise<void> {
    const { forgotPasswordStore, mail, pages, passwordStore, resetRoute, rule } = this.args;
    const login = await passwordStore.findByEmail(address);
    const known = login && await passwordStore.get(login.id);
    if (!known || !await rule.mayHavePassword(known.accountId) || !this.count(`account ${known.accountId}`)) {
      return;
    }
    const id = await forgotPasswordStore.generate(login.id);
    const link = `${resetRoute.getPath()}?rid=${encodeURIComponent(id)}`;
    await mail.handleSafe({
      // Not to the typed address: different addresses may be the same in lower case, and belong to different people.
      to: known.email,
      subject: pages.text('mail.resetSubject'),
      text: pages.text('mail.resetText').replaceAll('{link}', link),
    });
  }

  /** Counts a mail; returns false when the limit is reached. */
  private count(key: string): boolean {
    const time = Date.now();
    const times = (this.asked.get(key) ?? []).filter((each): boolean => each > time - windowMs);
    const isLeft = times.length < maxMails;
    this.asked.set(key, isLeft ? [ ...times, time ] : times, 1);
    return isLeft;
  }
}
