import { isRecord } from '../../platform/isRecord';
import { schemaCompiler } from '../../platform/jsonSchema';
import type { Clock } from '../../platform/clock';
import { ClientCredentials } from '../../sources/http/ClientCredentials';
import { readSettingFile } from '../../platform/readSettingFile';
import type { ClientSettings } from '../../sources/http/ClientCredentials';
import type { ServiceLimits } from '../../sources/http/ServiceClient';
import { ServiceClient, serviceLimits } from '../../sources/http/ServiceClient';
import { parseEndpoint, parseSettings, placeIn, settingsProblem } from '../../sources/settings';
import type { SettingsPlace } from '../../sources/SettingsKind';
import { SourceFailure } from '../../sources/Source';

/** The regional registry, as the operator configures it. */
export interface RegistrySettings extends ClientSettings {
  /** URL without a slash at the end. */
  endpoint: string;
}

/** A zone as announced; names as on the wire. */
export interface Announcement {
  UnaZoneId: string;
  /** Larger for each later state of the zone. */
  Version: number;
  /** True when the zone was removed; the members below are then absent. */
  Removed: boolean;
  UnaId: string;
  Una?: object;
  Name?: string;
  Settings?: object;
  Geometries?: object[];
}

/** A call is a single attempt: `Jobs` repeats it. */
const limits: ServiceLimits = {
  ...serviceLimits,
  timeoutMs: 10_000,
  maxAnswerBytes: 64 * 1024,
  retries: 0,
  breakAfter: { failures: 1000, requests: 1 },
};

const text = { type: 'string', minLength: 1 };
const isGiven = schemaCompiler().compile<{
  endpoint: string;
  oauth: { issuer: string; clientId: string; clientSecretEnv: string };
}>({
  type: 'object',
  properties: {
    // As in the settings of a source.
    kind: { const: 'http' },
    endpoint: text,
    oauth: {
      type: 'object',
      properties: { issuer: text, clientId: text, clientSecretEnv: text },
      required: [ 'issuer', 'clientId', 'clientSecretEnv' ],
      additionalProperties: false,
    },
  },
  required: [ 'endpoint', 'oauth' ],
  additionalProperties: false,
});

/** The regional registry of zones: an HTTP service behind OAuth client credentials. */
export class Registry {
  private readonly client: ServiceClient;

  /**
   * @param settings - The registry.
   * @param now - The clock.
   * @param timeoutMs - Time limit of each request, in milliseconds.
   */
  public constructor(settings: RegistrySettings, now: Clock, timeoutMs = limits.timeoutMs) {
    const { endpoint, ...client } = settings;
    const credentials = new ClientCredentials(client, timeoutMs, now);
    this.client = new ServiceClient(endpoint, credentials, { ...limits, timeoutMs });
  }

  /**
   * Announces the state of a zone by a single `POST {endpoint}/unazone`.
   *
   * @throws SourceFailure unless the response is 200 with the id of the zone.
   */
  public async announce(announcement: Announcement): Promise<void> {
    const answer = await this.client.post('unazone', announcement);
    if (!isRecord(answer) || answer.UnaZoneId !== announcement.UnaZoneId) {
      throw new SourceFailure('the registry did not return the id of the zone');
    }
  }
}

/**
 * Reads the file of `--planRegistry`.
 *
 * @throws Error that names the flag, or the file and the member.
 */
export async function readRegistry(file: string, env: SettingsPlace['env']): Promise<RegistrySettings> {
  const given = parseSettings(file, await readSettingFile('--planRegistry', file));
  if (!isGiven(given)) {
    throw settingsProblem(file, isGiven.errors);
  }
  const { endpoint, oauth: { clientId, clientSecretEnv, issuer }} = given;
  const place = placeIn(file, '', env);
  const clientSecret = env[clientSecretEnv];
  if (!clientSecret) {
    throw place.mistake('oauth/clientSecretEnv', `names an environment variable that is not set: ${clientSecretEnv}`);
  }
  parseEndpoint(issuer, 'oauth/issuer', place);
  return { endpoint: parseEndpoint(endpoint, 'endpoint', place), issuer, clientId, clientSecret };
}
