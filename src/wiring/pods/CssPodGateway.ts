import { PassThrough } from 'node:stream';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  BasicConditions,
  BasicRepresentation,
  ConflictHttpError,
  DC,
  ForbiddenHttpError,
  guardStream,
  INTERNAL_QUADS,
  isContainerIdentifier,
  LDP,
  NotFoundHttpError,
  NotImplementedHttpError,
  POSIX,
  PreconditionFailedHttpError,
  readableToQuads,
  TEXT_TURTLE,
} from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  Conditions,
  ETagHandler,
  Representation,
  RepresentationPreferences,
  ResourceStore,
} from '@solid/community-server';
import { digestOf } from '../../personal-data/digest';
import type { PodBytes, PodGateway } from '../../pods/PodGateway';
import { readPodBytes } from '../../pods/readPodBytes';
import type { PodResource } from '../../platform/PodResource';
import { AccessForbidden, Unavailable } from '../../problems';
import { contentTypeOf } from '../../server/files/contentTypeOf';
import { codeOf } from '../../platform/errors';
import type { PodShortcut } from '../../server/PodShortcut';

/**
 * Resources of pods through the server's own resource store, with locks and change events. Reads take the shortcut to
 * the file or row if there is one.
 */
export class CssPodGateway implements PodGateway {
  public constructor(
    private readonly store: ResourceStore,
    private readonly auxiliaries: AuxiliaryStrategy,
    private readonly eTagHandler: ETagHandler,
    private readonly shortcut?: PodShortcut,
  ) {}

  public async find(uri: string): Promise<PodResource | undefined> {
    return isContainerIdentifier({ path: uri }) ? this.findListing(uri) : this.findDocument(uri);
  }

  public async findBytes(uri: string, maxBytes: number): Promise<PodBytes | undefined> {
    const resource = await this.findDocument(uri);
    return resource && readPodBytes(resource, maxBytes);
  }

  public async list(container: string): Promise<string[]> {
    const representation = await this.represent(container, { type: { [INTERNAL_QUADS]: 1 }});
    if (!representation) {
      return [];
    }
    const quads = await readableToQuads(representation.data);
    return quads.getObjects(container, LDP.terms.contains, null).map(({ value }): string => value);
  }

  public async exists(uri: string): Promise<boolean> {
    try {
      return !this.isAuxiliary(uri) && await this.store.hasResource({ path: uri });
    } catch (error: unknown) {
      throwUnlessAbsent(error);
      return false;
    }
  }

  public async write(uri: string, bytes: Buffer, contentType: string, replaced?: string | null): Promise<void> {
    const identifier = { path: uri };
    const representation = new BasicRepresentation([ bytes ], identifier, contentType);
    try {
      await this.store.setRepresentation(identifier, representation, this.conditionsOf(replaced));
    } catch (error: unknown) {
      if (PreconditionFailedHttpError.isInstance(error)) {
        throw new Unavailable('The resource was changed elsewhere at the same time.', { cause: error });
      }
      // The owner has put a document where a container must be, or the reverse.
      if (ConflictHttpError.isInstance(error) || ForbiddenHttpError.isInstance(error)) {
        throw new AccessForbidden('There is something else at this path in the pod.', { cause: error });
      }
      if (NotFoundHttpError.isInstance(error)) {
        throw new AccessForbidden('The pod is gone.', { cause: error });
      }
      throw error;
    }
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

  private conditionsOf(replaced: string | null | undefined): Conditions | undefined {
    if (replaced === undefined) {
      return;
    }
    return new BasicConditions(this.eTagHandler, replaced === null ?
        { notMatchesETag: [ '*' ]} :
        { matchesETag: [ replaced ]});
  }

  private async findDocument(uri: string): Promise<PodResource | undefined> {
    const isDocument = !isContainerIdentifier({ path: uri }) && !this.isAuxiliary(uri);
    return isDocument ? await this.shortcut?.find(uri) ?? this.findInStore(uri) : undefined;
  }

  /** A listing changes with every member, but the server's own entity tag of the container does not. */
  private async findListing(uri: string): Promise<PodResource | undefined> {
    const representation = await this.represent(uri, { type: { [TEXT_TURTLE]: 1 }});
    if (!representation) {
      return;
    }
    const { data, metadata } = representation;
    const body = await buffer(plainStream(data));
    return {
      contentType: contentTypeOf(metadata),
      etag: `"${digestOf(body)}"`,
      modified: new Date(metadata.get(DC.terms.modified)?.value ?? 0),
      size: body.length,
      body,
    };
  }

  private async findInStore(uri: string): Promise<PodResource | undefined> {
    const representation = await this.represent(uri);
    if (!representation) {
      return;
    }
    const { data, metadata } = representation;
    return {
      contentType: contentTypeOf(metadata),
      etag: this.eTagHandler.getETag(metadata) ?? '',
      modified: new Date(metadata.get(DC.terms.modified)?.value ?? 0),
      size: Number(metadata.get(POSIX.terms.size)?.value ?? Number.NaN),
      body: plainStream(data),
    };
  }

  private isAuxiliary(uri: string): boolean {
    return this.auxiliaries.isAuxiliaryIdentifier({ path: uri });
  }

  private async represent(
    uri: string,
    preferences: RepresentationPreferences = {},
  ): Promise<Representation | undefined> {
    try {
      return await this.store.getRepresentation({ path: uri }, preferences);
    } catch (error: unknown) {
      throwUnlessAbsent(error);
    }
  }
}

/** Rethrows an error unless it means absence: not found, or an impossible file name. */
function throwUnlessAbsent(error: unknown): void {
  const isAbsent = NotFoundHttpError.isInstance(error) || NotImplementedHttpError.isInstance(error) ||
    codeOf(error) === 'ENAMETOOLONG';
  if (!isAbsent) {
    throw error;
  }
}

/** Copies a stream of the server, which is a Proxy that watches a lock: reading that by `for await` never ends. */
function plainStream(source: Readable): Readable {
  const plain = guardStream(new PassThrough());
  source.on('error', (error: Error): void => {
    plain.destroy(error);
  });
  plain.on('close', (): void => {
    source.destroy();
  });
  return source.pipe(plain);
}
