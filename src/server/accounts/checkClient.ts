import { BadRequestHttpError, ConflictHttpError } from '@solid/community-server';
import type { InteractionHandlerInput } from '@solid/community-server';

/**
 * Refuses an answer that is about another app than that of the log-in in progress. A browser has one such log-in: since
 * a page showed an app, another tab may have begun that of another app, which the person has not seen.
 *
 * @param client - Client id of the app that the page showed; undefined from callers that show none.
 * @param interaction - The log-in in progress, if there is one.
 *
 * @throws BadRequestHttpError, ConflictHttpError
 */
export function checkClient(client: unknown, interaction: InteractionHandlerInput['oidcInteraction']): void {
  if (client !== undefined && typeof client !== 'string') {
    throw new BadRequestHttpError('client must be a text.');
  }
  if (client !== undefined && interaction && interaction.params.client_id !== client) {
    throw new ConflictHttpError('Another app asked for a log-in in this browser since.');
  }
}
