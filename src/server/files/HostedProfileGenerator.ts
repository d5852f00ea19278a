import type { ResourceIdentifier, ResourcesGenerator } from '@solid/community-server';
import { isRecord } from '../../platform/isRecord';

type Resources = ReturnType<ResourcesGenerator['generate']>;

/** Generates the resources of pods, without a profile in the pod for a WebID that has its document elsewhere. */
export class HostedProfileGenerator implements ResourcesGenerator {
  private readonly source: ResourcesGenerator;

  /**
   * @param source - Makes the resources of all pods.
   */
  public constructor(source: ResourcesGenerator) {
    this.source = source;
  }

  /** As the source does; `webId` is among the options. */
  public async* generate(location: ResourceIdentifier, options: NodeJS.Dict<unknown>): Resources {
    const hasProfile = isRecord(options) && String(options.webId).startsWith(location.path);
    for await (const resource of this.source.generate(location, options)) {
      if (hasProfile || !resource.identifier.path.startsWith(`${location.path}profile/`)) {
        yield resource;
      }
    }
  }
}
