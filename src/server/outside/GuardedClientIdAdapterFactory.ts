import { hasScheme, PassthroughAdapter, PassthroughAdapterFactory } from '@solid/community-server';
import type { AdapterFactory, RepresentationConverter } from '@solid/community-server';
import { isFetchError } from '../../platform/fetchErrors';
import { isRecord } from '../../platform/isRecord';
import { opened } from '../../platform/opened';
import { parseObject } from '../../platform/parseJson';
import type { OutsideDocuments } from './OutsideDocuments';
import { readStatements } from './readStatements';

type Adapter = ReturnType<AdapterFactory['createStorageAdapter']>;
type Client = Exclude<Awaited<ReturnType<Adapter['find']>>, void>;

const oidcContext = 'https://www.w3.org/ns/solid/oidc-context.jsonld';
/** Maximum characters of a description in JSON: the library hashes it in quadratic time, before it checks anything. */
const maxLength = 32 * 1024;
const redirectUris = 'http://www.w3.org/ns/solid/oidc#redirect_uris';

/**
 * Clients of the server's identity provider: registered ones, otherwise those described by the document at their
 * `client_id`, which is fetched through the guard. A document that cannot be fetched or used gives no client; the
 * reason is not revealed.
 *
 * @see [Solid-OIDC, section 5.1](https://solidproject.org/TR/oidc#clientids-document)
 */
export class GuardedClientIdAdapterFactory extends PassthroughAdapterFactory {
  private readonly outside: OutsideDocuments;
  private readonly converter: RepresentationConverter;

  /**
   * @param outside - Fetches documents of clients.
   * @param source - Registered clients of the server.
   * @param converter - Reads RDF documents.
   */
  public constructor(outside: OutsideDocuments, source: AdapterFactory, converter: RepresentationConverter) {
    super(source);
    this.outside = outside;
    this.converter = converter;
  }

  public override createStorageAdapter(name: string): Adapter {
    const adapter = this.source.createStorageAdapter(name);
    return name === 'Client' ? new ClientAdapter(name, adapter, this.outside, this.converter) : adapter;
  }
}

class ClientAdapter extends PassthroughAdapter {
  public constructor(
    name: string,
    source: Adapter,
    private readonly outside: OutsideDocuments,
    private readonly converter: RepresentationConverter,
  ) {
    super(name, source);
  }

  public override async find(id: string): Promise<Client | undefined> {
    const known = await this.source.find(id);
    if (known || !hasScheme(id, 'http', 'https')) {
      return known ?? undefined;
    }
    const client = await this.fetchClient(id);
    // Such clients have no secret.
    return client && { ...client, token_endpoint_auth_method: 'none' };
  }

  private async fetchClient(id: string): Promise<Client | undefined> {
    try {
      const response = await this.outside.fetchResponse(id, 'application/ld+json, application/json;q=0.9, */*;q=0.1');
      const text = await response.text();
      const json = response.status === 200 ? parseClient(text) : undefined;
      if (json) {
        return json.client_id === id && text.length <= maxLength ? json : undefined;
      }
      return { client_id: id, redirect_uris: await this.redirectUris(response, text) };
    } catch (error: unknown) {
      if (isFetchError(error) || (isRecord(error) && error.statusCode === 400)) {
        return;
      }
      throw error;
    }
  }

  private async redirectUris(response: Response, text: string): Promise<string[]> {
    const statements = await readStatements(response, this.converter, text);
    return statements.getObjects(null, redirectUris, null).map(({ value }): string => value);
  }
}

/** Parses plain JSON, when its context allows that. */
function parseClient(text: string): Client | undefined {
  // Other text is RDF. The library checks the metadata of a client, wherever it comes from.
  const json = parseObject(text);
  return json && [ json['@context'] ].flat().includes(oidcContext) ? opened<Client>(json) : undefined;
}
