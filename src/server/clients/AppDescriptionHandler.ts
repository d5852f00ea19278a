import { assertOidcInteraction, JsonInteractionHandler } from '@solid/community-server';
import type { JsonInteractionHandlerInput, JsonRepresentation, ProviderFactory } from '@solid/community-server';
import { cleanName } from '../../platform/cleanName';
import type { AppDescription } from './clientRules';
import { describeApp } from './clientRules';

/** An app, and what it requests. */
interface AppRequestDescription extends AppDescription {
  /** True when the person must be asked: always, but for the server's own pages. */
  needsConsent: boolean;
  /** True when it requests access while the person is offline. */
  staysConnected: boolean;
}

/** Arguments of {@link AppDescriptionHandler}. */
export interface AppDescriptionArgs {
  /** Knows the clients. */
  providerFactory: ProviderFactory;
  /** Base URL of the server. */
  baseUrl: string;
  /** Client ID document of the server's own pages, which it serves itself, relative to the base URL; empty for none. */
  ownClient?: string;
}

/** Members of a client that pages may read: those of the Solid-OIDC context. */
const shown = [ 'client_id', 'client_uri', 'policy_uri', 'contacts', 'grant_types', 'scope' ];

/** Describes the app and its request to the consent page. */
export class AppDescriptionHandler extends JsonInteractionHandler {
  private readonly providerFactory: ProviderFactory;
  private readonly ownClient?: string;
  private readonly origin: string;

  public constructor(args: AppDescriptionArgs) {
    super();
    this.providerFactory = args.providerFactory;
    this.origin = new URL(args.baseUrl).origin;
    this.ownClient = args.ownClient ? new URL(args.ownClient, args.baseUrl).href : undefined;
  }

  public async handle({ oidcInteraction }: JsonInteractionHandlerInput): Promise<JsonRepresentation> {
    assertOidcInteraction(oidcInteraction);
    const { params, session } = oidcInteraction;
    const provider = await this.providerFactory.getProvider();
    // Both were checked by the library before the interaction began.
    const [ clientId, redirectUri ] = [ String(params.client_id), String(params.redirect_uri) ];
    const client = await provider.Client.find(clientId);
    const metadata: Record<string, unknown> = { ...client?.metadata() };
    const isOwn = this.isOwn(clientId, redirectUri);
    const app = describeApp(clientId, redirectUri, metadata.client_name, isOwn ? undefined : this.origin);
    const staysConnected = lists(params.scope, 'offline_access');
    const needsConsent = staysConnected || lists(params.prompt, 'consent') || !isOwn;
    return { json: {
      client: {
        '@context': 'https://www.w3.org/ns/solid/oidc-context.jsonld',
        ...Object.fromEntries(shown.filter((key): boolean => key in metadata).map((key): [string, unknown] =>
          [ key, metadata[key] ])),
        client_name: cleanName(metadata.client_name),
      },
      app: { ...app, needsConsent, staysConnected } satisfies AppRequestDescription,
      webId: session?.accountId,
    }};
  }

  /** Checks whether a request is of the server's own pages, and leads back to them. */
  private isOwn(clientId: string, redirectUri: string): boolean {
    return this.ownClient === clientId && redirectUri.startsWith(new URL('.', this.ownClient).href);
  }
}

/** Checks whether a list of names separated by spaces has one of them. */
function lists(names: unknown, name: string): boolean {
  return typeof names === 'string' && names.split(' ').includes(name);
}
