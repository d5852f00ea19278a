import type { Readable } from 'node:stream';
import {
  BasicRepresentation,
  DC,
  isContainerIdentifier,
  NotFoundHttpError,
  POSIX,
} from '@solid/community-server';
import type { AuxiliaryStrategy, ETagHandler, Representation, ResourceStore } from '@solid/community-server';
import type { PodGateway, PodResource } from '../pods/PodGateway';

/** Resources of pods by way of the server's own resource store, locks and change events included. */
export class CssPodGateway implements PodGateway {
  public constructor(
    private readonly store: ResourceStore,
    private readonly auxiliaries: AuxiliaryStrategy,
    private readonly eTagHandler: ETagHandler,
  ) {}

  public async find(uri: string): Promise<PodResource | undefined> {
    const representation = await this.represent(uri);
    if (!representation) {
      return;
    }
    const { data, metadata } = representation;
    const contentType = metadata.contentType ?? 'application/octet-stream';
    return {
      contentType,
      etag: this.eTagHandler.getETag(metadata) ?? '',
      modified: new Date(metadata.get(DC.terms.modified)?.value ?? 0),
      size: Number(metadata.get(POSIX.terms.size)?.value ?? Number.NaN),
      body: data,
    };
  }

  public async findBytes(
    uri: string,
    maxBytes: number,
  ): Promise<{ bytes: Buffer; contentType: string; etag: string; modified: Date } | undefined> {
    const resource = await this.find(uri);
    if (!resource) {
      return;
    }
    const bytes = await readAtMost(resource.body, maxBytes);
    return bytes && { bytes, contentType: resource.contentType, etag: resource.etag, modified: resource.modified };
  }

  public async exists(uri: string): Promise<boolean> {
    return this.isReadable(uri) && this.store.hasResource({ path: uri });
  }

  public async write(uri: string, bytes: Buffer, contentType: string): Promise<void> {
    const identifier = { path: uri };
    await this.store.setRepresentation(identifier, new BasicRepresentation([ bytes ], identifier, contentType));
  }

  public async remove(uri: string): Promise<void> {
    try {
      await this.store.deleteResource({ path: uri });
    } catch (error: unknown) {
      if (!NotFoundHttpError.isInstance(error)) {
        throw error;
      }
    }
  }

  private isReadable(uri: string): boolean {
    const identifier = { path: uri };
    return !isContainerIdentifier(identifier) && !this.auxiliaries.isAuxiliaryIdentifier(identifier);
  }

  private async represent(uri: string): Promise<Representation | undefined> {
    if (!this.isReadable(uri)) {
      return;
    }
    try {
      return await this.store.getRepresentation({ path: uri }, {});
    } catch (error: unknown) {
      if (!NotFoundHttpError.isInstance(error)) {
        throw error;
      }
    }
  }
}

/**
 * Reads a stream to its end, unless it is longer: then `undefined`.
 *
 * By events: the server hands out streams wrapped in a Proxy to watch its locks, over which `for await` waits forever.
 */
async function readAtMost(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise<Buffer | undefined>((resolve, reject): void => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer | string): void => {
      length += chunk.length;
      if (length > maxBytes) {
        stream.destroy();
      } else {
        chunks.push(Buffer.from(chunk as string));
      }
    });
    stream.on('error', reject);
    stream.on('close', (): void => {
      resolve(length > maxBytes ? undefined : Buffer.concat(chunks));
    });
  });
}
