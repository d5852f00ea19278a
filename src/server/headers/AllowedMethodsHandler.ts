import { HttpHandler, LDP, PIM, RDF, RepresentationMetadata, SOLID_META } from '@solid/community-server';
import type {
  AuxiliaryIdentifierStrategy,
  HttpHandlerInput,
  MetadataWriter,
  ResourceIdentifier,
  StorageLocationStrategy,
  TargetExtractor,
} from '@solid/community-server';
import { findStorage } from '../access/findStorage';
import { leaveOutLength } from './leaveOutLength';

/** Paths with methods of their own: those of the server, and descriptions of storages. */
const otherPaths = /^\/\.(?!ac[lr]$|meta$)|\/\.well-known\/solid$/u;

/** Options of {@link AllowedMethodsHandler}. */
export interface AllowedMethodsHandlerArgs {
  /** Finds the resource of a request. */
  targetExtractor: TargetExtractor;
  /** Writes the methods of a resource. */
  writer: MetadataWriter;
  /** Writes a link to the description of its storage. */
  storageWriter: MetadataWriter;
  /** Recognises descriptions. */
  metadataStrategy: AuxiliaryIdentifierStrategy;
  /** Names the storage of a resource. */
  storageStrategy: StorageLocationStrategy;
}

/**
 * Names the methods that a resource supports, and the description of its storage, in responses to OPTIONS. Anybody may
 * ask: its name decides, whether it exists or not.
 *
 * @see [Solid Protocol, section 4.1](https://solidproject.org/TR/protocol#storage)
 * @see [Solid Protocol, section 5.2](https://solidproject.org/TR/protocol#reading-resources)
 */
export class AllowedMethodsHandler extends HttpHandler {
  private readonly args: AllowedMethodsHandlerArgs;

  public constructor(args: AllowedMethodsHandlerArgs) {
    super();
    this.args = args;
  }

  public async handle({ request, response }: HttpHandlerInput): Promise<void> {
    if (request.method === 'OPTIONS') {
      leaveOutLength(response);
    }
    const path = request.url?.split('?', 1)[0] ?? '*';
    if (request.method === 'OPTIONS' && path !== '*' && !otherPaths.test(path)) {
      const identifier = await this.args.targetExtractor.handleSafe({ request });
      const storage = await findStorage(identifier, this.args.storageStrategy);
      const metadata = this.describe(identifier, storage?.path === identifier.path);
      await this.args.writer.handleSafe({ response, metadata });
      if (storage) {
        await this.args.storageWriter.handleSafe({ response, metadata });
      }
    }
  }

  private describe(identifier: ResourceIdentifier, isStorage: boolean): RepresentationMetadata {
    const metadata = new RepresentationMetadata(identifier);
    metadata.add(RDF.terms.type, LDP.terms.Resource);
    if (this.args.metadataStrategy.isAuxiliaryIdentifier(identifier)) {
      metadata.add(RDF.terms.type, SOLID_META.terms.DescriptionResource);
    }
    if (isStorage) {
      metadata.add(RDF.terms.type, PIM.terms.Storage);
    }
    return metadata;
  }
}
