import { parseEndpoint } from '../settings';
import type { Source } from '../Source';
import type { SourceKind, SourcePlace } from '../SourceKind';
import { ClientCredentials } from './ClientCredentials';
import { HttpSource } from './HttpSource';
import { ServiceClient, serviceLimits } from './ServiceClient';

interface HttpSettings {
  endpoint: string;
  oauth: { issuer: string; clientId: string; clientSecretEnv: string };
}

const text = { type: 'string', minLength: 1 };

/**
 * Sources behind HTTP: `{"kind": "http", "dataType", "endpoint", "oauth": {"issuer", "clientId", "clientSecretEnv"}}`.
 */
export class HttpSourceKind implements SourceKind {
  public readonly kind = 'http';
  public readonly schema = {
    properties: {
      endpoint: text,
      oauth: {
        type: 'object',
        required: [ 'issuer', 'clientId', 'clientSecretEnv' ],
        properties: { issuer: text, clientId: text, clientSecretEnv: text },
        additionalProperties: false,
      },
    },
    required: [ 'endpoint', 'oauth' ],
  };

  public open({ endpoint, oauth }: HttpSettings, place: SourcePlace): Source {
    const { issuer, clientId, clientSecretEnv } = oauth;
    const clientSecret = place.env[clientSecretEnv];
    if (!clientSecret) {
      throw place.mistake('oauth/clientSecretEnv', `names an environment variable that is not set: ${clientSecretEnv}`);
    }
    parseEndpoint(issuer, 'oauth/issuer', place);
    const credentials = new ClientCredentials({ issuer, clientId, clientSecret }, serviceLimits.timeoutMs, place.now);
    const client = new ServiceClient(parseEndpoint(endpoint, 'endpoint', place), credentials);
    return new HttpSource(place.dataType, client, place.trustedIssuers);
  }
}
