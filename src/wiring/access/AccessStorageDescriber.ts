import { joinUrl, StorageDescriber } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { accessStatements, ownIris } from '../../vocabulary';

/**
 * Adds the access-grant service to the description of a storage, so that a client that knows a WebID and its
 * `pim:storage` finds the service without being refused first.
 */
export class AccessStorageDescriber extends StorageDescriber {
  private readonly services: [predicate: string, object: string][];

  /**
   * @param baseUrl - Base URL of the server.
   */
  public constructor(baseUrl: string) {
    super();
    this.services = accessStatements(ownIris(joinUrl(baseUrl, '/')));
  }

  public async handle({ path }: ResourceIdentifier): Promise<Quad[]> {
    const storage = DataFactory.namedNode(path);
    return this.services.map(([ predicate, object ]): Quad =>
      DataFactory.quad(storage, DataFactory.namedNode(predicate), DataFactory.namedNode(object)));
  }
}
