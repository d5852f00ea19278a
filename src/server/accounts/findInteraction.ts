import type { JsonInteractionHandlerInput, ProviderFactory } from '@solid/community-server';

/**
 * Finds the log-in to an app for which a log-in elsewhere was started, even if the browser has started another since.
 *
 * @param providerFactory - Makes the server's own identity provider.
 * @param uid - Id of the log-in to the app.
 */
export async function findInteraction(
  providerFactory: ProviderFactory,
  uid: string | undefined,
): Promise<JsonInteractionHandlerInput['oidcInteraction']> {
  if (uid === undefined) {
    return;
  }
  const provider = await providerFactory.getProvider();
  return provider.Interaction.find(uid);
}
