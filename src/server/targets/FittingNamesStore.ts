import { BadRequestHttpError, HttpError, PassthroughStore } from '@solid/community-server';
import type {
  ChangeMap,
  Conditions,
  Patch,
  Representation,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import {
  canonicalPath,
  canonicalSegment,
  findUnfitName,
  PathRefused,
} from '../../platform/targets';
import { nameFromSlug } from '../names/nameFromSlug';

/** Folder of the server's own resources, whose names it generates. */
const ownFolder = '/.internal/';

/** Placeholder for the name that the server generates for a new resource. */
const givenName = 'x'.repeat(36);

/**
 * Refuses to create resources under names that some storage cannot store or no request can reach, so that the same
 * names are valid on every storage. Existing resources can be changed.
 */
export class FittingNamesStore extends PassthroughStore {
  private readonly baseUrl: string;

  /**
   * @param source - The store behind it.
   * @param baseUrl - Base URL of the server.
   */
  public constructor(source: ResourceStore, baseUrl: string) {
    super(source);
    this.baseUrl = baseUrl.replace(/\/+$/u, '');
  }

  public override async setRepresentation(
    identifier: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    await this.requireFitting(identifier);
    return super.setRepresentation(identifier, representation, conditions);
  }

  public override async modifyResource(
    identifier: ResourceIdentifier,
    patch: Patch,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    await this.requireFitting(identifier);
    return super.modifyResource(identifier, patch, conditions);
  }

  public override async addResource(
    container: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    requireReachable(this.pathOf(container), findName(representation) ?? givenName);
    return super.addResource(container, representation, conditions);
  }

  private async requireFitting(identifier: ResourceIdentifier): Promise<void> {
    const path = this.pathOf(identifier);
    const unfit = path.startsWith(ownFolder) ? undefined : findUnfitName(path);
    if (unfit && !await this.source.hasResource({ path: this.baseUrl + unfit.path })) {
      throw unfit.reason === 'tooLong' ?
          new HttpError(414, 'UriTooLongHttpError', unfit.message) :
          new BadRequestHttpError(unfit.message);
    }
  }

  private pathOf({ path }: ResourceIdentifier): string {
    return path.startsWith(this.baseUrl) ? path.slice(this.baseUrl.length) : '';
  }
}

function findName({ metadata }: Representation): string | undefined {
  try {
    return nameFromSlug(metadata);
  } catch {
    throw new BadRequestHttpError('The slug has a malformed percent-encoding.');
  }
}

function requireReachable(container: string, name: string): void {
  try {
    // The server refuses a slash in it.
    for (const segment of name.split('/')) {
      if (canonicalSegment(segment) !== segment) {
        throw new BadRequestHttpError('This slug is not the name of a resource.');
      }
    }
    canonicalPath(container + givenName);
    const unfit = findUnfitName(canonicalPath(`${container}${name}`));
    // Existing resources may have such a name.
    if (unfit && unfit.path.length > container.length) {
      throw new BadRequestHttpError(unfit.message);
    }
  } catch (error: unknown) {
    throw error instanceof PathRefused ? new BadRequestHttpError(error.message, { cause: error }) : error;
  }
}
