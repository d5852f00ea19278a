import { assertOidcInteraction, JsonInteractionHandler } from '@solid/community-server';
import type { JsonInteractionHandlerInput, JsonRepresentation, ProviderFactory } from '@solid/community-server';
import { cleanName } from '../../platform/cleanName';
import type { AppDescription } from './clientRules';
import { describeApp } from './clientRules';

/** Members of a client that pages may read: those of the Solid-OIDC context. */
const shown = [ 'client_id', 'client_uri', 'policy_uri', 'contacts', 'grant_types', 'scope' ];

/** Describes the app and its request to the consent page. */
export class AppDescriptionHandler extends JsonInteractionHandler {
  private readonly providerFactory: ProviderFactory;

  /**
   * @param providerFactory - Knows the clients.
   */
  public constructor(providerFactory: ProviderFactory) {
    super();
    this.providerFactory = providerFactory;
  }

  public async handle({ oidcInteraction }: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    assertOidcInteraction(oidcInteraction);
    const { params, session } = oidcInteraction;
    const provider = await this.providerFactory.getProvider();
    // Both were checked by the library before the interaction began.
    const [ clientId, redirectUri ] = [ String(params.client_id), String(params.redirect_uri) ];
    const client = await provider.Client.find(clientId);
    const metadata: Record<string, unknown> = { ...client?.metadata() };
    const app = describeApp(clientId, redirectUri, metadata.client_name);
    return { json: {
      client: {
        '@context': 'https://www.w3.org/ns/solid/oidc-context.jsonld',
        ...Object.fromEntries(shown.filter((key): boolean => key in metadata).map((key): [string, unknown] =>
          [ key, metadata[key] ])),
        client_name: cleanName(metadata.client_name),
      },
      app: { ...app, staysConnected: asksOffline(params.scope) } satisfies AppDescription & { staysConnected: boolean },
      webId: session?.accountId,
    }};
  }
}

/** Checks whether an app requests access while the person is offline. */
function asksOffline(scope: unknown): boolean {
  return typeof scope === 'string' && scope.split(' ').includes('offline_access');
}
