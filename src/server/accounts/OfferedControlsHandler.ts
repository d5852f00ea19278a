import { JsonInteractionHandler } from '@solid/community-server';
import type { Json, JsonInteractionHandlerInput, JsonRepresentation } from '@solid/community-server';
import type { AccountOffers } from './AccountOffers';

/**
 * Removes controls of operations that this server does not offer from responses of account operations, so that pages
 * show no link to them.
 */
export class OfferedControlsHandler extends JsonInteractionHandler {
  private readonly source: JsonInteractionHandler;
  private readonly withheld: Set<string>;

  /**
   * @param source - Makes the responses.
   * @param offers - Knows the offered operations.
   */
  public constructor(source: JsonInteractionHandler, offers: AccountOffers) {
    super();
    this.source = source;
    this.withheld = offers.withheldUrls();
  }

  public async canHandle(input: JsonInteractionHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }

  public async handle(input: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    const answer = await this.source.handle(input);
    const { controls, logins } = answer.json;
    return { ...answer, json: {
      ...answer.json,
      ...controls !== undefined && { controls: this.pick(controls) },
      ...logins !== undefined && { logins: this.pick(logins) },
    }};
  }

  private pick(controls: Json | undefined): Json | undefined {
    if (typeof controls !== 'object' || controls === null || Array.isArray(controls)) {
      return controls;
    }
    return Object.fromEntries(Object.entries(controls)
      .filter(([ , value ]): boolean => !(typeof value === 'string' && this.withheld.has(value)))
      .map(([ key, value ]): [string, Json | undefined] => [ key, this.pick(value) ]));
  }
}
